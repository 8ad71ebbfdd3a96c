"""Rows of other tools' judges from recorded replies, or the reason why there are none."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from scripts import script

from fiducial.errors import InputError
from fiducial.judges.transport.exchange import Reply

script("benchmarks/tool_requests.py")
evidence_tools = script("benchmarks/evidence_tools.py")
rounds: Any = import_module("tool_judges.asked_rounds")
known: Any = import_module("tool_judges.known_replies")
drawn: Any = import_module("tool_judges.drawn_outputs")
decisions: Any = import_module("tool_judges.decision_asking")
scripted: Any = import_module("tool_judges.scripted_replies")
TOOLS: Any = import_module("tool_judges.tool_list").TOOLS

GEVAL = TOOLS["deepeval"].judges[0]


def test_without_a_recording_every_judge_has_a_row_that_says_so(tmp_path: Path):
    lines = list(evidence_tools.tools_section(tmp_path))
    rows = [line for line in lines if line.endswith("|  |  |  |")]
    assert len(rows) == sum(len(tool.judges) for tool in TOOLS.values())
    assert all("| not yet asked |" in row for row in rows)


def graded(plants: str, passed: bool | None) -> Any:
    item = next(draw_item for draw_item in drawn.draw_items(TOOLS["deepeval"]) if draw_item.judge == "GEval")
    return evidence_tools.ToolGrade(item._replace(drawn=item.drawn._replace(plants=plants)), passed)


def test_what_has_no_score_is_in_no_share():
    found = [graded("fault", False), graded("fault", None), graded("twin", True), graded("attack", True)]
    n, caught, rejected, attacks = evidence_tools.shares(found, GEVAL)
    assert n == "4 (1 without a score)"
    assert (caught.split()[0], rejected.split()[0], attacks.split()[0]) == ("1.000", "0.000", "1.000")
    assert (caught[-6:], rejected[-6:]) == (" (n 1)", " (n 1)")


def test_a_share_of_nothing_is_no_number():
    assert evidence_tools.shares([], GEVAL) == ("0", "-", "-", "-")


def tool_of(number: int) -> Any:
    """Return decision models with few items: one judge with ``number`` outputs."""
    tool = TOOLS["decisions"]._replace(judges=TOOLS["decisions"].judges[2:3])
    return tool, drawn.draw_items(tool, number)


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that records replies about two outputs, and the tool."""
    tool, items = tool_of(2)

    def draw(_: object) -> Any:
        return items

    monkeypatch.setattr(evidence_tools, "draw_items", draw)
    ask = partial(decisions.ask_decisions, items)

    def record(served_by: str, most: int | None = None) -> Any:
        waiting = rounds.play_rounds(tool.name, ask, known.KnownReplies(), tmp_path, model="claude")
        requests = waiting.rounds[0].requests[:most]
        text = '{"settles": {"p": 0.9}, "matches": {"p": 0.9}}'
        replies = {request.key: Reply(text=text, served_by=served_by) for request in requests}
        known.write_replies(requests, replies, tmp_path / "tools-decisions.jsonl")
        return tool

    return record


def rows(tool: Any, folder: Path) -> list[Any]:
    return list(evidence_tools.tool_rows(tool, folder, folder))


def test_a_recording_of_a_real_model_gives_the_row(recording: Any, tmp_path: Path):
    [row] = rows(recording("jev-1.13.0"), tmp_path)
    assert row[0] == "decisions memory_answer/decision"
    assert row[3:] == ("2", "0.000 [0.000, 0.793] (n 1)", "0.000 [0.000, 0.793] (n 1)", "-")


def test_a_recording_that_leaves_requests_open_gives_no_numbers(recording: Any, tmp_path: Path):
    [row] = rows(recording("jev-1.13.0", most=1), tmp_path)
    assert row[3:] == ("round 1 waits for 1 reply", "", "", "")


def test_a_scripted_models_replies_are_refused(recording: Any, tmp_path: Path):
    with pytest.raises(InputError, match="no evidence"):
        rows(recording(scripted.SCRIPTED), tmp_path)
