"""Entries as Cases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from each_row import each_row

from fiducial.formats.bfcl import CATEGORIES, open_source, read_cases
from fiducial.records import Case, validate_case

CasesOf: TypeAlias = Callable[[str], list[Case]]


@pytest.fixture
def cases_of(bfcl_data: Path):
    source = open_source(bfcl_data)

    def cases_of(name: str):
        return list(read_cases(source, CATEGORIES[name]))

    return cases_of


@each_row(
    ("name", "kind"),
    [
        ("simple_python", "tool_call"),
        ("irrelevance", "no_call"),
        ("live_relevance", "any_call"),
        ("multi_turn_miss_func", "multi_turn"),
        ("memory_vector", "memory_answer"),
        ("web_search_base", "web_search_answer"),
        ("exec_simple", "executable_call"),
        ("format_sensitivity", "tool_call"),
    ],
)
def test_every_category_becomes_the_kind_that_its_checker_decides(cases_of: CasesOf, name: str, kind: str):
    cases = cases_of(name)
    assert {case.kind for case in cases} == {kind}
    for case in cases:
        validate_case(case)


@pytest.mark.parametrize(
    ("name", "match", "language"),
    [
        ("simple_python", "simple", "python"),
        ("simple_java", "simple", "java"),
        ("parallel", "parallel", "python"),
    ],
)
def test_how_calls_are_matched_follows_from_the_category(
    cases_of: CasesOf, name: str, match: str, language: str
):
    reference = cases_of(name)[0].reference
    assert (reference["match"], reference["language"]) == (match, language)


def test_functions_take_the_outer_shape_and_keep_the_type_names_of_the_data(
    cases_of: CasesOf,
):
    tool = cases_of("simple_python")[0].tools[0]
    assert tool["type"] == "function"
    assert tool["function"]["parameters"]["type"] == "dict"


def test_live_cases_on_one_function_document_are_one_cluster(cases_of: CasesOf):
    assert {case.cluster_id for case in cases_of("live_simple")} == {"live_simple/0"}


def test_the_backends_of_one_memory_question_are_one_cluster(cases_of: CasesOf):
    assert cases_of("memory_kv")[0].cluster_id == cases_of("memory_vector")[0].cluster_id


def test_the_configurations_of_one_entry_are_one_cluster(cases_of: CasesOf):
    assert {case.cluster_id for case in cases_of("format_sensitivity")} == {
        "simple_python_0",
        "simple_python_2",
    }


def test_tags_name_category_and_group(cases_of: CasesOf):
    assert cases_of("memory_kv")[0].tags == {"category": "memory_kv", "group": "agentic"}


def test_tags_of_format_sensitivity_name_the_configuration(cases_of: CasesOf):
    assert cases_of("format_sensitivity")[1].tags == {
        "category": "format_sensitivity",
        "group": "format_sensitivity",
        "original_category": "simple_python",
        "ret_fmt": "python",
        "tool_call_tag": True,
        "func_doc_fmt": "xml",
        "prompt_fmt": "plaintext",
        "style": "classic",
    }


def test_the_turn_that_gives_functions_back_says_so(cases_of: CasesOf):
    case = cases_of("multi_turn_miss_func")[0]
    assert case.turns[1][0]["content"].startswith("I have updated some more functions")
    assert case.reference["withheld"] == {"1": ["mean"]}
    assert [tool["function"]["name"] for tool in case.reference["withheld_tools"]] == ["mean"]
    assert "mean" not in [tool["function"]["name"] for tool in case.tools]


def test_agentic_cases_are_told_how_to_answer(cases_of: CasesOf):
    case = cases_of("web_search_base")[0]
    assert case.tags["num_hops"] == 2
    assert [message["role"] for message in case.turns[0]] == ["system", "user"]
    assert "'answer'" in case.turns[0][0]["content"]
    assert case.reference["answers"] == ["Nuttall"]


def test_executable_matches_lose_their_suffix(cases_of: CasesOf):
    assert cases_of("exec_simple")[0].reference == {"calls": ["add(a=2, b=2)"], "match": ["exact"]}


@pytest.mark.reference
def test_every_published_entry_becomes_a_valid_case(reference: Path):
    source = open_source(reference / "bfcl/data")
    for category in CATEGORIES.values():
        cases = list(read_cases(source, category))
        assert len(cases) == category.size, category.name
        assert len({case.id for case in cases}) == category.size
        for case in cases:
            validate_case(case)
