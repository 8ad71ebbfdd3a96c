"""The demo suite is what it says: well-formed, varied, and wrong only where, and as, its labels name."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from fiducial.data import demo_path
from fiducial.deterministic import CheckOptions, Rules, check
from fiducial.errors import InputError
from fiducial.records import Case, ItemKey, Output, Verdict, read_records

_ONE_CALL = {
    "wrong_function": {"wrong_func_name"},
    "missing_required": {"missing_required"},
    "missing_optional": {"missing_optional"},
    "invented_argument": {"unexpected_param"},
    "misspelled_argument": {"missing_required", "unexpected_param"},
    "unrequested_argument": {"value_error"},
    "wrong_argument": {"value_error"},
    "wrong_value": {"value_error"},
    "wrong_sign": {"value_error"},
    "wrong_magnitude": {"value_error"},
    "wrong_unit": {"value_error"},
    "wrong_date": {"value_error"},
    "wrong_enum": {"value_error"},
    "wrong_boolean": {"value_error"},
    "wrong_type": {"type_error"},
    "wrong_order": {"value_error"},
    "missing_item": {"value_error"},
    "extra_item": {"value_error"},
    "wrong_nested_value": {"value_error:dict_value"},
    "missing_nested_key": {"value_error:dict_key"},
    "invented_nested_key": {"value_error:dict_key"},
    "swapped_arguments": {"value_error"},
    "placeholder_value": {"value_error:string"},
    "positional_arguments": {"missing_optional", "missing_required"},
    "broken_syntax": {"decoder_failed"},
    "chatter_around_call": {"decoder_failed"},
    "prose_instead_of_call": {"decoder_failed"},
    "empty_reply": {"wrong_count"},
}
"""What the checker finds in a single call with the named fault: the error type, or a part of it."""

_COUNT_FAULTS = {"missing_call", "extra_call"}
_FORM_FAULTS = {"broken_syntax", "prose_instead_of_call"}
_OTHER_KINDS = {
    "call_not_asked_for": "irrelevance_error",
    "no_call_made": "relevance_error",
    "prose_instead_of_call": "relevance_error",
}


@cache
def _cases() -> dict[str, Case]:
    return {case.id: case for case in read_records(demo_path("cases.jsonl"), Case)}


@cache
def _outputs() -> dict[ItemKey, Output]:
    return {output.key: output for output in read_records(demo_path("outputs.jsonl"), Output)}


@cache
def _labels() -> list[Verdict]:
    return list(read_records(demo_path("labels.jsonl"), Verdict))


def _check(label: Verdict, rules: Rules) -> Verdict:
    return check(_cases()[label.case_id], _outputs()[label.key], CheckOptions(rules=rules))


def _misjudged(label: Verdict) -> bool:
    return label.evidence.get("misjudged_by") == "bfcl"


def _expected_error_types(label: Verdict) -> set[str]:
    case = _cases()[label.case_id]
    fault = label.error_type or ""
    if case.kind in {"memory_answer", "web_search_answer"}:
        return {"answer_not_found"} if _outputs()[label.key].text else {"no_last_message"}
    if case.kind in {"no_call", "any_call"}:
        return {_OTHER_KINDS[fault]}
    if case.reference["match"] == "parallel" and fault not in _FORM_FAULTS:
        return {"wrong_count"} if fault in _COUNT_FAULTS else {"cannot_find_match"}
    return _ONE_CALL[fault]


def test_case_ids_are_unique_and_every_reference_has_its_tools():
    assert len(_cases()) == sum(1 for _ in read_records(demo_path("cases.jsonl"), Case))
    for case in _cases().values():
        offered = {tool["function"]["name"] for tool in case.tools}
        assert {name for call in case.reference.get("calls", []) for name in call} <= offered, case.id


def test_every_system_answers_every_case_once_and_every_output_has_its_label():
    systems = {key.system for key in _outputs()}
    assert systems == {"careful", "hasty", "sloppy"}
    assert set(_outputs()) == {ItemKey(case_id, system, 0) for case_id in _cases() for system in systems}
    assert [label.key for label in _labels()] == list(_outputs())


def test_the_suite_is_as_varied_as_it_claims():
    cases = list(_cases().values())
    kinds = Counter(case.kind for case in cases)
    assert kinds["tool_call"] >= 60
    assert kinds["memory_answer"] + kinds["web_search_answer"] >= 10
    assert {case.reference.get("match") for case in cases} >= {"simple", "multiple", "parallel"}
    assert len({case.tags["language"] for case in cases}) >= 8
    assert max(Counter(case.cluster_id for case in cases).values()) >= 4
    declared = "".join(re.findall(r'"type":"?\w+|"type": ?"\w+', demo_path("cases.jsonl").read_text("utf-8")))
    for name in ("tuple", "dict", "boolean", "float", "array", "integer", "any"):
        assert name in declared


def test_systems_differ_clearly_in_quality():
    right = Counter(label.system for label in _labels() if label.score == 1.0)
    assert right["careful"] > right["hasty"] + 20 > right["sloppy"] + 30


def test_labels_are_constructions_and_name_a_fault_exactly_when_the_output_is_wrong():
    for label in _labels():
        assert label.source == "construction"
        assert (label.score == 0.0) == (label.error_type is not None), label.key
        assert label.score == 1.0 or label.reason, label.key


def test_the_documented_faults_are_the_used_faults():
    page = Path(__file__).parents[2] / "docs" / "demo-suite.md"
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \|", page.read_text("utf-8"), re.MULTILINE)
    kinds = {case.kind for case in _cases().values()}
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)} - kinds
    assert documented == {label.error_type for label in _labels() if label.error_type}


@pytest.mark.parametrize(
    "label", [label for label in _labels() if not _misjudged(label)], ids=lambda label: str(label.key)
)
def test_bfcl_rules_agree_with_the_label_and_see_the_named_fault(label: Verdict):
    verdict = _check(label, "bfcl")
    assert verdict.score == label.score, verdict.reason
    if label.score == 0.0:
        assert any(part in (verdict.error_type or "") for part in _expected_error_types(label)), verdict


@pytest.mark.parametrize(
    "label", [label for label in _labels() if _misjudged(label)], ids=lambda label: str(label.key)
)
def test_bfcl_rules_misjudge_what_is_marked_and_strict_rules_do_not(label: Verdict):
    assert _check(label, "bfcl").score == 1.0 - (label.score or 0.0)
    strict = _check(label, "strict")
    assert strict.outcome == "undecided" or strict.score == label.score, strict.reason


def test_strict_rules_never_contradict_a_label():
    contradicted = [
        (str(label.key), verdict.error_type, verdict.reason)
        for label in _labels()
        if (verdict := _check(label, "strict")).graded and verdict.score != label.score
    ]
    assert contradicted == []


@pytest.mark.parametrize("name", ["nothing.jsonl", "../pyproject.toml", ""])
def test_a_file_that_is_not_part_of_the_suite_is_refused(name: str):
    with pytest.raises(InputError, match="no such file in the demo suite"):
        demo_path(name)
