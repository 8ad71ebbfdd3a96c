from __future__ import annotations

import json
import re
import unicodedata

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

import fiducial as fd
from fiducial.api.inert_text import inert, inert_json

HELD = {
    "::stop-commands::x": ":\\:stop-commands::x",
    " \t::add-mask::x": " \t:\\:add-mask::x",
    "\u3000\u2028::error file=a,line=1::x": "\u3000\u2028:\\:error file=a,line=1::x",
    "a\n::error::x": "a\n:\\:error::x",
    "a\r::error::x": "a\r:\\:error::x",
    "\u200b:\u00ad:error::x": "\u200b:\u00ad\\:error::x",
    "a ##[add-mask]0.5": "a ##\\[add-mask]0.5",
    "###[error]": "###\\[error]",
    "#\ufe0f#\ufe0f[error]": "#\ufe0f#\ufe0f\\[error]",
    "##vso[task.setvariable variable=x]y": "##vso\\[task.setvariable variable=x]y",
    "##TeamCity[message]": "##TeamCity\\[message]",
}
HARMLESS = ["a::b", "a ::b::", "tests/a.py::test_b", "## Heading [link]", "#[derive]", ": x", "", "x\n: y"]


@pytest.mark.attack("terminal and report")
@each_row("text", HELD)
def test_a_command_is_broken(text: str):
    assert inert(text) == inert(inert(text)) == HELD[text]


@each_row("text", HARMLESS)
def test_what_no_runner_obeys_stays(text: str):
    assert inert(text) == text
    assert inert_json(json.dumps(text)) == json.dumps(text)


@pytest.mark.attack("terminal and report")
@each_row("text", [each for each in HELD if "##" in inert(each)])
@each_row("name", ["", "\\", '"', "é"])
def test_json_has_no_command_and_keeps_its_value(text: str, name: str):
    written = inert_json(json.dumps({name + text: [text]}, ensure_ascii=False))
    assert json.loads(written) == {name + text: [text]}
    assert not obeyed(written)


PARTS = [
    ":",
    "::",
    "#",
    "##",
    "[",
    "]",
    "add-mask",
    "vso",
    " ",
    "\n",
    "\r",
    "\t",
    "\u200b",
    "\ufe0f",
    "\x00",
    "\\",
    '"',
    "\u3000",
]


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_no_runner_obeys_any_text(text: str):
    assert not obeyed(inert(text))
    written = inert_json(json.dumps({text: text}, ensure_ascii=False))
    assert (json.loads(written), obeyed(written)) == ({text: text}, [])


@pytest.mark.attack("terminal and report")
@pytest.mark.parametrize("name", ["::add-mask::0.5", "##[add-mask]0.5", "##vso[x]0.5"])
def test_results_and_failed_assertions_in_python_have_no_command(name: str):
    case = fd.Case(id=name, kind="no_call", messages=[{"role": "user", "content": "q"}])
    output = fd.Output(case_id=name, system=name, tool_calls=[fd.ToolCall(name="f", arguments={})])
    run = fd.evaluate([case], [output], progress=False)
    with pytest.raises(AssertionError) as failed:
        fd.assert_rate(run.systems[name].decided, at_least=0.8)
    for text in (str(run), repr(run), run.to_markdown(), str(failed.value)):
        assert text
        assert not obeyed(text)
    assert [*run.systems] == [name]


def obeyed(text: str) -> list[str]:
    """Return the lines in which a runner sees the beginning of a command."""
    return [line for line in re.split(r"\r\n|\r|\n", text) if _begins_command(line)]


def _begins_command(line: str) -> bool:
    seen = "".join(
        each for each in line if unicodedata.category(each) not in {"Cf", "Cc", "Mn"} or each.isspace()
    )
    return seen.lstrip().startswith("::") or re.search(r"##[a-z]*\[", seen, re.IGNORECASE) is not None
