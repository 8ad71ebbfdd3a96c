"""Entries: paired with their ground truth, ids rewritten, functions beside them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fiducial.errors import InputError
from fiducial.formats.bfcl import CATEGORIES, CONFIGURATIONS, open_source, read_entries


def entries(path: Path, name: str):
    return list(read_entries(open_source(path), CATEGORIES[name]))


@pytest.fixture
def editable(bfcl_data: Path, tmp_path: Path):
    shutil.copytree(bfcl_data, tmp_path / "data")
    return tmp_path / "data"


def test_an_entry_has_its_ground_truth(bfcl_data: Path):
    assert entries(bfcl_data, "simple_python")[2].ground_truth == [{"garden.prune": {"plant": ["hazel"]}}]


def test_relevance_has_none(bfcl_data: Path):
    assert entries(bfcl_data, "live_relevance")[0].ground_truth is None


def test_a_memory_entry_takes_the_name_and_the_class_of_its_backend(bfcl_data: Path):
    entry = entries(bfcl_data, "memory_rec_sum")[0]
    assert entry.id == "memory_rec_sum_0-garden-0"
    assert entry.raw["involved_classes"] == ["MemoryAPI_rec_sum"]
    assert entry.ground_truth == ["hazel", "a hazel"]
    assert [document["name"] for document in entry.documents] == ["recall"]


def test_a_web_search_entry_takes_the_name_of_its_variant(bfcl_data: Path):
    assert entries(bfcl_data, "web_search_no_snippet")[0].id == "web_search_no_snippet_0"


def test_a_withheld_function_is_not_offered_at_the_start(bfcl_data: Path):
    entry = entries(bfcl_data, "multi_turn_miss_func")[0]
    assert [document["name"] for document in entry.documents] == ["add"]


def test_format_sensitivity_asks_each_chosen_entry_in_every_configuration_in_data_order(bfcl_data: Path):
    found = entries(bfcl_data, "format_sensitivity")
    assert len(found) == 2 * 26
    assert found[0].id == f"format_sensitivity_0:{CONFIGURATIONS[0].id}:simple_python_0"
    assert found[27].id == f"format_sensitivity_27:{CONFIGURATIONS[1].id}:simple_python_2"
    assert found[27].raw["question"] == entries(bfcl_data, "simple_python")[2].raw["question"]


def test_retired_categories_lie_apart(bfcl_data: Path):
    assert entries(bfcl_data, "exec_simple")[0].ground_truth == ["add(a=2, b=2)"]


def test_a_missing_category_is_named(bfcl_data: Path):
    with pytest.raises(InputError, match="no data file for category multiple"):
        entries(bfcl_data, "multiple")


def test_a_missing_ground_truth_file_is_named(editable: Path):
    (editable / "possible_answer/BFCL_v4_parallel.json").unlink()
    with pytest.raises(InputError, match=r"possible_answer/BFCL_v4_parallel.json"):
        entries(editable, "parallel")


@pytest.mark.parametrize(
    "answers", ["", '{"id": "parallel_9", "ground_truth": []}\n', '{"id": "parallel_0"}\n']
)
def test_a_ground_truth_of_something_else_is_refused(editable: Path, answers: str):
    (editable / "possible_answer/BFCL_v4_parallel.json").write_text(answers)
    with pytest.raises(InputError, match="expected the ground truth of 'parallel_0'"):
        entries(editable, "parallel")


def test_an_unknown_class_is_named(editable: Path):
    path = editable / "BFCL_v4_multi_turn_miss_func.json"
    entry = json.loads(path.read_text())
    path.write_text(json.dumps({**entry, "involved_classes": ["../../etc/passwd"]}))
    with pytest.raises(InputError, match=r"no function documents are known for class '../../etc/passwd'"):
        entries(editable, "multi_turn_miss_func")


def test_an_entry_without_turns_is_refused(editable: Path):
    (editable / "BFCL_v4_irrelevance.json").write_text(
        '{"id": "irrelevance_0", "question": "?", "function": []}'
    )
    with pytest.raises(InputError, match="expected a list of turns"):
        entries(editable, "irrelevance")


def test_an_id_list_of_the_wrong_form_is_refused(editable: Path):
    (editable / "BFCL_v4_format_sensitivity.json").write_text('{"simple_python": "all"}')
    with pytest.raises(InputError, match="expected a list of ids by category"):
        entries(editable, "format_sensitivity")
