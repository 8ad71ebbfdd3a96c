"""Calls are read in the form that a case asked for."""

from __future__ import annotations

import msgspec
import pytest
from each_row import each_row
from tool_calls import tool

from fiducial.deterministic import CheckOptions, check, check_result
from fiducial.records import Case, Output

CASE = Case(
    id="a",
    kind="tool_call",
    tools=[tool("prune", {"plant": {"type": "string"}}, ["plant"])],
    reference={"calls": [{"prune": {"plant": ["hazel"]}}]},
)

REPLIES = {
    "python": "[prune(plant='hazel')]",
    "json": '[{"function": "prune", "parameters": {"plant": "hazel"}}]',
    "verbose_xml": '<functions><function name="prune"><params><param name="plant" value="hazel"/></params></function></functions>',
    "concise_xml": '<functions><function name="prune"><param name="plant">hazel</param></function></functions>',
}


@each_row("form", REPLIES)
@each_row("tagged", [True, False])
def test_a_reply_in_the_form_that_was_asked_for_is_read(form: str, *, tagged: bool):
    case = msgspec.structs.replace(CASE, tags={"ret_fmt": form, "tool_call_tag": tagged})
    text = f"<TOOLCALL>{REPLIES[form]}</TOOLCALL>" if tagged else REPLIES[form]
    assert check(case, Output(case_id="a", system="s", text=text)).score == 1.0


@pytest.mark.parametrize("form", ["json", "verbose_xml", "concise_xml"])
def test_a_reply_in_another_form_than_the_stated_one_is_not(form: str):
    case = msgspec.structs.replace(CASE, tags={"ret_fmt": "python"})
    verdict = check(case, Output(case_id="a", system="s", text=REPLIES[form]))
    assert verdict.score == 0.0


@each_row(
    ("text", "strict"),
    [
        ('[{"prune": {"plant": "hazel"}}]', 1.0),
        ('```json\n[{"prune": {"plant": "hazel"}}]\n```', 1.0),
        ('[{"name": "prune", "arguments": {"plant": "hazel"}}]', 1.0),
        ('{"name": "prune", "arguments": "{\\"plant\\": \\"hazel\\"}"}', 1.0),
        (
            '[{"id": "1", "type": "function", "function": {"name": "prune", "arguments": {"plant": "hazel"}}}]',
            1.0,
        ),
        (REPLIES["json"], 1.0),
        ('[{"prune": {"plant": "yew"}}]', 0.0),
        ('[{"prune": {"plant": "hazel", "plant": "yew"}}]', 0.0),
        ('{"prune": {"plant": "hazel"}}', 0.0),
        ('[{"prune": "hazel"}]', 0.0),
        ('I call [{"prune": {"plant": "hazel"}}]', 0.0),
        ('[{"prune": {"plant": "hazel"}}, "and so on"]', 0.0),
    ],
)
def test_a_reply_that_is_json_as_a_whole_is_read_under_strict_rules_alone(text: str, strict: float):
    output = Output(case_id="a", system="s", text=text)
    assert (check(CASE, output).score, check(CASE, output, CheckOptions(rules="bfcl")).score) == (strict, 0.0)


@pytest.mark.parametrize("arguments", [{"plant": "hazel"}, '{"plant": "hazel"}'])
def test_stored_native_calls_may_have_an_object_as_arguments_under_strict_rules(arguments: object):
    stored = [{"prune": arguments}]
    assert check_result(CASE, stored, mode="fc", options=CheckOptions(rules="strict")).score == 1.0
    assert check_result(CASE, stored, mode="fc").score == float(isinstance(arguments, str))
