"""DeepEval, pydantic-evals, MLflow and OpenTelemetry: both directions of their files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import fiducial as fd
from fiducial.api.exporting import send_otlp
from fiducial.api.reading import import_files
from fiducial.records import ToolCall, ToolResults

SAMPLES = Path(__file__).parents[1] / "samples"
REASON = "make formats brings the tools themselves"
# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false, reportUntypedBaseClass=false, reportUntypedFunctionDecorator=false, reportMissingModuleSource=false


def test_test_cases_and_goldens_of_deepeval(tmp_path: Path):
    pytest.importorskip("deepeval", reason=REASON)
    from deepeval.dataset import EvaluationDataset, Golden
    from deepeval.test_case import LLMTestCase
    from deepeval.test_case import ToolCall as Called

    call = Called(name="price", input_parameters={"item": "kettle"}, output="12.50")
    case: Any = LLMTestCase(input="Price?", actual_output="12.50", tools_called=[call], expected_tools=[call])
    (tmp_path / "cases.json").write_text(json.dumps([case.model_dump(by_alias=True, exclude_none=True)]))
    read = fd.read(tmp_path / "cases.json")
    assert (read.format, read.cases[0].kind) == ("deepeval", "tool_call")
    assert fd.check(read.cases[0], read.outputs[0]).score == 1.0
    goldens = [Golden(input="Price?", expected_output="12.50", expected_tools=[call], context=["a", "b"])]
    for form in ("json", "jsonl", "csv"):
        dataset: Any = EvaluationDataset(goldens=goldens)
        path = Path(dataset.save_as(form, directory=str(tmp_path), file_name=f"goldens_{form}"))
        read = fd.read(path)
        assert (read.format, len(read.cases), read.cases[0].kind) == ("deepeval", 1, "tool_call"), form
        assert read.cases[0].reference["calls"] == [{"name": "price", "arguments": {"item": "kettle"}}]


def test_data_sets_and_reports_of_pydantic_evals(tmp_path: Path):
    pytest.importorskip("pydantic_evals", reason=REASON)
    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import EqualsExpected, Evaluator
    from pydantic_evals.reporting import EvaluationReportAdapter

    @dataclass
    class Broken(Evaluator[Any, Any, Any]):
        def evaluate(self, ctx: Any) -> bool:
            raise RuntimeError("cannot judge")

    def task(question: str) -> str:
        if question == "fail":
            raise ValueError("down")
        return question.upper()

    cases = [Case(name="a", inputs="hi", expected_output="HI"), Case(name="b", inputs="fail")]
    dataset: Any = Dataset(name="d", cases=cases, evaluators=[EqualsExpected(), Broken()])
    dataset.to_file(tmp_path / "dataset.yaml", schema_path=None, custom_evaluator_types=[Broken])
    assert [case.id for case in fd.read(tmp_path / "dataset.yaml").cases] == ["a", "b"]
    report: Any = dataset.evaluate_sync(task, repeat=2, progress=False)
    (tmp_path / "report.json").write_bytes(EvaluationReportAdapter.dump_json(report))
    read = fd.read(tmp_path / "report.json")
    assert read.format == "pydantic-evals"
    assert sorted((o.case_id, o.trial, o.text, o.error) for o in read.outputs if o.text) == [
        ("a", 0, "HI", None),
        ("a", 1, "HI", None),
    ]
    assert [o.error for o in read.outputs if o.case_id == "b"] == ["ValueError: down"] * 2
    assert {(v.by, v.outcome) for v in read.verdicts} == {("EqualsExpected", "graded"), ("Broken", "failed")}


def test_traces_of_mlflow_and_assessments_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("mlflow", reason=REASON)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    import mlflow
    from mlflow.entities import Assessment, SpanType

    mlflow.set_tracking_uri(f"file://{tmp_path}/mlruns")

    @mlflow.trace(span_type=SpanType.TOOL)
    def price(item: str) -> str:
        return "12.50" if item else ""

    @mlflow.trace(span_type=SpanType.AGENT)
    def agent(question: str) -> dict[str, str]:
        return {"answer": price("kettle") if question else ""}

    agent("How much?")
    mlflow.flush_trace_async_logging()
    trace: Any = mlflow.get_trace(mlflow.get_last_active_trace_id())
    mlflow.log_feedback(trace_id=trace.info.trace_id, name="short", value=True, rationale="5 letters")
    trace = mlflow.get_trace(trace.info.trace_id)
    (tmp_path / "trace.json").write_text(trace.to_json())
    read = fd.read(tmp_path / "trace.json")
    assert read.cases[0].messages == [{"role": "user", "content": "How much?"}]
    assert read.outputs[0].turns == [[[ToolCall(name="price", arguments={"item": "kettle"})], ToolResults(results=["12.50"]), "12.50"]]  # fmt: skip
    assert [(v.by, v.score, v.reason) for v in read.verdicts] == [("short", 1.0, "5 letters")]
    import_files([SAMPLES / "braintrust/results.json"], tmp_path / "in")
    fd.export(tmp_path / "in", "mlflow", tmp_path / "assessments.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "assessments.jsonl").read_text().splitlines()]
    theirs: list[Any] = [Assessment.from_dictionary(row) for row in rows]
    assert [(each.name, each.feedback.value, each.feedback.error is None) for each in theirs[:4]] == [
        ("Levenshtein", 1.0, True),
        ("short", 1.0, True),
        ("none_score", None, False),
        ("boom", None, False),
    ]


def test_spans_of_the_sdk_as_it_prints_them_and_as_protobuf_does(tmp_path: Path):
    pytest.importorskip("opentelemetry.exporter.otlp.proto.common", reason=REASON)
    from google.protobuf.json_format import MessageToJson
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept: Any = InMemorySpanExporter()
    provider: Any = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("shop")
    asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Price?"}]}])
    called = {"type": "tool_call", "id": "c1", "name": "price", "arguments": {"item": "kettle"}}
    done = json.dumps([{"role": "assistant", "parts": [called], "finish_reason": "tool_call"}])
    with tracer.start_as_current_span("invoke_agent", attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shop"}) as root:  # fmt: skip
        with tracer.start_as_current_span("chat", attributes={"gen_ai.operation.name": "chat", "gen_ai.input.messages": asked, "gen_ai.output.messages": done}):  # fmt: skip
            pass
        with tracer.start_as_current_span("execute_tool", attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "price", "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.arguments": '{"item": "kettle"}', "gen_ai.tool.call.result": "12.50"}):  # fmt: skip
            pass
        answer = [
            {"role": "assistant", "parts": [{"type": "text", "content": "12.50"}], "finish_reason": "stop"}
        ]
        root.set_attribute("gen_ai.output.messages", json.dumps(answer))
        root.add_event("gen_ai.evaluation.result", {"gen_ai.evaluation.name": "exact", "gen_ai.evaluation.score.value": 1.0})  # fmt: skip
    spans = kept.get_finished_spans()
    (tmp_path / "sdk.jsonl").write_text(
        "".join(json.dumps(json.loads(span.to_json())) + "\n" for span in spans)
    )
    (tmp_path / "proto.json").write_text(MessageToJson(encode_spans(spans)))
    for file in ("sdk.jsonl", "proto.json"):
        read = fd.read(tmp_path / file)
        assert read.format == "otlp"
        assert read.cases[0].id == f"{spans[0].context.trace_id:032x}", file
        assert read.outputs[0].turns == [[[ToolCall(name="price", arguments={"item": "kettle"})], ToolResults(results=["12.50"]), "12.50"]]  # fmt: skip
        assert [(v.by, v.score) for v in read.verdicts] == [("exact", 1.0)]


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            del format, args

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/logs", bodies
    server.shutdown()
    server.server_close()


def test_evaluations_are_sent_to_the_span_that_was_evaluated(tmp_path: Path, collector: tuple[str, list[bytes]]):  # fmt: skip
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason=REASON)
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

    import_files([SAMPLES / "otel"], tmp_path / "in")
    address, bodies = collector
    assert send_otlp(tmp_path / "in", address) == 1
    request: Any = ExportLogsServiceRequest()
    request.ParseFromString(bodies[0])
    (record,) = request.resource_logs[0].scope_logs[0].log_records
    assert (record.event_name, record.trace_id.hex(), record.span_id.hex()) == (
        "gen_ai.evaluation.result",
        "2bd824d98ff32d4b7f23a13a120a057f",
        "7dc8b84756872487",
    )
