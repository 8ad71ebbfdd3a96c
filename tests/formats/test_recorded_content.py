"""Traces whose content was not recorded: no output, and listed; an empty answer is one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.api.reading import import_files
from fiducial.formats.traces.recorded_content import NO_ANSWER, NO_ARGUMENTS, PLACEHOLDERS
from fiducial.records import ToolCall, ToolResults

TRACE, ROOT = "0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7"
HIDDEN, MASKED = "__REDACTED__", "<fully masked due to failed mask function>"

Read: TypeAlias = Callable[..., fd.Reading]
Attributes: TypeAlias = dict[str, Any]


@pytest.fixture
def read(tmp_path: Path):
    def read(*lines: Any) -> fd.Reading:
        path = tmp_path / "given.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return fd.read(path)

    return read


def spans(*attributes: Attributes, events: list[Any] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the spans of a trace, below the first one."""
    for number, each in enumerate(attributes):
        yield {
            "name": "span",
            "context": {"trace_id": TRACE, "span_id": f"{ROOT[:-1]}{number}"},
            "parent_id": f"{ROOT[:-1]}0" if number else None,
            "start_time": str(number),
            "attributes": each,
            "events": (events or []) if number == 0 else [],
        }


def genai(operation: str = "chat", **attributes: Any) -> Attributes:
    return {"gen_ai.operation.name": operation, "gen_ai.request.model": "m", **attributes}


def said(*parts: Any) -> str:
    return json.dumps([{"role": "assistant", "parts": parts, "finish_reason": "stop"}])


AGENT = genai("invoke_agent", **{"gen_ai.agent.name": "a", "gen_ai.usage.output_tokens": 141})
ASKED = {"gen_ai.input.messages": '[{"role": "user", "content": "Hi"}]'}
OPEN_INFERENCE = {"openinference.span.kind": "LLM", "llm.model_name": "m", "input.value": "Hi"}
FLAT = "llm.output_messages.0.message"


def langfuse(**fields: Any) -> dict[str, Any]:
    return {"id": "o", "traceId": "t", "type": "GENERATION", "input": "Hi", **fields}


def mlflow(kind: str = "AGENT", **outputs: Any) -> dict[str, Any]:
    attributes = {"mlflow.spanType": kind, "mlflow.spanInputs": "Hi"}
    attributes |= {f"mlflow.span{name}": value for name, value in outputs.items()}
    return {"info": {"trace_id": "t"}, "data": {"spans": [{"span_id": "s", "name": "f", "attributes": attributes}]}}  # fmt: skip


def langsmith(**fields: Any) -> dict[str, Any]:
    return {"id": "r", "trace_id": "r", "run_type": "chain", "name": "f", "inputs": {"q": "Hi"}, **fields}


def phoenix(**fields: Any) -> dict[str, Any]:
    return {"question": "Hi", "polite_execution_details": "{}", "polite_score": None, **fields}


def choice(**fields: Any) -> list[Any]:
    return [{"name": "gen_ai.choice", "attributes": {"index": 0, "finish_reason": "stop", **fields}}]


