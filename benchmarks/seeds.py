"""Run every item of the five seed systems and print the table by status.

    python benchmarks/seeds.py [NUMBER ...]

The items are in `seed_items/`, with the seeds' values in our own words; ``NUMBER`` runs some of them. `same` and `better` passed their
check, `read` is text that no program can run, `not run` needs the optional package that is named, `missing` failed or has no check. Exit
code 1: something is missing.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from fiducial.errors import MissingExtraError

_FOLDER = Path(__file__).parent / "seed_items"
_MODULES = ("single_turn", "multi_turn", "result_trees", "judge_prompts", "challenges", "project")
_STATUSES = ("same", "better", "read", "not run", "missing")
_WIDTH = 90

sys.path[:0] = [str(_FOLDER.parent), str(_FOLDER.parents[1] / "tests" / "support")]


class Row(NamedTuple):
    """A row of the table."""

    number: int
    system: str
    title: str
    status: str
    told: str


def titles() -> dict[int, tuple[str, str]]:
    """Return system and title of each item."""
    rows = (line.split("\t") for line in (_FOLDER / "items.tsv").read_text(encoding="utf-8").splitlines())
    return {int(number): (system, title) for number, system, title, *_ in rows}


def results(wanted: set[int]) -> dict[int, tuple[str, str]]:
    """Run the checks of some items, or of all, and return status and page, or what went wrong."""
    for name in _MODULES:
        import_module(f"seed_items.{name}")
    found: dict[int, tuple[str, str]] = {}
    for item in import_module("seed_items.kit").ITEMS:
        if wanted and wanted.isdisjoint(item.numbers):
            continue
        status, told = item.status, item.page
        try:
            item.check()
        except (import_module("seed_items.kit").NotRun, MissingExtraError) as missing:
            status, told = "not run", str(missing)
        except Exception as error:  # noqa: BLE001 - whatever a check raises, its items are missing
            status, told = "missing", f"{type(error).__name__}: {error}".partition("\n")[0][:300]
        for number in item.numbers:
            if found.get(number, ("", ""))[0] != "missing":
                found[number] = status, told
    return found


def main() -> int:
    """Print the table, and return the exit code."""
    began, wanted = time.perf_counter(), {int(each) for each in sys.argv[1:]}
    with tempfile.TemporaryDirectory(prefix="fiducial-seeds-") as folder:
        tempfile.tempdir = folder
        found = results(wanted)
        tempfile.tempdir = None
    rows = [
        Row(number, *about, *found.get(number, ("missing", "no check")))
        for number, about in titles().items()
        if not wanted or number in wanted
    ]
    for row in rows:
        print(
            f"{row.number:4} {row.system:12} {row.title[:_WIDTH]:{_WIDTH}} {row.status:8} {row.told}".rstrip()
        )
    counts = Counter(row.status for row in rows)
    print(f"\n{len(rows)} items: " + ", ".join(f"{counts[status]} {status}" for status in _STATUSES))
    systems = dict.fromkeys(row.system for row in rows)
    for system in systems:
        of = Counter(row.status for row in rows if row.system == system)
        print(
            f"  {system:12} {sum(of.values()):4}: "
            + ", ".join(f"{of[status]} {status}" for status in _STATUSES)
        )
    print(f"{time.perf_counter() - began:.0f} s")
    return 1 if counts["missing"] else 0


if __name__ == "__main__":
    sys.exit(main())
