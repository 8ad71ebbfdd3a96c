"""Traces that real frameworks wrote (``make frameworks``): one set of conversations.

A server that follows a script answered, so that questions, calls, results and answers are known.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from each_row import each_row

import fiducial as fd
from fiducial.formats.json_values import is_object, parsed
from fiducial.records import Output, Step, ToolCall, ToolResults

SAMPLES = Path(__file__).parent / "frameworks"

TRACES = ["anthropic", "google_adk", "google_adk_openinference", "langfuse", "langgraph", "llama_index", "mlflow", "openai_agents", "openllmetry", "pydantic_ai", "smolagents", "strands"]  # fmt: skip
STOPPED_BY_A_FAILED_TOOL = {"google_adk", "google_adk_openinference", "langgraph", "mlflow", "pydantic_ai"}
"""Frameworks that end the run if a tool raises an error."""

GUEST = 'Zoe "Z" O\'Neil'
NO_ROOMS = {"error": "no rooms left in Ghent"}


class Held(NamedTuple):
    """A conversation as it was held: the user's text, calls with results, and the last text."""

    asked: str
    steps: list[list[tuple[str, dict[str, Any], Any]]]
    said: str | None


def weather(city: str, celsius: int = 21, **more: Any) -> tuple[str, dict[str, Any], Any]:
    return "get_weather", {"city": city, **more}, {"city": city, "celsius": celsius}


HELD = [
    Held("What is the weather in Rome and Oslo for 2 days?", [[weather("Rome"), weather("Oslo", 7, days=2)]], "Rome has 21 degrees, Oslo has 7. ☀"),
    Held("Book 2 nights in Ghent for Zoe.", [[("book", {"city": "Ghent", "nights": 2, "guest": GUEST}, NO_ROOMS)]], "Sorry, the booking failed."),
    Held("Look up the weather in Lecce, then book a night there.", [[weather("Lecce")], [("book", {"city": "Lecce", "nights": 1, "guest": "Ann"}, "booked Lecce")]], "Lecce is booked."),
    Held("Hello there", [], "Hello! How can I help?"),
    Held("Explode, please.", [], None),
    Held("What is the weather in Pisa?", [[weather("Pisa")]], "Pisa has 21 degrees."),
    Held("And tomorrow in Rome?", [[weather("Rome", days=1)]], "Rome has 21 degrees tomorrow."),
]  # fmt: skip


def read(name: str) -> fd.Reading:
    found = fd.read(SAMPLES / f"{name}.jsonl.gz")
    if found.outputs[-1].error is not None:  # a failure whose span names no model comes after the others
        found.cases.insert(4, found.cases.pop())
        found.outputs.insert(4, found.outputs.pop())
    return found


def arguments(call: ToolCall) -> Any:
    return json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments


def result(value: Any) -> Any:
    """Return a result without what frameworks put around it."""
    inner = value.get("result", value) if is_object(value) else value
    value = parsed(inner)
    return NO_ROOMS if "no rooms left in Ghent" in str(value) else value


def steps(output: Output) -> list[list[tuple[str, Any, Any]]]:
    """Return the calls of an output, step by step, with their results."""
    found: list[list[tuple[str, Any, Any]]] = []
    turn: list[Step] = [step for each in output.turns or [] for step in each]
    for number, step in enumerate(turn):
        if isinstance(step, list):
            after = turn[number + 1] if number + 1 < len(turn) else None
            results = after.results if isinstance(after, ToolResults) else [None] * len(step)
            found.append(
                [(c.name, arguments(c), result(value)) for c, value in zip(step, results, strict=True)]
            )
    return found


@each_row("name", TRACES)
def test_the_same_conversations_are_read_from_the_traces_of_every_framework(name: str):
    found = read(name)
    assert found.skipped == []
    assert len(found.outputs) == len(found.cases) == len(HELD)
    for case, output, held in zip(found.cases, found.outputs, HELD, strict=True):
        last_turn = case.turns[-1] if case.turns else []
        users = [str(message["content"]) for message in last_turn if message["role"] == "user"]
        failed = held.said is None or (held.steps[:1] == HELD[1].steps and name in STOPPED_BY_A_FAILED_TOOL)
        if users or name != "openai_agents":  # whose failed requests record no messages
            assert users[-1].removeprefix("New task:\n") == held.asked
        assert (output.text, output.error is not None) == (None if failed else held.said, failed)
        assert [(call.name, arguments(call)) for call in output.tool_calls or []] == [
            (call, given) for step in held.steps for call, given, _ in step
        ]
        if name == "openai_agents" and held is HELD[1]:
            assert "error" in steps(output)[0][0][2]  # its tracing hides the words
        else:
            assert steps(output) == held.steps


@each_row("name", TRACES)
def test_a_failed_request_belongs_to_the_system_of_the_others(name: str):
    assert len({output.system for output in read(name).outputs}) == 1


@each_row("name", sorted({*TRACES} - {"mlflow"}))
def test_turns_of_one_session_are_one_cluster(name: str):
    clusters = [case.cluster for case in read(name).cases]
    assert clusters[-1] == clusters[-2]
    assert len({*clusters}) == len(HELD) - 1
