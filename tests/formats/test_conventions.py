"""One conversation, written in every convention of traces, is read alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fiducial as fd
from fiducial.formats.json_values import is_list, is_object, parsed
from fiducial.records import Output, ToolResults

TEXTS = st.text(st.sampled_from('abé☀ "\\\n{[1'), min_size=1, max_size=8).map(lambda text: f"x{text}x")
VALUES = st.one_of(TEXTS, st.integers(-9, 9), st.booleans(), st.lists(st.integers(0, 9), max_size=2))
ARGUMENTS = st.dictionaries(st.sampled_from(["city", "days", "note"]), VALUES, max_size=3)


class Asked(NamedTuple):
    """A call and its result."""

    id: str
    name: str
    arguments: dict[str, Any]
    result: str

    def chat(self) -> dict[str, Any]:
        """Return the call in the chat API's form."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": json.dumps(self.arguments)}}  # fmt: skip


class Talk(NamedTuple):
    """A conversation: a question, steps of calls, and an answer."""

    question: str
    steps: list[list[Asked]]
    answer: str

    def requests(self) -> Iterator[tuple[list[dict[str, Any]], dict[str, Any], list[Asked]]]:
        """Yield each request, its reply, and the calls that follow."""
        messages: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": self.question}]  # fmt: skip
        for step in self.steps:
            reply = {"role": "assistant", "content": None, "tool_calls": [asked.chat() for asked in step]}
            yield messages, reply, step
            results = [{"role": "tool", "tool_call_id": asked.id, "content": asked.result} for asked in step]
            messages = [*messages, reply, *results]
        yield messages, {"role": "assistant", "content": self.answer}, []


@st.composite
def talks(draw: st.DrawFn) -> Talk:
    """Return conversations with up to three steps of up to three calls."""
    number = iter(range(100))

    def asked(name: str, arguments: dict[str, Any], result: str) -> Asked:
        return Asked(f"call_{next(number)}", name, arguments, result)

    call = st.builds(asked, st.sampled_from(["get_weather", "book"]), ARGUMENTS, TEXTS)
    steps = draw(st.lists(st.lists(call, min_size=1, max_size=3), max_size=3))
    return Talk(draw(TEXTS), steps, draw(TEXTS))


TRACE = "0af7651916cd43dd8448eb211c80319c"

Written = list[dict[str, Any]]


def spans(
    talk: Talk,
    root: Callable[[Talk], dict[str, Any]],
    model: Callable[[Any, Any], tuple[dict[str, Any], list[Any]]],
    tool: Callable[[Asked], dict[str, Any]] | None = None,
) -> Written:
    """Return a trace as spans of the SDK: a root, models, and tools unless they are not traced."""
    times, written = iter(range(100, 999)), list[dict[str, Any]]()

    def add(attributes: dict[str, Any], events: Iterable[Any] = ()) -> None:
        number = next(times)
        written.append({
            "name": "step",
            "context": {"trace_id": TRACE, "span_id": f"{number:016x}"},
            "parent_id": None if not written else f"{100:016x}",
            "start_time": str(number),
            "attributes": {key: value for key, value in attributes.items() if value is not None},
            "events": list(events),
        })  # fmt: skip

    add(root(talk))
    for messages, reply, step in talk.requests():
        add(*model(messages, reply))
        if tool is not None:
            for asked in step:
                add(tool(asked))
    return written


def flat(prefix: str, value: Any) -> dict[str, Any]:
    """Return a value as attributes, numbered by index."""
    if is_object(value) or is_list(value):
        pairs: Iterable[tuple[Any, Any]] = value.items() if is_object(value) else enumerate(value)
        return {k: v for name, inner in pairs for k, v in flat(f"{prefix}.{name}", inner).items()}
    return {} if value is None else {prefix: value}