ABSENT: dict[str, list[dict[str, Any]]] = {
    "agent and model": [*spans(AGENT, genai())],
    "model alone": [*spans(genai(**ASKED))],
    "question alone": [*spans(AGENT, genai(**ASKED))],
    "only the first answer": [*spans(AGENT, genai(**{"gen_ai.output.messages": said({"type": "text", "content": "Hm"})}), genai())],
    "parts without texts": [*spans(genai(**{"gen_ai.output.messages": said({"type": "text"})}))],
    "role alone, flattened": [*spans({"gen_ai.prompt.0.role": "user", "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.finish_reason": "stop"})],
    "event without a message": [*spans(genai(), events=choice())],
    "event with a role alone": [*spans(genai(), events=choice(message='{"role": "assistant"}'))],
    "embeddings behind": [*spans(AGENT, genai(), genai("embeddings"))],
    "Traceloop, tools too": [*spans({"traceloop.span.kind": "workflow"}, genai(), {"traceloop.span.kind": "tool", "gen_ai.tool.name": "f"}, genai())],
    "OpenInference": [*spans(OPEN_INFERENCE)],
    "OpenInference, hidden": [*spans({**OPEN_INFERENCE, "input.value": HIDDEN, "output.value": HIDDEN})],
    "OpenInference, hidden text": [*spans({**OPEN_INFERENCE, "output.value": HIDDEN, f"{FLAT}.role": "assistant", f"{FLAT}.content": HIDDEN})],
    "OpenInference, hidden part": [*spans({**OPEN_INFERENCE, f"{FLAT}.role": "assistant", f"{FLAT}.contents.0.message_content.type": "text", f"{FLAT}.contents.0.message_content.text": HIDDEN})],
    "Langfuse": [langfuse()],
    "Langfuse, null": [langfuse(output=None)],
    "Langfuse, masked": [langfuse(output=MASKED)],
    "Langfuse, a trace": [{"id": "t", "projectId": "p", "timestamp": "1", "input": "Hi", "output": None, "observations": [langfuse(output=None)]}],
    "MLflow": [mlflow()],
    "MLflow, a model": [mlflow("CHAT_MODEL")],
    "MLflow, no spans": [{"info": {"trace_id": "t", "request_preview": "Hi"}, "data": {"spans": []}}],
    "LangSmith": [langsmith()],
    "LangSmith, hidden": [langsmith(inputs={}, outputs={})],
    "LangSmith, a model": [langsmith(run_type="llm", outputs=None)],
    "Phoenix": [phoenix(output=None), phoenix(output="Hello")],
    "Phoenix, NaN": [phoenix(output=float("nan")), phoenix(output="Hello")],
    "Phoenix, hidden": [phoenix(output=HIDDEN), phoenix(output="Hello")],
}  # fmt: skip


@each_row("lines", ABSENT.values())
def test_an_answer_that_was_not_recorded_is_listed_and_no_output(read: Read, lines: list[Any]):
    found = read(*lines)
    assert [output.text for output in found.outputs] in ([], ["Hello"])
    assert [skipped.field for skipped in found.skipped] == ["output"]
    assert found.skipped[0].reason.partition(";")[0] == NO_ANSWER.partition(";")[0]
    assert len(found.cases) == len(found.outputs) + 1
    assert not any(placeholder in str(found.cases) for placeholder in PLACEHOLDERS)


EMPTY: dict[str, dict[str, Any]] = {
    "no parts": next(spans(genai(**{"gen_ai.output.messages": said()}))),
    "no messages": next(spans(genai(**{"gen_ai.output.messages": "[]"}))),
    "an empty part": next(spans(genai(**{"gen_ai.output.messages": said({"type": "text", "content": ""})}))),
    "an agent": next(spans(AGENT | {"gen_ai.output.messages": said()})),
    "flattened": next(spans({"gen_ai.prompt.0.role": "user", "gen_ai.completion.0.content": ""})),
    "an event": next(spans(genai(), events=choice(message='{"role": "assistant", "content": ""}'))),
    "OpenInference": next(spans({**OPEN_INFERENCE, "output.value": ""})),
    "OpenInference, a message": next(spans({**OPEN_INFERENCE, f"{FLAT}.content": ""})),
    "Langfuse": langfuse(output=""),
    "MLflow": mlflow(Outputs=""),
    "LangSmith": langsmith(outputs={"output": ""}),
    "Phoenix": phoenix(output=""),
}


@each_row("line", EMPTY.values())
def test_a_recorded_empty_answer_is_an_output_graded_0(read: Read, line: Any):
    found = read(line)
    assert [output.error for output in found.outputs] == ["the answer is empty"]
    assert found.skipped == []


FAILED: dict[str, dict[str, Any]] = {
    "OpenTelemetry": next(spans(genai())) | {"status": {"status_code": "ERROR", "description": "no luck"}},
    "Langfuse": langfuse(level="ERROR", statusMessage="no luck"),
    "MLflow": mlflow() | {"info": {"trace_id": "t", "state": "ERROR"}},
    "LangSmith": langsmith(error="no luck"),
}


