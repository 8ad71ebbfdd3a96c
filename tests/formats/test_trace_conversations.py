"""Conversations of traces: turns, tools, models inside models, and printed spans."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from otlp_spans import CHILD, ROOT, TRACE, Read, otlp, reader_in, span

import fiducial as fd
from fiducial.errors import InputError
from fiducial.records import ToolCall, ToolResults


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return reader_in(tmp_path)


def chat_span(number: int, parent: str, asked: list[Any], said: str) -> dict[str, Any]:
    done = [{"role": "assistant", "content": said}]
    chat = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(asked), "gen_ai.output.messages": json.dumps(done)}  # fmt: skip
    return span(chat, spanId=f"{number:016x}", parentSpanId=parent, startTimeUnixNano=str(number))


FIRST = [{"role": "user", "content": "Where?"}]
SECOND = [*FIRST, {"role": "assistant", "content": "Rome"}, {"role": "user", "content": "When?"}]


def test_two_turns_in_one_trace_are_one_conversation(read: Read):
    runs = [{"gen_ai.operation.name": "invoke_agent"}, {"gen_ai.operation.name": "invoke_agent"}]
    agents = [span(run, spanId=f"{at:016x}", parentSpanId=ROOT, startTimeUnixNano=str(at)) for at, run in zip((10, 20), runs, strict=True)]  # fmt: skip
    found = read(otlp(span({}), *agents, chat_span(11, f"{10:016x}", FIRST, "Rome"), chat_span(21, f"{20:016x}", SECOND, "Now")))  # fmt: skip
    assert found.cases[0].turns == [FIRST, SECOND[-1:]]
    assert (found.outputs[0].turns, found.outputs[0].text) == ([["Rome"], ["Now"]], "Now")


def test_what_a_program_says_as_the_user_in_one_run_is_no_turn(read: Read):
    agent = span({"gen_ai.operation.name": "invoke_agent"})
    found = read(otlp(agent, chat_span(11, ROOT, FIRST, "Rome"), chat_span(21, ROOT, SECOND, "Now")))
    assert found.cases[0].turns == [FIRST]
    assert (found.outputs[0].turns, found.outputs[0].text) == ([["Rome", "Now"]], "Now")


def test_a_model_inside_another_is_the_same_call(read: Read):
    found = read(otlp(chat_span(1, "", FIRST, "Rome"), chat_span(2, f"{1:016x}", FIRST, "Rome")))
    assert (found.outputs[0].text, found.outputs[0].turns) == ("Rome", None)


BOOKED = [[[ToolCall(name="book", arguments={"city": "Rome"})], ToolResults(results=["booked"])]]


def test_a_tool_that_no_model_asked_for_is_no_call(read: Read):
    tool = span({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "log", "gen_ai.tool.call.arguments": "{}"}, spanId=CHILD, parentSpanId=ROOT, startTimeUnixNano="2")  # fmt: skip
    root = span({"gen_ai.operation.name": "invoke_agent"})
    assert read(otlp(root, chat_span(3, ROOT, FIRST, "Rome"), tool)).outputs[0].tool_calls is None
    merged = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)"}
    alone = read(otlp(root, tool, span(merged, spanId=f"{9:016x}", parentSpanId=ROOT)))
    assert [call.name for call in alone.outputs[0].tool_calls or []] == ["log"]


def indented(line: Any) -> str:
    return json.dumps(line, indent=4)


@each_row("printed", [indented, json.dumps])
@each_row("name", ["spans.json", "spans.jsonl"])
def test_spans_that_are_printed_one_after_the_other_are_read(
    printed: Callable[[Any], str], name: str, tmp_path: Path
):
    lines = [{"name": "chat", "context": {"trace_id": TRACE[:-1] + str(at), "span_id": ROOT}, "attributes": {"gen_ai.prompt": "Hi", "gen_ai.completion": "Hello"}} for at in range(3)]  # fmt: skip
    path = tmp_path / name
    path.write_text("\n".join(map(printed, lines)) + "\n")
    found = fd.read(path)
    assert ([output.text for output in found.outputs], found.skipped) == (["Hello"] * 3, [])


def test_a_file_that_breaks_off_among_printed_spans_is_refused(tmp_path: Path):
    path = tmp_path / "spans.json"
    path.write_text('{\n "name": "a",\n "attributes": {}\n}\n{\n "name"')
    with pytest.raises(InputError, match="not JSON"):
        fd.read(path)


def test_a_crew_that_records_no_model_tells_its_tasks_and_its_text(read: Read):
    crew = {
        "openinference.span.kind": "CHAIN",
        "crew_tasks": json.dumps([{"description": "Where?", "expected_output": "A city."}]),
        "output.value": json.dumps({"raw": "Rome", "tasks_output": [{"description": "Where?"}], "json_dict": None}),
        "output.mime_type": "application/json",
    }  # fmt: skip
    found = read(otlp(span(crew)))
    assert (found.cases[0].messages, found.outputs[0].text) == ([{"role": "user", "content": "Where?"}], "Rome")  # fmt: skip


def test_a_tool_that_is_recorded_twice_is_one_call(read: Read):
    def tool(at: int, parent: str) -> dict[str, Any]:
        called = {"openinference.span.kind": "TOOL", "tool.name": "f", "input.value": '{"x": 1}', "output.value": "1"}  # fmt: skip
        return span(called, spanId=f"{at:016x}", parentSpanId=parent, startTimeUnixNano=str(at))

    root = span({"openinference.span.kind": "AGENT", "output.value": "Done."})
    [output] = read(otlp(root, tool(2, ROOT), tool(3, f"{2:016x}"), tool(4, ROOT))).outputs
    assert output.tool_calls == [ToolCall(name="f", arguments={"x": 1})] * 2


@each_row(
    ("scope", "provider", "switch"),
    [
        ("opentelemetry.instrumentation.openai.v1", "openai", "TRACELOOP_TRACE_CONTENT=true"),
        ("opentelemetry.instrumentation.openai_v2", "openai", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
        ("pydantic-ai", "openai", "include_content=True"),
        ("agent_framework", "openai", "ENABLE_SENSITIVE_DATA=true"),
        ("", "microsoft.agent_framework", "ENABLE_SENSITIVE_DATA=true"),
        ("", "openai", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
    ],
)  # fmt: skip
def test_what_was_not_recorded_is_listed_with_the_setting_of_its_instrumentation(
    read: Read, scope: str, provider: str, switch: str
):
    chat = span({"gen_ai.operation.name": "chat", "gen_ai.provider.name": provider})
    line = {"resourceSpans": [{"scopeSpans": [{"scope": {"name": scope}, "spans": [chat]}]}]}
    [skipped] = read(line).skipped
    assert switch in skipped.reason


def test_instructions_in_an_event_of_their_own_belong_to_the_question(read: Read):
    def details(**fields: Any) -> dict[str, Any]:
        typed = [{"key": f"gen_ai.{key}", "value": {"stringValue": json.dumps(value)}} for key, value in fields.items()]  # fmt: skip
        return {"name": "gen_ai.client.inference.operation.details", "attributes": typed}

    told = details(system_instructions=[{"type": "text", "content": "Be brief."}])
    asked = details(**{"input.messages": FIRST})
    said = details(**{"output.messages": [{"role": "assistant", "content": "Rome"}]})
    for events in ([told, asked, said], [asked, told, said]):
        found = read(otlp(span({"gen_ai.operation.name": "chat"}, events=events)))
        assert found.cases[0].messages == [{"role": "system", "content": "Be brief."}, *FIRST]
        assert found.outputs[0].text == "Rome"


def tool_span(number: int, parent: str, given: dict[str, Any], returned: str | None, **fields: Any) -> dict[str, Any]:  # fmt: skip
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "book", "gen_ai.tool.call.arguments": json.dumps(given)}  # fmt: skip
    if returned is not None:
        attributes["gen_ai.tool.call.result"] = returned
    held = {**attributes, **fields.pop("attributes", {})}
    return span(held, spanId=f"{number:016x}", parentSpanId=parent, startTimeUnixNano=str(number), **fields)


def asking_span(number: int, parent: str, *calls: dict[str, Any]) -> dict[str, Any]:
    parts = [{"type": "tool_call", "name": "book", **call} for call in calls]
    done = [{"role": "assistant", "parts": parts}]
    chat = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(FIRST), "gen_ai.output.messages": json.dumps(done)}  # fmt: skip
    return span(chat, spanId=f"{number:016x}", parentSpanId=parent, startTimeUnixNano=str(number))


def test_a_tool_that_no_model_asked_for_is_listed_and_is_no_call(read: Read):
    asked = asking_span(2, ROOT, {"id": "a", "arguments": {"city": "Rome"}})
    ran = tool_span(3, ROOT, {"city": "Rome"}, "booked")
    again = tool_span(4, f"{3:016x}", {"city": "Rome"}, "booked")  # the same, by a second instrumentation
    found = read(otlp(span({"gen_ai.operation.name": "invoke_agent"}), asked, ran, again, tool_span(5, ROOT, {"city": "Oslo"}, "booked")))  # fmt: skip
    assert found.outputs[0].turns == BOOKED
    assert [skipped.field for skipped in found.skipped] == ["tool_calls"]
    assert "'book'" in found.skipped[0].reason


def test_a_call_that_was_run_again_has_the_last_result(read: Read):
    asked = asking_span(2, ROOT, {"id": "a", "arguments": {"city": "Rome"}})
    identity = {"attributes": {"gen_ai.tool.call.id": "a"}}
    failed = tool_span(3, ROOT, {"city": "Rome"}, None, status={"code": 2, "message": "busy"}, **identity)
    found = read(otlp(span({"gen_ai.operation.name": "invoke_agent"}), asked, failed, tool_span(4, ROOT, {"city": "Rome"}, "booked", **identity)))  # fmt: skip
    assert found.outputs[0].turns == BOOKED
    assert found.skipped == []


def test_a_trace_of_a_tool_alone_is_no_case(read: Read):
    chat = chat_span(1, "", FIRST, "Rome") | {"traceId": "f" * 32}
    found = read(otlp(chat, tool_span(2, "", {"city": "Rome"}, "booked")))
    assert [case.messages for case in found.cases] == [FIRST]
    assert [skipped.field for skipped in found.skipped] == ["trace_id"]


def test_instructions_that_only_the_agent_has_come_before_the_question(read: Read):
    told = json.dumps([{"type": "text", "content": "Be brief."}])
    agent = span({"gen_ai.operation.name": "invoke_agent", "gen_ai.system_instructions": told})
    found = read(otlp(agent, chat_span(2, ROOT, FIRST, "Rome")))
    assert [message["role"] for message in found.cases[0].turns[0]] == ["system", "user"]


def oi_chat(number: int, parent: str, asked: list[Any], said: dict[str, Any]) -> dict[str, Any]:
    chat = {"openinference.span.kind": "LLM", "input.value": json.dumps({"model": "m", "messages": asked}), "output.value": json.dumps({"choices": [{"message": said}]})}  # fmt: skip
    return span(chat, spanId=f"{number:016x}", parentSpanId=parent, startTimeUnixNano=str(number))


def oi_tool(number: int, parent: str, name: str, given: str, **held: str) -> dict[str, Any]:
    attributes = {"openinference.span.kind": "TOOL", "tool.name": name, "input.value": given} | (
        {"output.value": held["said"]} if "said" in held else {}
    )
    status = {"status": {"code": 2, "message": held["error"]}} if "error" in held else {}
    return span(attributes, spanId=f"{number:016x}", parentSpanId=parent, startTimeUnixNano=str(number), **status)  # fmt: skip


def asking(*calls: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    made = [{"id": identity, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}} for identity, name, given in calls]  # fmt: skip
    return {"role": "assistant", "content": None, "tool_calls": made}


AGENT = span({"openinference.span.kind": "AGENT"})
DONE = {"role": "assistant", "content": "done"}


def call(name: str, **given: Any) -> ToolCall:
    return ToolCall(name=name, arguments=json.dumps(given))


def test_an_agent_that_another_calls_as_a_tool_is_the_tools_work(read: Read):
    asked = [{"role": "user", "content": "Where does the pope live?"}]
    expert = span({"openinference.span.kind": "AGENT", "input.value": "Italy?"}, spanId=f"{4:016x}", parentSpanId=f"{3:016x}", startTimeUnixNano="4")  # fmt: skip
    found = read(otlp(
        AGENT,
        oi_chat(2, ROOT, asked, asking(("a", "expert", {"q": "Italy?"}))),
        oi_tool(3, ROOT, "expert", '{"q": "Italy?"}', said="Rome"),
        expert,
        oi_chat(5, f"{4:016x}", [{"role": "user", "content": "Italy?"}], asking(("z", "look", {"k": 1}))),
        oi_tool(6, f"{4:016x}", "look", '{"k": 1}', said="Rome"),
        oi_chat(7, ROOT, asked, DONE),
    ))  # fmt: skip
    assert found.cases[0].messages == asked
    assert found.outputs[0].turns == [[[call("expert", q="Italy?")], ToolResults(results=["Rome"]), "done"]]
    assert [skipped.field for skipped in found.skipped] == ["spans"]


def test_a_tool_that_failed_and_ran_again_without_an_id_has_the_last_result(read: Read):
    failed, ran = oi_tool(3, ROOT, "f", '{"x": 1}', error="busy"), oi_tool(4, ROOT, "f", '{"x": 1}', said="ok")  # fmt: skip
    found = read(otlp(AGENT, oi_chat(2, ROOT, FIRST, asking(("a", "f", {"x": 1}))), failed, ran, oi_chat(5, ROOT, FIRST, DONE)))  # fmt: skip
    assert found.outputs[0].turns == [[[call("f", x=1)], ToolResults(results=["ok"]), "done"]]
    assert found.skipped == []


def test_arguments_that_python_printed_find_their_call(read: Read):
    asked = oi_chat(2, ROOT, FIRST, asking(("a", "f", {"x": "1"}), ("b", "f", {"x": "2"})))
    second, first = (oi_tool(at, ROOT, "f", str({"x": x}), said=x) for at, x in ((3, "two"), (4, "1")))
    second["attributes"][2]["value"] = {"stringValue": "{'x': '2'}"}
    found = read(otlp(AGENT, asked, second, first, oi_chat(5, ROOT, FIRST, DONE)))
    assert found.outputs[0].turns == [[[call("f", x="1"), call("f", x="2")], ToolResults(results=["1", "two"]), "done"]]  # fmt: skip


def test_ids_that_each_reply_gives_again_name_the_call_of_that_reply(read: Read):
    one, two = asking(("call_0", "f", {"x": 1})), asking(("call_0", "f", {"x": 2}))
    told = [{"role": "tool", "tool_call_id": "call_0", "content": literal} for literal in ("one", "two")]
    found = read(otlp(
        AGENT,
        oi_chat(2, ROOT, FIRST, one),
        oi_chat(3, ROOT, [*FIRST, one, told[0]], two),
        oi_chat(4, ROOT, [*FIRST, one, told[0], two, told[1]], DONE),
    ))  # fmt: skip
    assert found.outputs[0].turns == [[[call("f", x=1)], ToolResults(results=["one"]), [call("f", x=2)], ToolResults(results=["two"]), "done"]]  # fmt: skip


def test_a_result_of_a_response_is_found_by_the_id_of_its_call(read: Read):
    calls = [{"type": "function_call", "id": f"fc_{at}", "call_id": at, "name": "f", "arguments": json.dumps({"x": at})} for at in "ab"]  # fmt: skip
    results = [{"type": "function_call_output", "id": f"o_{at}", "call_id": at, "output": f"result {at}"} for at in "ba"]  # fmt: skip
    replies = [calls, [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}]]  # fmt: skip
    requests = [FIRST, [*FIRST, *calls, *results]]
    spans = [
        span({"openinference.span.kind": "LLM", "input.value": json.dumps({"model": "m", "input": asked}), "output.value": json.dumps({"object": "response", "output": reply})}, spanId=f"{at:016x}", parentSpanId=ROOT, startTimeUnixNano=str(at))
        for at, (asked, reply) in enumerate(zip(requests, replies, strict=True), start=2)
    ]  # fmt: skip
    found = read(otlp(AGENT, *spans))
    assert found.outputs[0].turns == [[[call("f", x="a"), call("f", x="b")], ToolResults(results=["result a", "result b"]), "done"]]  # fmt: skip


def test_models_without_a_parent_in_one_trace_are_turns(read: Read):
    found = read(otlp(*(each | {"parentSpanId": ""} for each in (chat_span(1, "", FIRST, "Rome"), chat_span(2, "", SECOND, "Now")))))  # fmt: skip
    assert found.cases[0].turns == [FIRST, SECOND[-1:]]


def test_rows_of_logfires_table_are_spans(read: Read):
    asked, done = json.dumps(FIRST), json.dumps([{"role": "assistant", "content": "Rome"}])
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": asked, "gen_ai.output.messages": done}  # fmt: skip
    row = {"trace_id": TRACE, "span_id": ROOT, "parent_span_id": None, "span_name": "chat m", "start_timestamp": "2026-01-01T00:00:00Z", "otel_status_code": None}  # fmt: skip
    failed = {**row, "trace_id": "f" * 32, "otel_status_code": "ERROR", "otel_status_message": "busy"}
    found = read({**row, "attributes": json.dumps(attributes)}, {**failed, "attributes": {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": asked}})  # fmt: skip
    assert [(output.text, output.error) for output in found.outputs] == [("Rome", None), (None, "busy")]


TIMES: dict[str, tuple[Any, Any]] = {
    "fractions": ("2026-01-01T01:00:09.500Z", "2026-01-01T01:00:10Z"),
    "zones": ("2026-01-01T02:00:09+01:00", "2026-01-01T01:00:10Z"),
    "a space": ("2026-01-01 01:00:09", "2026-01-01T01:00:10+00:00"),
    "floats": (99.5, 100.25),
    "numbers": (999, "1000"),
}


@each_row("form", TIMES)
def test_spans_are_ordered_by_time_in_any_form(form: str, read: Read):
    earlier, later = TIMES[form]
    first, last = ({"role": "assistant", "content": text} for text in ("one", "two"))
    spans = [oi_chat(2, ROOT, FIRST, last) | {"startTimeUnixNano": later}, oi_chat(3, ROOT, FIRST, first) | {"startTimeUnixNano": earlier}]  # fmt: skip
    assert [output.text for output in read(otlp(AGENT, *spans)).outputs] == ["two"]


def test_a_run_whose_last_request_failed_after_calls_has_failed(read: Read):
    failed = span({"openinference.span.kind": "LLM"}, spanId=f"{4:016x}", parentSpanId=ROOT, startTimeUnixNano="4", status={"code": 2, "message": "500"})  # fmt: skip
    found = read(otlp(AGENT, oi_chat(2, ROOT, FIRST, asking(("a", "f", {"x": 1}))), oi_tool(3, ROOT, "f", '{"x": 1}', said="ok"), failed))  # fmt: skip
    assert found.outputs[0].error == "500"
    assert found.outputs[0].turns == [[[call("f", x=1)], ToolResults(results=["ok"])]]


def test_instructions_of_a_request_to_gemini_are_read(read: Read):
    request = {"contents": [{"role": "user", "parts": [{"text": "Where?"}]}], "config": {"system_instruction": {"parts": [{"text": "Be brief."}]}}}  # fmt: skip
    reply = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Rome"}]}}]}
    found = read(otlp(span({"openinference.span.kind": "LLM", "input.value": json.dumps(request), "output.value": json.dumps(reply)})))  # fmt: skip
    assert [message["content"] for message in found.cases[0].turns[0]] == ["Be brief.", "Where?"]