def openinference_message(message: dict[str, Any]) -> dict[str, Any]:
    calls = [{"tool_call": {"id": each["id"], "function": each["function"]}} for each in message.get("tool_calls", [])]  # fmt: skip
    return {"message": {**message, "tool_calls": calls or None}}


def openinference(talk: Talk) -> Written:
    def model(messages: Any, reply: Any) -> tuple[dict[str, Any], list[Any]]:
        asked = flat("llm.input_messages", [*map(openinference_message, messages)])
        return {"openinference.span.kind": "LLM", "llm.model_name": "m", **asked, **flat("llm.output_messages", [openinference_message(reply)])}, []  # fmt: skip

    def tool(call: Asked) -> dict[str, Any]:
        given: dict[str, Any] = {"args": [], "kwargs": call.arguments}
        return {"openinference.span.kind": "TOOL", "tool.name": call.name, "input.value": json.dumps(given), "output.value": call.result, "output.mime_type": "text/plain"}  # fmt: skip

    def root(talk: Talk) -> dict[str, Any]:
        state = json.dumps({"messages": [{"role": "user", "content": talk.question}], "step": 3})
        return {"openinference.span.kind": "CHAIN", "input.value": state, "output.value": json.dumps({"step": 4, "todo": ["x"]})}  # fmt: skip

    return spans(talk, root, model, tool)


def payloads(talk: Talk) -> Written:
    """OpenInference with requests and replies alone."""

    def model(messages: Any, reply: Any) -> tuple[dict[str, Any], list[Any]]:
        request, response = {"model": "m", "messages": messages}, {"model": "m", "choices": [{"index": 0, "message": reply}]}  # fmt: skip
        return {"openinference.span.kind": "LLM", "input.value": json.dumps(request), "output.value": json.dumps(response)}, []  # fmt: skip

    return spans(talk, lambda _: {"openinference.span.kind": "AGENT"}, model)


