"""Calls are read in the form that a case asked for."""

from __future__ import annotations

import msgspec
import pytest
from tool_calls import tool

from fiducial.deterministic import check
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


@pytest.mark.parametrize("form", REPLIES)
@pytest.mark.parametrize("tagged", [True, False])
def test_a_reply_in_the_form_that_was_asked_for_is_read(form: str, *, tagged: bool):
    case = msgspec.structs.replace(CASE, tags={"ret_fmt": form, "tool_call_tag": tagged})
    text = f"<TOOLCALL>{REPLIES[form]}</TOOLCALL>" if tagged else REPLIES[form]
    assert check(case, Output(case_id="a", system="s", text=text)).score == 1.0


@pytest.mark.parametrize("form", ["json", "verbose_xml", "concise_xml"])
def test_a_reply_in_another_form_is_not(form: str):
    verdict = check(CASE, Output(case_id="a", system="s", text=REPLIES[form]))
    assert verdict.score == 0.0
