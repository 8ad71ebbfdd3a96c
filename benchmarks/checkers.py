"""Checker throughput on one core, and whether memory stays flat.

Decodes and checks every reply of the prompt-mode reference corpus (set FIDUCIAL_REFERENCE), cases being read before. Prints
items a second, best of several passes, by language, and the peak memory before and after the passes.

    python benchmarks/checkers.py [PASSES]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from commands import packed_records, peak_megabytes, reference_folder

from fiducial.deterministic import CheckOptions, Rules, check
from fiducial.formats.bfcl import CATEGORIES, open_source, read_cases
from fiducial.records import Case, Output

Item = tuple[Case, Output, CheckOptions]

TARGET = 40_000
"""Items a second that a release must reach over the whole corpus."""


def read_items(reference: Path, rules: Rules) -> list[Item]:
    """Every record of the corpus with its case, ready to be checked."""
    source = open_source(reference / "bfcl" / "data")
    asts = [category for category in CATEGORIES.values() if category.family == "ast"]
    cases = {case.id: case for category in asts for case in read_cases(source, category)}
    dotted = CheckOptions(rules=rules)
    underscored = CheckOptions(rules=rules, names="underscored")
    return [
        (
            cases[record["id"]],
            Output(case_id=record["id"], system="corpus", text=record["output"]),
            underscored if record["underscore_to_dot"] else dotted,
        )
        for record in packed_records(reference / "bfcl" / "reference" / "ast_prompt.jsonl.gz")
    ]


def rate(items: list[Item], passes: int) -> float:
    """Items a second of processor time, best of several passes."""
    best = float("inf")
    for _ in range(passes):
        start = time.process_time()
        for case, output, options in items:
            check(case, output, options)
        best = min(best, time.process_time() - start)
    return len(items) / best


def main() -> int:
    """Measure and print."""
    folder = reference_folder()
    passes = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    items = read_items(folder, "bfcl")
    rate(items, 1)
    before = peak_megabytes()
    whole = rate(items, passes)
    print(
        f"checkers: {len(items):,} replies decoded and checked under BFCL's rules: {whole:,.0f}/s (target {TARGET:,}/s)"
    )
    for language in ("python", "java", "javascript"):
        part = [item for item in items if item[0].reference.get("language", "python") == language]
        print(f"  {language}: {rate(part, passes):,.0f}/s over {len(part):,}")
    print(
        f"  peak memory: {before:.0f} MiB after one pass, {peak_megabytes():.0f} MiB after {2 * passes + 1}"
    )
    print(f"  strict rules: {rate(read_items(folder, 'strict'), passes):,.0f}/s")
    return 0 if whole >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
