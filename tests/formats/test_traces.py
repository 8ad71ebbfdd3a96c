"""Traces in the conventions that there are, and what is said of them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from otlp_spans import CHILD, ROOT, TRACE, Read, otlp, reader_in, span

from fiducial.records import ToolCall, ToolResults


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return reader_in(tmp_path)


def in_base64(name: str) -> str:
    return base64.b64encode(bytes.fromhex(name)).decode()


def test_ids_in_base64_and_in_hexadecimal_are_the_same_trace(read: Read):
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]'}  # fmt: skip
    said = {
        "gen_ai.output.messages": '[{"role": "assistant", "parts": [{"type": "text", "content": "Hello"}]}]'
    }
    for ids in ({}, {"traceId": in_base64(TRACE), "spanId": in_base64(ROOT)}):
        found = read(otlp(span(chat | said, **ids)))
        assert found.format == "otlp"
        assert [case.id for case in found.cases] == [TRACE]
        assert (found.cases[0].messages, found.outputs[0].text, found.outputs[0].system) == (
            [{"role": "user", "content": "Hi"}],
            "Hello",
            "m",
        )


def test_messages_in_events_are_those_of_older_conventions(read: Read):
    def event(name: str, **attributes: str) -> dict[str, Any]:
        return {"name": name, "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in attributes.items()]}  # fmt: skip

    call = json.dumps([{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}])
    events = [
        event("gen_ai.system.message", content="Be kind."),
        event("gen_ai.user.message", content="Hi"),
        event("gen_ai.choice", message=json.dumps({"role": "assistant", "content": None, "tool_calls": json.loads(call)})),
    ]  # fmt: skip
    found = read(otlp(span({"gen_ai.system": "openai", "gen_ai.request.model": "m"}, events=events)))
    assert [message["role"] for message in found.cases[0].turns[0]] == ["system", "user"]
    assert found.outputs[0].tool_calls == [ToolCall(name="f", arguments="{}")]
    assert found.cases[0].kind == "any_call"


@each_row("operation", [["chat"], {"name": "chat"}, 7, True, None])
def test_an_operation_that_is_no_text_is_an_unknown_one(operation: Any, read: Read):
    asked = '[{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]'
    said = '[{"role": "assistant", "parts": [{"type": "text", "content": "Hello"}]}]'
    attributes = {"gen_ai.operation.name": operation, "gen_ai.request.model": "m", "gen_ai.input.messages": asked, "gen_ai.output.messages": said}  # fmt: skip
    details = {"name": "gen_ai.client.inference.operation.details", "attributes": attributes}
    by_event = span({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}, events=[details])
    for told in (by_event, {**span({}), "attributes": attributes}):
        assert [(output.system, output.text) for output in read(otlp(told)).outputs] == [("m", "Hello")]


def test_messages_that_are_flattened_by_index_are_put_together(read: Read):
    flat = {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Hi", "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Hello"}  # fmt: skip
    found = read(otlp(span(flat)))
    assert (found.cases[0].messages, found.outputs[0].text) == ([{"role": "user", "content": "Hi"}], "Hello")


def test_a_response_of_a_call_may_be_called_result(read: Read):
    call = {"type": "tool_call", "id": "c", "name": "f", "arguments": {"x": 1}}
    for name in ("response", "result"):
        messages = [
            {"role": "user", "parts": [{"type": "text", "content": "Hi"}]},
            {"role": "assistant", "parts": [call]},
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", name: "F"}]},
        ]
        done = [{"role": "assistant", "parts": [{"type": "text", "content": "done"}]}]
        chat = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(messages), "gen_ai.output.messages": json.dumps(done)}  # fmt: skip
        found = read(otlp(span(chat)))
        assert found.cases[0].messages == [{"role": "user", "content": "Hi"}]
        call_made = ToolCall(name="f", arguments='{"x": 1}')
        assert found.outputs[0].turns == [[[call_made], ToolResults(results=["F"]), "done"]]


def test_evaluations_of_openinference_are_verdicts_of_judges_and_of_people(read: Read):
    attributes = {
        "openinference.span.kind": "LLM",
        "input.value": "Hi",
        "output.value": "Hello",
        "evaluations.0.evaluation.name": "polite",
        "evaluations.0.evaluation.label": "yes",
        "evaluations.0.evaluation.annotator_kind": "LLM",
        "evaluations.1.evaluation.name": "right",
        "evaluations.1.evaluation.score": 0.5,
        "evaluations.1.evaluation.annotator_kind": "HUMAN",
        "evaluations.1.evaluation.identifier": "ann",
    }
    line = {"name": "chat", "context": {"trace_id": TRACE, "span_id": ROOT}, "attributes": attributes}
    found = read(line)
    assert [(v.by, v.source, v.score) for v in found.verdicts] == [("polite", "judge", 1.0), ("ann/right", "human", 0.5)]  # fmt: skip


def test_a_failed_call_belongs_to_the_model_that_was_asked(read: Read):
    failed = {"openinference.span.kind": "LLM", "llm.invocation_parameters": '{"model": "m"}', "input.value": "Hi"}  # fmt: skip
    status = {"code": "STATUS_CODE_ERROR", "message": "no luck"}
    [output] = read(otlp(span(failed, status=status))).outputs
    assert (output.system, output.error) == ("m", "no luck")


def test_what_is_said_of_a_span_below_the_root_is_about_that_span(read: Read):
    root = span({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"})
    chat = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": '[{"role": "user", "content": "Hi"}]', "gen_ai.output.messages": '[{"role": "assistant", "content": "Hello"}]', "gen_ai.evaluation.name": "polite", "gen_ai.evaluation.score.label": "pass"}  # fmt: skip
    found = read(otlp(root, span(chat, spanId=CHILD, parentSpanId=ROOT, startTimeUnixNano="2")))
    assert [case.id for case in found.cases] == [TRACE, f"{TRACE}/{CHILD}"]
    assert [(v.case_id, v.by, v.score) for v in found.verdicts] == [(f"{TRACE}/{CHILD}", "polite", 1.0)]


def test_an_evaluation_that_failed_has_no_score(read: Read):
    chat = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": '[{"role": "assistant", "content": "Hello"}]', "gen_ai.evaluation.name": "polite", "error.type": "timeout"}  # fmt: skip
    [verdict] = read(otlp(span(chat))).verdicts
    assert (verdict.outcome, verdict.score, verdict.reason) == ("failed", None, "timeout")


def test_a_trace_of_langfuse_three_has_its_scores_and_a_correction_is_an_accepted_answer(read: Read):
    trace = {
        "id": "t1",
        "projectId": "p",
        "timestamp": "2026-01-01T00:00:00Z",
        "name": "shop",
        "input": {"question": "Price?"},
        "output": "13",
        "sessionId": "s",
        "observations": [
            {
                "id": "o1",
                "traceId": "t1",
                "type": "TOOL",
                "name": "price",
                "startTime": "1",
                "input": {"item": "mug"},
                "output": 13,
            }
        ],
        "scores": [
            {
                "id": "1",
                "traceId": "t1",
                "name": "ok",
                "source": "EVAL",
                "dataType": "BOOLEAN",
                "value": 0,
                "stringValue": "False",
            },
            {
                "id": "2",
                "traceId": "t1",
                "name": "ok",
                "source": "ANNOTATION",
                "authorUserId": "ann",
                "dataType": "NUMERIC",
                "value": 1,
            },
            {
                "id": "3",
                "traceId": "t1",
                "name": "fixed",
                "source": "ANNOTATION",
                "dataType": "CORRECTION",
                "value": "12.50",
            },
            {"id": "4", "sessionId": "s", "name": "mood", "source": "API", "dataType": "NUMERIC", "value": 1},
            {
                "id": "5",
                "traceId": "t1",
                "name": "tone",
                "source": "API",
                "dataType": "CATEGORICAL",
                "value": "formal",
            },
        ],
    }
    found = read(trace)
    assert found.format == "langfuse"
    assert found.outputs[0].turns == [[[ToolCall(name="price", arguments={"item": "mug"})], ToolResults(results=[13]), "13"]]  # fmt: skip
    assert (found.cases[0].kind, found.cases[0].reference, found.cases[0].cluster) == ("memory_answer", {"answers": ["12.50"]}, "s")  # fmt: skip
    assert [(v.by, v.source, v.score) for v in found.verdicts] == [
        ("ok", "judge", 0.0),
        ("ann/ok", "human", 1.0),
    ]
    assert len(found.skipped) == 2


def test_feedback_of_langsmith_goes_to_its_run_on_its_own_scale(read: Read):
    run = {"id": "r", "trace_id": "r", "run_type": "chain", "name": "agent", "start_time": "1", "inputs": {"q": "Hi"}, "outputs": {"a": "Hello"}}  # fmt: skip
    feedback = [
        {"key": "stars", "score": 4, "run_id": "r", "trace_id": "r", "feedback_config": {"type": "continuous", "min": 1, "max": 5}},
        {"key": "thumb", "score": True, "run_id": "r", "trace_id": "r", "feedback_source": {"type": "app"}},
        {"key": "boom", "score": None, "comment": "KeyError('x')", "run_id": "r", "trace_id": "r", "extra": {"error": True}},
        {"key": "length", "score": 40, "run_id": "r", "trace_id": "r"},
    ]  # fmt: skip
    found = read(run, *feedback)
    assert found.format == "langsmith"
    assert [(v.by, v.source, v.outcome, v.score) for v in found.verdicts] == [
        ("stars", "judge", "graded", 0.75),
        ("thumb", "human", "graded", 1.0),
        ("boom", "judge", "failed", None),
    ]
    assert [skipped.reason for skipped in found.skipped] == ["expected a score in [0, 1] from 'length', got 40; for another scale: score_scale={'length': ('?', '?')} (0:100 if 100 is best, 100:0 if 0 is)"]  # fmt: skip


def test_runs_of_langsmith_below_the_root_are_steps(read: Read):
    root = {"id": "r", "trace_id": "r", "run_type": "chain", "name": "agent", "start_time": "1", "inputs": {"q": "Hi"}, "outputs": {"a": "12"}}  # fmt: skip
    tool = {"id": "t", "trace_id": "r", "parent_run_id": "r", "run_type": "tool", "name": "price", "start_time": "2", "inputs": {"input": '{"item": "mug"}'}, "outputs": {"output": "12"}}  # fmt: skip
    found = read(tool, root)
    assert found.outputs[0].turns == [[[ToolCall(name="price", arguments={"item": "mug"})], ToolResults(results=["12"]), "12"]]  # fmt: skip


def test_chat_models_of_langsmith_say_what_they_called_and_tools_what_came_of_it(read: Read):
    def made(name: str, **kwargs: Any) -> dict[str, Any]:
        return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}  # fmt: skip

    call = {"name": "price", "args": {"item": "mug", "gift": True}, "id": "c", "type": "tool_call"}
    asked = made("HumanMessage", content="Price?")
    tool = {"type": "function", "function": {"name": "price", "parameters": {"type": "object"}}}
    extra = {"metadata": {"thread_id": "th"}, "invocation_params": {"tools": [tool]}}
    generations = [[{"text": "", "message": made("AIMessage", content="", tool_calls=[call])}]]
    runs = [
        {"id": "r", "trace_id": "r", "run_type": "chain", "name": "agent", "start_time": "1", "inputs": {"input": "Price?"}, "outputs": {"output": "12"}, "extra": extra},
        {"id": "l", "trace_id": "r", "parent_run_id": "r", "run_type": "llm", "name": "ChatOpenAI", "start_time": "2", "inputs": {"messages": [[asked]]}, "outputs": {"generations": generations}, "extra": extra},
        {"id": "t", "trace_id": "r", "parent_run_id": "r", "run_type": "tool", "name": "price", "start_time": "3", "inputs": {"input": "{'item': 'mug', 'gift': True}"}, "outputs": {"output": made("ToolMessage", content="12", tool_call_id="c")}},
    ]  # fmt: skip
    found = read(*runs)
    price = ToolCall(name="price", arguments={"item": "mug", "gift": True})
    assert found.outputs[0].turns == [[[price], ToolResults(results=["12"]), "12"]]
    assert (found.cases[0].tools, found.cases[0].cluster) == ([tool], "th")
    alone = read({**runs[1], "id": "r", "parent_run_id": None})
    assert alone.outputs[0].tool_calls == [price]
    assert alone.cases[0].messages == [{"role": "user", "content": "Price?"}]


def test_a_client_that_langsmith_wraps_logs_completions(read: Read):
    message = {"role": "assistant", "content": "12"}
    run = {"id": "r", "trace_id": "r", "run_type": "llm", "name": "ChatOpenAI", "start_time": "1", "inputs": {"messages": [{"role": "user", "content": "Price?"}]}, "outputs": {"id": "x", "choices": [{"index": 0, "message": message}]}}  # fmt: skip
    assert read(run).outputs[0].text == "12"


def test_assessments_of_mlflow_by_people_and_those_that_failed(read: Read):
    def assessed(name: str, kind: str, who: str, **value: Any) -> dict[str, Any]:
        return {"assessment_name": name, "trace_id": "tr-1", "source": {"source_type": kind, "source_id": who}, **value}  # fmt: skip

    assessments = [
        assessed("safe", "LLM_JUDGE", "openai:/m", feedback={"value": "yes"}),
        assessed("safe", "HUMAN", "ann", feedback={"value": False}),
        assessed(
            "broken", "CODE", "f", feedback={"error": {"error_code": "SCORER_ERROR", "error_message": "no"}}
        ),
        assessed("expected_facts", "HUMAN", "ann", expectation={"value": ["It names Rome."]}),
        assessed("old", "CODE", "f", feedback={"value": 1.0}, valid=False),
    ]
    info = {"trace_id": "tr-1", "request_preview": "Where?", "response_preview": "Rome", "assessments": assessments}  # fmt: skip
    found = read({"info": info, "data": {"spans": []}})
    assert found.format == "mlflow"
    assert [(v.by, v.source, v.outcome, v.score) for v in found.verdicts] == [
        ("safe", "judge", "graded", 1.0),
        ("ann/safe", "human", "graded", 0.0),
        ("broken", "judge", "failed", None),
    ]
    assert (found.cases[0].kind, found.cases[0].reference) == ("open_answer", {"criterion": "It names Rome."})
    assert found.verdicts[2].reason == "SCORER_ERROR: no"


def test_a_result_of_an_experiment_of_langsmith_is_a_run_an_example_and_its_feedback(read: Read):
    run = {"id": "r", "trace_id": "r", "run_type": "chain", "name": "Target", "start_time": "1", "inputs": {"q": "Hi"}, "outputs": {"a": "Hello"}, "reference_example_id": "e", "session_name": "s"}  # fmt: skip
    example = {"id": "e", "dataset_id": "d", "inputs": {"q": "Hi"}, "outputs": {"a": "hello"}}
    results = {"results": [{"key": "same", "score": 0, "comment": "case"}, {"key": "boom", "score": None, "comment": "no", "extra": {"error": True}}]}  # fmt: skip
    found = read({"run": run, "example": example, "evaluation_results": results})
    assert found.format == "langsmith"
    assert [(case.id, case.reference) for case in found.cases] == [("e", {"answers": ["hello"]})]
    assert [(v.case_id, v.system, v.by, v.outcome, v.score) for v in found.verdicts] == [
        ("e", "s", "same", "graded", 0.0),
        ("e", "s", "boom", "failed", None),
    ]


def test_an_item_of_a_run_of_openai_evals_is_asked_as_it_was_sent(read: Read):
    item = {
        "object": "eval.run.output_item",
        "id": "o",
        "run_id": "r",
        "datasource_item_id": 5,
        "datasource_item": {"ticket": "It is broken.", "correct_label": "hardware"},
        "sample": {
            "input": [{"role": "user", "content": "Which? It is broken."}],
            "output": [{"role": "assistant", "content": "hardware"}],
            "model": "m",
        },
        "results": [{"name": "match", "passed": True, "score": 1.0}],
    }
    found = read(item)
    assert (found.format, found.cases[0].id, found.outputs[0].system) == ("openai", "item-5", "m")
    assert found.cases[0].messages == [{"role": "user", "content": "Which? It is broken."}]
    assert found.cases[0].reference == {"answers": ["hardware"]}
    assert found.cases[0].tags == {"ticket": "It is broken."}
    assert [(v.by, v.score) for v in found.verdicts] == [("match", 1.0)]


@each_row("text", ['["Rome", "Paris"]: which?', '["Rome", "Paris"]', '{"city": "Rome"}'])
@each_row(
    "item",
    [
        {"id": "i1", "datasetName": "d", "input": "{}", "expectedOutput": "x"},
        {"id": "i1", "dataset_id": "d", "inputs": "{}", "outputs": {"answer": "x"}},
    ],
)
def test_a_question_that_is_json_text_is_asked_as_it_stands(read: Read, item: dict[str, Any], text: str):
    """A question's JSON text is not a list of messages."""
    given = {name: {"question": text} if value == "{}" else value for name, value in item.items()}
    assert [case.messages for case in read(given).cases] == [[{"role": "user", "content": text}]]