def genai_message(message: dict[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        parts = [{"type": "tool_call_response", "id": message["tool_call_id"], "response": message["content"]}]  # fmt: skip
    else:
        parts = [] if message["content"] is None else [{"type": "text", "content": message["content"]}]
        parts += [{"type": "tool_call", "id": each["id"], "name": each["function"]["name"], "arguments": json.loads(each["function"]["arguments"])} for each in message.get("tool_calls", [])]  # fmt: skip
    return {"role": message["role"], "parts": parts}


def genai(talk: Talk) -> Written:
    def model(messages: Any, reply: Any) -> tuple[dict[str, Any], list[Any]]:
        written = {side: json.dumps([*map(genai_message, of)]) for side, of in (("input", messages), ("output", [reply]))}  # fmt: skip
        return {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": written["input"], "gen_ai.output.messages": written["output"]}, []  # fmt: skip

    def tool(call: Asked) -> dict[str, Any]:
        return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call.name, "gen_ai.tool.call.id": call.id, "gen_ai.tool.call.arguments": json.dumps(call.arguments | {"bound": None}), "gen_ai.tool.call.result": call.result}  # fmt: skip

    return spans(talk, lambda _: {"gen_ai.operation.name": "invoke_agent"}, model, tool)


def genai_without_tools(talk: Talk) -> Written:
    return [each for each in genai(talk) if "gen_ai.tool.name" not in each["attributes"]]


def events(talk: Talk) -> Written:
    def model(messages: Any, reply: Any) -> tuple[dict[str, Any], list[Any]]:
        def event(message: dict[str, Any]) -> dict[str, Any]:
            fields = {"content": message["content"], "id": message.get("tool_call_id"), "tool_calls": json.dumps(message["tool_calls"]) if "tool_calls" in message else None}  # fmt: skip
            return {"name": f"gen_ai.{message['role']}.message", "attributes": {key: value for key, value in fields.items() if value is not None}}  # fmt: skip

        choice = {"name": "gen_ai.choice", "attributes": {"index": 0, "message": json.dumps(reply)}}
        return {"gen_ai.system": "x", "gen_ai.request.model": "m"}, [*map(event, messages), choice]

    return spans(talk, lambda _: {}, model)


def openllmetry(talk: Talk) -> Written:
    def plain(message: dict[str, Any]) -> dict[str, Any]:
        calls = [{"id": each["id"], **each["function"]} for each in message.get("tool_calls", [])]
        return {**message, "tool_calls": calls or None}

    def model(messages: Any, reply: Any) -> tuple[dict[str, Any], list[Any]]:
        return {"llm.request.type": "chat", "gen_ai.request.model": "m", **flat("gen_ai.prompt", [*map(plain, messages)]), **flat("gen_ai.completion", [plain(reply)])}, []  # fmt: skip

    def tool(call: Asked) -> dict[str, Any]:
        given = json.dumps({"args": [], "kwargs": call.arguments})
        return {"traceloop.span.kind": "tool", "traceloop.entity.name": call.name, "traceloop.entity.input": given, "traceloop.entity.output": json.dumps(call.result)}  # fmt: skip

    return spans(talk, lambda talk: {"traceloop.span.kind": "workflow", "traceloop.entity.input": json.dumps({"args": [talk.question], "kwargs": {}})}, model, tool)  # fmt: skip


def langfuse(talk: Talk) -> Written:
    def model(messages: Any, reply: Any) -> tuple[dict[str, Any], list[Any]]:
        return {"langfuse.observation.type": "generation", "langfuse.observation.model.name": "m", "langfuse.observation.input": json.dumps(messages), "langfuse.observation.output": json.dumps(reply)}, []  # fmt: skip

    return spans(talk, lambda _: {"langfuse.observation.type": "span"}, model)


def logfire(talk: Talk) -> Written:
    def model(messages: Any, reply: Any) -> tuple[dict[str, Any], list[Any]]:
        return {"gen_ai.request.model": "m", "request_data": json.dumps({"model": "m", "messages": messages}), "response_data": json.dumps({"message": reply, "usage": {}})}, []  # fmt: skip

    return spans(talk, lambda _: {}, model)


def vercel(talk: Talk) -> Written:
    def part(message: dict[str, Any]) -> dict[str, Any]:
        if message["role"] == "tool":
            parts = [{"type": "tool-result", "toolCallId": message["tool_call_id"], "toolName": "f", "result": message["content"]}]  # fmt: skip
        elif "tool_calls" in message:
            parts = [{"type": "tool-call", "toolCallId": each["id"], "toolName": each["function"]["name"], "args": json.loads(each["function"]["arguments"])} for each in message["tool_calls"]]  # fmt: skip
        else:
            parts = message["content"]
        return {"role": message["role"], "content": parts}

    def model(messages: Any, reply: Any) -> tuple[dict[str, Any], list[Any]]:
        calls = [{"toolCallId": each["id"], "toolName": each["function"]["name"], "args": each["function"]["arguments"]} for each in reply.get("tool_calls", [])]  # fmt: skip
        return {"ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m", "ai.prompt.messages": json.dumps([*map(part, messages)]), "ai.response.text": reply["content"], "ai.response.toolCalls": json.dumps(calls) if calls else None}, []  # fmt: skip

    def tool(call: Asked) -> dict[str, Any]:
        return {"ai.operationId": "ai.toolCall", "ai.toolCall.name": call.name, "ai.toolCall.id": call.id, "ai.toolCall.args": json.dumps(call.arguments), "ai.toolCall.result": json.dumps(call.result)}  # fmt: skip

    return spans(talk, lambda talk: {"ai.operationId": "ai.generateText", "ai.response.text": talk.answer}, model, tool)  # fmt: skip


def in_langfuse(talk: Talk) -> Written:
    """Observations of Langfuse's API."""
    written: Written = [{"id": "r", "traceId": "t", "type": "AGENT", "name": "a", "startTime": "100", "input": {"args": [talk.question], "kwargs": {}}, "output": None}]  # fmt: skip
    for messages, reply, step in talk.requests():
        written.append({"id": f"o{len(written)}", "traceId": "t", "parentObservationId": "r", "type": "GENERATION", "model": "m", "startTime": str(100 + len(written)), "input": {"messages": messages}, "output": reply})  # fmt: skip
        for asked in step:
            written.append({"id": f"o{len(written)}", "traceId": "t", "parentObservationId": "r", "type": "TOOL", "name": asked.name, "startTime": str(100 + len(written)), "input": {"args": [], "kwargs": asked.arguments}, "output": asked.result})  # fmt: skip
    return written


def in_mlflow(talk: Talk) -> Written:
    pieces = [{"span_id": "r", "name": "a", "start_time_unix_nano": 100, "attributes": {"mlflow.spanType": '"AGENT"', "mlflow.spanInputs": json.dumps({"question": talk.question})}}]  # fmt: skip
    for messages, reply, _ in talk.requests():
        attributes = {"mlflow.spanType": '"CHAT_MODEL"', "mlflow.spanInputs": json.dumps({"messages": messages}), "mlflow.spanOutputs": json.dumps({"choices": [{"message": reply}]})}  # fmt: skip
        pieces.append({"span_id": f"o{len(pieces)}", "parent_span_id": "r", "name": "m", "start_time_unix_nano": 100 + len(pieces), "attributes": attributes})  # fmt: skip
    return [{"info": {"trace_id": "t"}, "data": {"spans": pieces}}]


def in_langsmith(talk: Talk) -> Written:
    written: Written = [{"id": "r", "trace_id": "r", "run_type": "chain", "name": "a", "start_time": "100", "inputs": {"input": talk.question}, "outputs": {"step": 1, "state": []}}]  # fmt: skip
    for messages, reply, step in talk.requests():
        written.append({"id": f"o{len(written)}", "trace_id": "r", "parent_run_id": "r", "run_type": "llm", "name": "m", "start_time": str(100 + len(written)), "inputs": {"messages": messages}, "outputs": {"choices": [{"message": reply}]}})  # fmt: skip
        for asked in step:
            written.append({"id": f"o{len(written)}", "trace_id": "r", "parent_run_id": "r", "run_type": "tool", "name": asked.name, "start_time": str(100 + len(written)), "inputs": asked.arguments, "outputs": {"output": asked.result}})  # fmt: skip
    return written


CONVENTIONS: list[Callable[[Talk], Written]] = [openinference, payloads, genai, genai_without_tools, events, openllmetry, langfuse, logfire, vercel, in_langfuse, in_mlflow, in_langsmith]  # fmt: skip


def content(output: Output) -> list[Any]:
    """Return the steps of an output, with arguments as objects."""
    steps: list[Any] = [each for turn in output.turns or [] for each in turn]
    if not steps and output.tool_calls:
        steps = [output.tool_calls]
    if not steps:
        return [output.text]
    return [
        [(call.name, parsed(call.arguments)) for call in step]
        if is_list(step)
        else step.results
        if isinstance(step, ToolResults)
        else step
        for step in steps
    ]


@pytest.mark.parametrize("convention", CONVENTIONS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(talk=talks())
def test_every_convention_tells_the_same_conversation(
    convention: Callable[[Talk], Written], talk: Talk, tmp_path: Path
):
    path = tmp_path / "trace.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in convention(talk)))
    found = fd.read(path)
    assert found.skipped == []
    [case], [output] = found.cases, found.outputs
    asked = [message for message in case.turns[0] if message["role"] == "user"]
    assert asked == [{"role": "user", "content": talk.question}]
    wanted: list[Any] = []
    for step in talk.steps:
        wanted += [[(each.name, each.arguments) for each in step], [parsed(each.result) for each in step]]
    assert content(output) == [*wanted, talk.answer]
