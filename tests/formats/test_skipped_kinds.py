"""Skipped records are counted by kind of problem."""

from __future__ import annotations

import pytest

from fiducial.formats.imported_records import Skipped
from fiducial.formats.skipped_kinds import SkippedKinds, problem_of


def counts(*skipped: tuple[str, str | None]) -> list[tuple[int, str]]:
    kinds = SkippedKinds()
    for reason, field in skipped:
        kinds.add(Skipped(file="log", reason=reason, field=field))
    return [(part.count, part.problem) for part in kinds.parts]


def test_values_lines_and_files_make_no_kind():
    given = [("no case has the id 'a'", "id"), ("not JSON: it ends", None), ("no case has the id 'b'", "id")]
    assert counts(*given) == [(2, "no case has the id 'a'"), (1, "not JSON")]


def test_the_same_problem_of_two_fields_is_two_kinds_unless_the_reason_names_them():
    assert len(counts(("missing", "a"), ("missing", "b"))) == 2
    assert len(counts(("a.json cannot be read", "a.json"), ("b.json cannot be read", "b.json"))) == 1


@pytest.mark.parametrize(
    ("reason", "problem"),
    [
        ("not JSON: it ends at column 7", "not JSON"),
        ("no case has the id 'x: (y)' (did you mean 'x'?)", "no case has the id 'x: (y)'"),
        (": odd", ": odd"),
    ],
)
def test_details_are_cut_but_not_within_quotes(reason: str, problem: str):
    assert problem_of(reason) == problem


def test_an_option_to_type_is_kept():
    told = "unknown label 'so so': map it with --map-label 'so so=?'"
    assert counts((told, "label")) == [(1, told)]
