"""The fixed list of faults fits today's source; none of them is planted in the checkout."""

from __future__ import annotations

import ast
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from scripts import script

mutants = script("benchmarks/source_mutants.py")
FAULTS: list[Any] = mutants.listed_faults()
ROOT = Path(__file__).parents[2]
ROOMS = ["records", "tables", "deterministic", "judges", "formats", "calibration", "evaluation", "report", "api", "cli", "top level"]  # fmt: skip


@each_row("room", ROOMS)
def test_each_fault_can_be_planted_in_todays_source(room: str):
    for fault in (each for each in FAULTS if each.room == room):
        assert ast.parse(fault.planted_in((ROOT / fault.file).read_text(encoding="utf-8"))), fault
        assert all((ROOT / tests).exists() for tests in (fault.tests, *fault.others)), fault


def test_there_are_sixty_in_all_rooms_and_no_two_alike():
    assert len({(fault.file, fault.before) for fault in FAULTS}) == len(FAULTS) == 60
    assert list(dict.fromkeys(fault.room for fault in FAULTS)) == ROOMS
    assert sum(fault.ten for fault in FAULTS) == 10


def test_text_that_stands_elsewhere_too_is_no_place_for_a_fault():
    with pytest.raises(ValueError, match="2 times"):
        FAULTS[0].planted_in(FAULTS[0].before * 2)


def test_a_planted_fault_is_undone_in_the_copy_whatever_happens(tmp_path: Path):
    copy = object.__new__(mutants.MutatedCopy)
    copy.root = tmp_path
    module = tmp_path / "module.py"
    module.write_text("TWO = 2\n")
    with suppress(KeyError), copy.with_source("module.py", "TWO = 3\n"):
        assert module.read_text() == "TWO = 3\n"
        raise KeyError
    assert module.read_text() == "TWO = 2\n"


def test_the_table_counts_by_room_and_in_all():
    where = ["file", "folder", "nobody"]
    found = [mutants.Found(fault, where[fault.number % 3]) for fault in FAULTS]
    *_, records, _ = mutants.table(found[:3]).split("\n")
    assert records == "| records | 3 | 1 | 1 | 1 |"
    *_, whole = mutants.table(found).split("\n")
    counts = Counter(each.where for each in found)
    assert whole == f"| all | 60 | {counts['file']} | {counts['folder']} | {counts['nobody']} |"
