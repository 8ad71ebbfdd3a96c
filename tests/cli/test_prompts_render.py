from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command import fiducial

from fiducial.records import Case, Message, write_records


@pytest.fixture
def bfcl_case(tmp_path: Path) -> Path:
    tool: dict[str, Any] = {
        "type": "function",
        "function": {"name": "now", "parameters": {"type": "dict", "properties": {}, "required": []}},
    }
    question: list[Message | list[Message]] = [{"role": "user", "content": "What time is it?"}]
    case = Case(id="live_simple_0-0-0", kind="no_call", messages=question, tools=[tool])
    write_records(tmp_path / "bfcl.jsonl", [case])
    return tmp_path / "bfcl.jsonl"


def test_the_prompt_that_asks_an_agent_for_calls_can_be_seen(bfcl_case: Path):
    result = fiducial("prompts", "render", "bfcl", "--cases", bfcl_case, "--id", "live_simple_0-0-0")
    assert result.code == 0, result.err
    assert result.out.startswith("[system]\nYou are an expert in composing functions.")
    assert '"name": "now"' in result.out
    assert result.out.endswith("[user]\nWhat time is it?\n\n")


def test_a_judge_needs_an_output_too(bfcl_case: Path):
    result = fiducial("prompts", "render", "tool_call_accuracy", cases=bfcl_case, id="live_simple_0-0-0")
    assert (result.code, "--outputs is needed" in result.err) == (2, True)


def test_an_unknown_case_is_named(bfcl_case: Path):
    result = fiducial("prompts", "render", "bfcl", "--cases", bfcl_case, "--id", "nobody")
    assert (result.code, "there is no case 'nobody'" in result.err) == (2, True)
