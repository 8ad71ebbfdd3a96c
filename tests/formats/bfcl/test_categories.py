"""The categories: names, groups, and the order of ids."""

from __future__ import annotations

import pytest
from each_row import each_row

from fiducial.errors import UsageError
from fiducial.formats.bfcl import CATEGORIES, category_name, expand, sort_key


@each_row(
    ("entry_id", "name"),
    [
        ("live_simple_4-3-0", "live_simple"),
        ("memory_rec_sum_12-student-3", "memory_rec_sum"),
        ("web_search_no_snippet_7", "web_search_no_snippet"),
        ("format_sensitivity_3:ret_fmt=json&tool_call_tag=True:parallel_2", "format_sensitivity"),
        ("odd", "odd"),
    ],
)
def test_the_category_is_what_stands_before_the_last_underscore_of_the_first_part(entry_id: str, name: str):
    assert category_name(entry_id) == name


def test_ids_sort_by_number_and_not_as_text():
    ids = ["live_simple_10-1-0", "live_simple_2-9-9", "live_simple_1-4-0"]
    assert sorted(ids, key=sort_key) == ["live_simple_1-4-0", "live_simple_2-9-9", "live_simple_10-1-0"]


def test_memory_comes_last_but_its_preparation_first():
    ids = [
        "memory_kv_0-x-0",
        "multi_turn_base_0",
        "parallel_0",
        "web_search_base_0",
        "memory_kv_prereq_0-x-0",
    ]
    assert sorted(ids, key=sort_key) == [
        "memory_kv_prereq_0-x-0",
        "web_search_base_0",
        "parallel_0",
        "multi_turn_base_0",
        "memory_kv_0-x-0",
    ]


def test_a_group_stands_for_its_categories_in_bfcl_order():
    assert [category.name for category in expand(["memory", "simple_java"])] == [
        "simple_java",
        "memory_kv",
        "memory_vector",
        "memory_rec_sum",
    ]


def test_all_means_everything_that_is_not_retired():
    assert len(expand(["all"])) == 23
    assert sum(category.size for category in expand(["single_turn"])) == 2_501 + 1_140


def test_a_category_named_twice_is_there_once():
    assert len(expand(["live", "live_simple"])) == 6


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match=r"'easy'.*simple_python"):
        expand(["easy"])


def test_backends_of_memory_have_folders_of_their_own():
    assert CATEGORIES["memory_rec_sum"].folder == "agentic/memory/rec_sum"
    assert CATEGORIES["web_search_base"].folder == "agentic"
