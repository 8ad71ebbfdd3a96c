"""Checkers that decide agree with labels and see the named fault; BFCL's misses are marked."""

from __future__ import annotations

from demo_suite import NEVER_CHECKED, case_of, checked, labels, misjudged, outputs
from each_row import failing

from fiducial.records import Verdict

_ONE_CALL = {
    "wrong_function": {"wrong_func_name"},
    "missing_required": {"missing_required"},
    "missing_optional": {"missing_optional"},
    "invented_argument": {"unexpected_param"},
    "misspelled_argument": {"missing_required", "unexpected_param"},
    "unrequested_argument": {"value_error", "unexpected_param"},
    "wrong_argument": {"value_error", "unexpected_param"},
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
_IDLE_FAULTS = {"claimed_not_done", "prose_instead_of_call", "question_back"}
_OTHER_KINDS = {
    "call_not_asked_for": "irrelevance_error",
    "no_call_made": "relevance_error",
    "prose_instead_of_call": "relevance_error",
}


def _decided(*, misjudged_by_bfcl: bool) -> dict[str, Verdict]:
    """Return labels of outputs that a checker decides, by output."""
    return {
        str(label.key): label
        for label in labels()
        if case_of(label).kind not in NEVER_CHECKED and misjudged(label) is misjudged_by_bfcl
    }


def _expected_error_types(label: Verdict) -> set[str]:
    case = case_of(label)
    fault = label.error_type or ""
    if case.kind in {"memory_answer", "web_search_answer"}:
        return {"answer_not_found"} if outputs()[label.key].text else {"no_last_message"}
    if case.kind == "multi_turn":
        done = {"instance_state_mismatch", "execution_response_mismatch"}
        return {"empty_turn_model_response"} if fault in _IDLE_FAULTS else done
    if case.kind in {"no_call", "any_call"}:
        return {_OTHER_KINDS[fault]}
    if len(case.reference["calls"]) > 1 and fault not in _FORM_FAULTS:
        return {"wrong_count"} if fault in _COUNT_FAULTS else {"cannot_find_match"}
    return _ONE_CALL[fault]


def test_bfcl_rules_agree_with_the_label_and_see_the_named_fault():
    agreeing = _decided(misjudged_by_bfcl=False)

    def attempt(key: str) -> None:
        label = agreeing[key]
        verdict = checked(label, "bfcl")
        assert verdict.score == label.score, verdict.reason
        if label.score == 0.0:
            assert any(part in (verdict.error_type or "") for part in _expected_error_types(label)), verdict

    assert len(agreeing) > 300
    assert failing(agreeing, attempt) == {}


def test_bfcl_rules_misjudge_what_is_marked_and_strict_rules_do_not():
    marked = _decided(misjudged_by_bfcl=True)

    def attempt(key: str) -> None:
        label = marked[key]
        assert checked(label, "bfcl").score == 1.0 - (label.score or 0.0)
        strict = checked(label, "strict")
        assert strict.outcome == "undecided" or strict.score == label.score, strict.reason

    assert len(marked) > 5
    assert failing(marked, attempt) == {}


def test_strict_rules_never_contradict_a_label():
    contradicted = [
        (str(label.key), verdict.error_type, verdict.reason)
        for label in labels()
        if (verdict := checked(label, "strict")).graded and verdict.score != label.score
    ]
    assert contradicted == []


def test_strict_rules_decide_every_task():
    tasks = [label for label in labels() if case_of(label).kind == "multi_turn"]
    assert {checked(label, "strict").outcome for label in tasks} == {"graded"}


def test_no_checker_decides_what_is_left_to_judges():
    left = [label for label in labels() if case_of(label).kind in NEVER_CHECKED]
    assert left
    assert {checked(label, "strict").outcome for label in left} == {"undecided"}
