"""Rows of one test: all are tried, and what fails is told by its row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from each_row import each_row


def test_every_row_is_tried_and_those_that_fail_are_named():
    tried: list[int] = []

    @each_row("number", range(4))
    def test(number: int):
        tried.append(number)
        assert number % 2 == 0
        with pytest.raises(ValueError, match="x"):
            raise ValueError("y" if number else "x")

    with pytest.raises(BaseExceptionGroup, match="3 of 4 rows fail") as told:
        test()
    assert tried == [0, 1, 2, 3]
    assert [error.__notes__[-1] for error in told.value.exceptions] == [
        f"row: {{'number': {n}}}" for n in (1, 2, 3)
    ]


def test_rows_of_rows_are_all_tried_in_folders_of_their_own(tmp_path: Path):
    folders: list[tuple[Path, Any]] = []

    @each_row(("one", "two"), [(1, 2), (3, 4)])
    @each_row("three", lambda: "ab")
    def test(tmp_path: Path, one: int, two: int, three: str):
        assert list(tmp_path.iterdir()) == []
        folders.append((tmp_path, (one, two, three)))

    test(tmp_path=tmp_path)
    assert len({folder for folder, _ in folders}) == 4
    assert [row for _, row in folders] == [(1, 2, "a"), (1, 2, "b"), (3, 4, "a"), (3, 4, "b")]


def test_a_table_without_rows_fails():
    @each_row("number", [])
    def test(number: int): ...

    with pytest.raises(AssertionError, match="nothing is tested"):
        test()


def test_rows_of_one_name_that_are_all_tuples_of_one_fail_since_the_test_would_get_tuples():
    @each_row("text", [("a",), ("b",)])
    def test(text: str):
        assert text != "a"

    with pytest.raises(AssertionError, match="write the value alone"):
        test()


def test_a_row_that_cannot_be_tried_here_hides_no_failure():
    @each_row("number", range(3))
    def test(number: int):
        if number == 0:
            pytest.skip("not here")
        assert number == failing

    failing = 1
    with pytest.raises(BaseExceptionGroup, match="1 of 3 rows fail"):
        test()

    @each_row("number", range(2))
    def other(number: int):
        if number == 0:
            pytest.skip("not here")

    with pytest.raises(pytest.skip.Exception, match="1 of 2 rows: not here"):
        other()
