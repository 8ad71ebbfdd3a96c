"""Hostile texts in trajectories: the first wrong step is named among the steps that there are."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from each_row import each_row
from hostile_texts import ATTACKS, STEP_ATTACKS
from judge_items import Judging, make_case
from provider_server import Answer, ProviderServer

from fiducial.judges import load_judge
from fiducial.judges.reply_verdicts import read_again
from fiducial.judges.transcript import transcript
from fiducial.records import Case, Episode, Output, Step, StepOutcome, ToolCall, ToolResults, Verdict

pytestmark = pytest.mark.attack("trajectories")

EVERY = {**ATTACKS, **STEP_ATTACKS}
SPEC = "first_wrong_step"
FIELDS = {"turn", "step", "asked", "agent", "call", "result", "recorded", "mismatch", "not_executed", "tools_added", "note"}  # fmt: skip
CUT = {f"{name}_{part}" for name in ("result", "recorded") for part in ("left_out", "end")}


def trajectory(text: str) -> tuple[Case, Output]:
    """Three steps with the text in every place that the judge is shown."""
    tool: dict[str, Any] = {"type": "function", "function": {"name": "book", "description": text, "parameters": {"properties": {text: {}}}}}  # fmt: skip
    asked: list[Any] = [[{"role": "system", "content": text}, {"role": "user", "content": text}]]
    case = make_case(kind="multi_turn", messages=asked, tools=[tool], reference={}, context=[])
    calls = [
        ToolCall(name=text, arguments={text: text, "k": [text, {text: None}]}),
        ToolCall(name="book", arguments=json.dumps({text: text}, ensure_ascii=False)),
        ToolCall(name="book", arguments=text),
    ]
    steps: list[Step] = [calls, ToolResults(results=[text, {text: text}, json.dumps([text])]), text, text]
    return case, Output(case_id=case.id, system="agent", turns=[steps])


def outcomes(text: str) -> Episode:
    """Other results than those recorded, and a step that could not be executed."""
    return [[StepOutcome([text] * 3, [text, f"not {text}"], text), StepOutcome(), StepOutcome(problem=text)]]


def lines_in(shown: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shown.split("\n")]


@pytest.mark.parametrize("replayed", [False, True], ids=["recorded", "replayed"])
def test_a_text_adds_no_line_no_step_and_no_field_to_the_transcript(replayed: bool):
    plain = lines_in(numbered("harmless", replayed=replayed))
    for name, attack in EVERY.items():
        shown = numbered(attack, replayed=replayed)
        found = [line for line in lines_in(shown) if "note" not in line]
        assert [{*line} - CUT for line in found] == [{*line} for line in plain], name
        assert {field for line in found for field in line} <= FIELDS | CUT, name
        assert [line.get("step") for line in found] == [None, None, 1, 1, 1, 2, 3], name
        # A model may see other line ends as such: no piece of a line looks like a line either.
        forged = set(shown.splitlines()) - set(shown.split("\n"))
        assert not [piece for piece in forged if is_line(piece)], name


def numbered(text: str, *, replayed: bool) -> str:
    return transcript(*trajectory(text), outcomes(text) if replayed else None, numbered=True)


def is_line(text: str) -> bool:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "turn" in value


def test_a_text_stays_in_the_message_and_between_the_fences(server: ProviderServer, judging: Judging):
    server.script = lambda _: Answer("<S1>why</S1><S2>2</S2>")
    items = [trajectory("harmless"), *map(trajectory, EVERY.values())]
    verdicts = judging(items, spec=SPEC, concurrency=1)
    assert {(verdict.score, verdict.evidence["step"]) for verdict in verdicts} == {(0.0, 2)}
    plain, *hostile = (seen for seen in server.seen if seen.attempt == 1)
    for name, seen in zip(EVERY, hostile, strict=True):
        assert [message["role"] for message in seen.messages] == ["system", "user"], name
        assert [{*message} for message in seen.messages] == [{"role", "content"}] * 2, name
        assert _outline(seen.text) == _outline(plain.text), name


def _outline(text: str) -> list[str]:
    """Return the lines with the fence's code, in order."""
    (code,) = set(re.findall(r"=== ([0-9a-f]{20}) begin transcript ===", text))
    return [line.replace(code, "#") for line in text.split("\n") if code in line]


def read(reply: str) -> Verdict:
    """Read a reply about three steps."""
    asked = Verdict(
        case_id="c",
        system="s",
        by=SPEC,
        source="judge",
        outcome="unparsable",
        raw=reply,
        evidence={"steps": 3},
    )
    return read_again(asked, load_judge(SPEC, model="judge"))


@pytest.mark.parametrize("reason", ["{}", "The agent wrote: {}", "`{}`", "<think>{}</think>"])
def test_a_text_that_the_judge_quotes_never_takes_the_place_of_its_answer(reason: str):
    for name, attack in EVERY.items():
        quoted = reason.format(attack.encode(errors="replace").decode())
        found = read(f"<S1>{quoted}</S1>\n<S2>3</S2>")
        assert found.outcome == "unparsable" or (found.score, found.evidence["step"]) == (0.0, 3), name


@each_row("step", ["4", "0004", "\u0663", "\uff13", "\u2462", "3\u200b", "3 or none", "none, 3", "non\u0435", "n\u200bone", "+none", "3e0", "0x3", "1_0", "-1", "inf", "nan", "true", "null", "[3]", "3/3", "third"])  # fmt: skip
def test_a_step_that_is_none_of_the_trajectory_is_unreadable(step: str):
    assert read(f"<S1>why</S1>\n<S2>{step}</S2>").outcome == "unparsable"


@each_row("end", ["\n", "\r", "\r\n", "\n\n", " \n", "\t\r\n"])
@each_row("start", ["", " ", "\n", "\r\n"])
def test_arguments_that_end_a_line_end_none_of_the_transcript(start: str, end: str):
    case, _ = trajectory("harmless")
    call = ToolCall(name="book", arguments=f'{start}{{"a": 1}}{end}')
    shown = transcript(case, Output(case_id=case.id, system="agent", turns=[[[call]]]), numbered=True)
    assert [line.get("step") for line in lines_in(shown)] == [None, None, 1]
    assert len(shown.splitlines()) == 3
