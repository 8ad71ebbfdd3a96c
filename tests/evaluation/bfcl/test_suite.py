"""Answers find their entries, and what does not fit is refused before anything is scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import InputError
from fiducial.evaluation.bfcl.suite import BfclSuite, pair_answers
from fiducial.formats.bfcl import CATEGORIES, ResultFile, open_source


def pair(data: Path, tmp_path: Path, *ids: str, partial: bool = False) -> list[tuple[str, Any]]:
    path = tmp_path / "BFCL_v4_simple_python_result.json"
    path.write_text("".join(json.dumps({"id": name, "result": name}) + "\n" for name in ids))
    file = ResultFile("s", CATEGORIES["simple_python"], path)
    pairs = pair_answers(BfclSuite(open_source(data)), file, partial=partial)
    return [(asked.entry.id, line.result) for asked, line in pairs]


def test_answers_come_in_the_order_of_the_entries(bfcl_data: Path, tmp_path: Path):
    ids = ("simple_python_2", "simple_python_0", "simple_python_1")
    expected = [(name, name) for name in sorted(ids)]
    assert pair(bfcl_data, tmp_path, *ids) == expected


def test_missing_answers_are_refused_with_counts_and_the_first_of_them(bfcl_data: Path, tmp_path: Path):
    with pytest.raises(
        InputError, match=r"result\.json: holds 2 of the 3 answers.*'simple_python_1'.*partial="
    ):
        pair(bfcl_data, tmp_path, "simple_python_0", "simple_python_2")


def test_missing_answers_are_left_out_when_part_is_enough(bfcl_data: Path, tmp_path: Path):
    assert len(pair(bfcl_data, tmp_path, "simple_python_2", partial=True)) == 1


@pytest.mark.parametrize("partial", [True, False])
def test_an_unknown_id_is_refused_with_its_line(bfcl_data: Path, tmp_path: Path, *, partial: bool):
    with pytest.raises(InputError, match=r":2: id: 'simple_python_9' is no entry of category simple_python"):
        pair(bfcl_data, tmp_path, "simple_python_0", "simple_python_9", partial=partial)


def test_an_id_that_is_there_twice_is_refused(bfcl_data: Path, tmp_path: Path):
    with pytest.raises(InputError, match=":2: id: the id 'simple_python_0' is already on line 1"):
        pair(bfcl_data, tmp_path, "simple_python_0", "simple_python_0", partial=True)


@pytest.mark.parametrize("partial", [True, False])
def test_an_empty_file_is_refused(bfcl_data: Path, tmp_path: Path, *, partial: bool):
    with pytest.raises(InputError, match="is empty"):
        pair(bfcl_data, tmp_path, partial=partial)
