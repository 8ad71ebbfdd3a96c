"""Conversations as agent frameworks store them, in files and as agents return them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from each_row import each_row

import fiducial as fd
from fiducial.evaluation.generation.agent_answers import answer_fields
from fiducial.records import Case, ToolCall, ToolResults

SAMPLES = Path(__file__).parent / "frameworks"
ASKED = "What is the weather in Rome and Oslo for 2 days?"
SAID = "Rome has 21 degrees, Oslo has 7. ☀"
CALLS: list[tuple[str, Any]] = [
    ("get_weather", {"city": "Rome"}),
    ("get_weather", {"city": "Oslo", "days": 2}),
]
CASE = Case(id="c", kind="open_answer", messages=[{"role": "user", "content": ASKED}])


def made(call: ToolCall) -> tuple[str, Any]:
    given = call.arguments
    return call.name, json.loads(given) if isinstance(given, str) else given


def sample(name: str) -> Any:
    return json.loads(gzip.decompress((SAMPLES / f"{name}.parallel.json.gz").read_bytes()))


def smolagents() -> list[Any]:
    def step(number: int, calls: list[Any], observations: str | None) -> dict[str, Any]:
        return {"step_number": number, "tool_calls": calls, "error": None, "model_output_message": {"role": "assistant", "content": None, "tool_calls": calls}, "model_output": None, "observations": observations}  # fmt: skip

    def call(at: str, name: str, arguments: Any) -> dict[str, Any]:
        return {"id": at, "type": "function", "function": {"name": name, "arguments": arguments}}

    calls = [call(str(at), name, given) for at, (name, given) in enumerate(CALLS)]
    last = step(2, [call("9", "final_answer", {"answer": SAID})], SAID)
    return [{"task": ASKED, "task_images": None}, step(1, calls, "21\n7"), last]


def bedrock() -> list[Any]:
    calls = [{"toolUse": {"toolUseId": str(at), "name": name, "input": given}} for at, (name, given) in enumerate(CALLS)]  # fmt: skip
    results = [{"toolResult": {"toolUseId": str(at), "content": [{"text": str(at)}]}} for at in range(2)]
    return [
        {"role": "user", "content": [{"text": ASKED}]},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
        {"role": "assistant", "content": [{"text": SAID}]},
    ]


def haystack() -> list[Any]:
    calls = [{"tool_call": {"tool_name": name, "arguments": given, "id": str(at)}} for at, (name, given) in enumerate(CALLS)]  # fmt: skip
    results = [
        {"role": "tool", "content": [{"tool_call_result": {"result": str(at), "origin": each["tool_call"], "error": False}}]}
        for at, each in enumerate(calls)
    ]  # fmt: skip
    return [
        {"role": "user", "content": [{"text": ASKED}]},
        {"role": "assistant", "content": calls},
        *results,
        {"role": "assistant", "content": [{"text": SAID}]},
    ]


def anthropic() -> list[Any]:
    calls = [{"type": "tool_use", "id": str(at), "name": name, "input": given} for at, (name, given) in enumerate(CALLS)]  # fmt: skip
    results = [{"type": "tool_result", "tool_use_id": str(at), "content": str(at)} for at in range(2)]
    return [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
        {"role": "assistant", "content": [{"type": "text", "text": SAID}]},
    ]


def langchain() -> list[Any]:
    calls = [{"name": name, "args": given, "id": str(at), "type": "tool_call"} for at, (name, given) in enumerate(CALLS)]  # fmt: skip
    results = [{"type": "tool", "data": {"type": "tool", "content": "7", "tool_call_id": str(at)}} for at in range(2)]  # fmt: skip
    return [
        {"type": "human", "data": {"type": "human", "content": ASKED}},
        {"type": "ai", "data": {"type": "ai", "content": "", "tool_calls": calls}},
        *results,
        {"type": "ai", "data": {"type": "ai", "content": SAID, "tool_calls": []}},
    ]


def autogen() -> list[Any]:
    calls = [{"id": str(at), "name": name, "arguments": json.dumps(given)} for at, (name, given) in enumerate(CALLS)]  # fmt: skip
    results = [{"call_id": str(at), "name": "get_weather", "content": "7", "is_error": False} for at in range(2)]  # fmt: skip
    return [
        {"type": "TextMessage", "source": "user", "content": ASKED},
        {"type": "ToolCallRequestEvent", "source": "shop", "content": calls},
        {"type": "ToolCallExecutionEvent", "source": "shop", "content": results},
        {"type": "TextMessage", "source": "shop", "content": SAID},
    ]


FORMS: dict[str, Any] = {
    "pydantic-ai": sample("pydantic_ai"),
    "openai-agents": sample("openai_agents"),
    "llama-index": sample("llama_index"),
    "adk": sample("google_adk"),
    "smolagents": smolagents(),
    "bedrock": bedrock(),
    "anthropic": anthropic(),
    "langchain": langchain(),
    "autogen": autogen(),
    "haystack": haystack(),
}


@each_row("form", FORMS)
def test_a_stored_conversation_is_read_from_a_file(form: str, tmp_path: Path):
    path = tmp_path / "conversation.json"
    for held in (FORMS[form], [{"id": "a", "messages": FORMS[form]}]):
        path.write_text(json.dumps(held))
        found = fd.read(path)
        [output] = found.outputs
        assert (output.text, found.skipped) == (SAID, [])
        assert [made(call) for call in output.tool_calls or []] == CALLS
        if form != "adk":  # whose runner does not repeat the user's text
            assert [message["content"] for message in found.cases[0].turns[0] if message["role"] == "user"] == [ASKED]  # fmt: skip


@each_row("form", FORMS)
def test_an_agent_may_return_the_same_conversation(form: str):
    for answer in (FORMS[form], {"messages": FORMS[form]}, json.dumps(FORMS[form]).encode()):
        fields: dict[str, Any] = answer_fields(answer, CASE) or {}
        assert fields.get("text") == SAID
        calls: list[ToolCall] = fields.get("tool_calls") or []
        assert [made(call) for call in calls] == CALLS


def test_a_session_of_adk_holds_its_events_in_a_file_and_from_an_agent(tmp_path: Path):
    asked = {"author": "user", "content": {"role": "user", "parts": [{"text": ASKED}]}}
    session: dict[str, Any] = {"id": "s1", "app_name": "shop", "user_id": "u", "state": {}, "events": [asked, *FORMS["adk"]]}  # fmt: skip
    path = tmp_path / "session.json"
    path.write_text(json.dumps(session))
    found = fd.read(path)
    assert found.cases[0].messages == [{"role": "user", "content": ASKED}]
    assert (found.outputs[0].text, len(found.outputs[0].tool_calls or [])) == (SAID, 2)
    for answer in (session, {"chat_history": FORMS["llama-index"], "id": "s1"}):
        fields: dict[str, Any] = answer_fields(answer, CASE) or {}
        assert (fields["text"], len(fields["tool_calls"])) == (SAID, 2)


def test_a_step_of_smolagents_that_failed_has_its_error_as_result(tmp_path: Path):
    call = {"id": "1", "type": "function", "function": {"name": "book", "arguments": {"city": "Ghent"}}}
    step: dict[str, Any] = {"step_number": 1, "tool_calls": [], "error": {"type": "E", "message": "no rooms"}, "model_output_message": {"role": "assistant", "tool_calls": [call]}, "observations": None}  # fmt: skip
    path = tmp_path / "memory.json"
    path.write_text(json.dumps([{"task": "Book.", "task_images": None}, step]))
    [output] = fd.read(path).outputs
    [steps] = output.turns or [[]]
    assert steps[-1] == ToolResults(results=[{"error": "no rooms"}])


def test_calls_beside_a_message_of_langchain_are_read(tmp_path: Path):
    calls = [{"id": str(at), "type": "function", "function": {"name": name, "arguments": json.dumps(given)}} for at, (name, given) in enumerate(CALLS)]  # fmt: skip
    results = [{"role": "tool", "content": f"result {at}", "additional_kwargs": {"tool_call_id": str(at)}} for at in (1, 0)]  # fmt: skip
    asked = {"role": "user", "content": ASKED}
    making = {"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": calls}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps([{"id": "a", "messages": [asked, making, *results, {"role": "assistant", "content": SAID}]}]))  # fmt: skip
    (output,) = fd.read(path).outputs
    assert [made(call) for call in output.tool_calls or []] == CALLS
    assert (output.turns or [[]])[0][1] == ToolResults(results=["result 0", "result 1"])
