"""Trajectories checked per second on one core, over the reference corpus.

The original checks about 1,350. Run it with ``make bench``, or by itself.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from commands import packed_records, peak_megabytes, reference_folder

from fiducial.deterministic.multi_turn import check_turns
from fiducial.deterministic.options import CheckOptions, Rules
from fiducial.formats.bfcl import expand, open_source, read_cases
from fiducial.records import Case

Records = list[dict[str, Any]]


def load(reference: Path) -> tuple[dict[str, Case], Records]:
    """The 800 cases, and the records of the corpus."""
    source = open_source(reference / "bfcl" / "data")
    cases = {case.id: case for category in expand(["multi_turn"]) for case in read_cases(source, category)}
    return cases, list(packed_records(reference / "bfcl" / "reference" / "multi_turn.jsonl.gz"))


def timed(what: str, cases: dict[str, Case], records: Records, rules: Rules) -> float:
    """Check every record once, and print the rate."""
    options = CheckOptions(rules=rules)
    started = time.process_time()
    valid = sum(
        check_turns(cases[record["id"]], record["turns"], mode=record["level"], options=options).valid
        for record in records
    )
    took = time.process_time() - started
    print(
        f"{what}: {len(records) / took:,.0f} trajectories/s ({len(records):,} in {took:.2f} s, {valid:,} valid)"
    )
    return len(records) / took


def main() -> int:
    """Time checking cold, warm and strict, then measure memory; return 1 below 1,500 a second.

    Cold executes the reference trajectories too.
    """
    cases, records = load(reference_folder())
    before = peak_megabytes()
    rate = timed("bfcl rules, first system", cases, records, "bfcl")
    timed("bfcl rules, next system", cases, records, "bfcl")
    after_two = peak_megabytes()
    timed("strict rules", cases, records, "strict")
    for _ in range(2):
        timed("bfcl rules, once more", cases, records, "bfcl")
    print(
        f"memory: {after_two - before:.0f} MB for the kept reference trajectories of {len({r['id'] for r in records})} cases"
        f" and the worlds' tables, {peak_megabytes() - after_two:.0f} MB more after three more passes"
    )
    return 0 if rate >= 1_500 else 1


if __name__ == "__main__":
    sys.exit(main())