@pytest.mark.parametrize("line", FAILED.values(), ids=FAILED)
def test_a_run_that_failed_is_an_output_whatever_was_recorded(read: Read, line: Any):
    found = read(line)
    assert [output.error for output in found.outputs] in (["no luck"], ["error"])
    assert found.skipped == []


def tool(**attributes: Any) -> Attributes:
    return genai("execute_tool", **{"gen_ai.tool.name": "f", **attributes})


CALL: dict[str, Any] = {"type": "tool_call", "id": "c", "name": "f", "arguments": {"x": 1}}
NO_ARGUMENTS_OF: dict[str, list[dict[str, Any]]] = {
    "an event": [*spans(genai(), events=choice(message=json.dumps({"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f"}}]})))],
    "a part": [*spans(genai(**{"gen_ai.output.messages": said({key: CALL[key] for key in ("type", "id", "name")})}))],
    "a tool's span": [*spans({**AGENT, "gen_ai.output.messages": said({"type": "text", "content": "1"})}, tool())],
    "a tool of OpenInference": [*spans({"openinference.span.kind": "AGENT", "output.value": "1"}, {"openinference.span.kind": "TOOL", "tool.name": "f", "input.value": HIDDEN})],
    "a tool of Langfuse": [langfuse(type="AGENT", output="1"), langfuse(id="u", parentObservationId="o", type="TOOL", name="f", input=None, output=1)],
}  # fmt: skip


@each_row("lines", NO_ARGUMENTS_OF.values())
def test_a_call_without_recorded_arguments_is_no_call_without_arguments(read: Read, lines: list[Any]):
    found = read(*lines)
    assert (found.outputs, len(found.skipped)) == ([], 1)
    assert found.skipped[0].reason.partition(";")[0] == NO_ARGUMENTS.partition(";")[0]


def test_a_call_that_needs_no_arguments_is_one(read: Read):
    none = CALL | {"arguments": dict[str, Any]()}
    [output] = read(*spans(genai(**{"gen_ai.output.messages": said(none)}))).outputs
    assert output.tool_calls == [ToolCall(name="f")]


def test_the_arguments_of_a_tool_may_be_those_that_the_model_gave(read: Read):
    asked = genai(**{"gen_ai.output.messages": said(CALL)})
    done = genai(**{"gen_ai.output.messages": said({"type": "text", "content": "Done."})})
    [output] = read(*spans(AGENT, asked, tool(**{"gen_ai.tool.call.result": "1"}), done)).outputs
    call = ToolCall(name="f", arguments={"x": 1})
    assert output.turns == [[[call], ToolResults(results=["1"]), "Done."]]


def test_tools_without_a_model_are_calls_and_the_answer_at_the_root_is_enough(read: Read):
    call = tool(**{"gen_ai.tool.call.arguments": '{"x": 1}'})
    [output] = read(*spans({key: AGENT[key] for key in ("gen_ai.operation.name", "gen_ai.agent.name")}, call)).outputs  # fmt: skip
    assert output.tool_calls == [ToolCall(name="f", arguments={"x": 1})]
    answer = {"gen_ai.output.messages": said({"type": "text", "content": "Hello"})}
    assert read(*spans(AGENT | answer, genai())).outputs[0].text == "Hello"


def test_an_evaluation_of_an_answer_that_was_not_recorded_stays(read: Read):
    found = read(*spans(genai(**{"gen_ai.evaluation.name": "polite", "gen_ai.evaluation.score.label": "pass"})))  # fmt: skip
    assert [(verdict.by, verdict.score) for verdict in found.verdicts] == [("polite", 1.0)]
    assert found.outputs == []


def test_an_import_lists_them(tmp_path: Path):
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(span) + "\n" for span in spans(AGENT, genai(**ASKED))))
    summary = import_files([path], tmp_path / "out")
    assert (summary.outputs, summary.empty, summary.failed, summary.skipped) == ({}, 0, 0, 1)
    [listed] = (tmp_path / "out" / "skipped.jsonl").read_text().splitlines()
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in json.loads(listed)["reason"]
