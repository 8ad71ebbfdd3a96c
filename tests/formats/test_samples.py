"""Files that the tools themselves wrote: found, read, and read right."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.errors import InputError
from fiducial.formats.zipped import Zipped
from fiducial.records import ToolCall, ToolResults, Verdict

SAMPLES = Path(__file__).parent / "samples"
PRICE = ToolCall(name="lookup_price", arguments={"item": "kettle"})

COUNTS: list[tuple[str, str, int, int, int]] = [
    ("azure/agent_rows.jsonl", "azure", 2, 2, 0),
    ("azure/result.json", "azure", 2, 2, 4),
    ("azure/rows.jsonl", "azure", 2, 2, 0),
    ("braintrust/results.json", "braintrust", 2, 2, 8),
    ("deepeval/goldens.json", "deepeval", 1, 0, 0),
    ("deepeval/llm_test_cases_camel.json", "deepeval", 2, 2, 0),
    ("deepeval/llm_test_cases_snake.json", "deepeval", 2, 2, 0),
    ("deepeval/test_run.json", "deepeval", 2, 2, 2),
    ("hf/rows.jsonl", "json", 2, 2, 0),
    ("hf/rows.parquet", "parquet", 2, 2, 0),
    ("inspect/precomputed_scores.jsonl", "inspect", 0, 0, 2),
    ("inspect/toolcalls_includes.eval", "inspect", 3, 3, 3),
    ("inspect/toolcalls_includes.json", "inspect", 3, 3, 3),
    ("junit/pytest.xml", "junit", 12, 0, 12),
    ("langfuse", "langfuse", 1, 1, 1),
    ("langfuse/observations_v2_page.json", "langfuse", 1, 1, 0),
    ("langfuse/scores_v3_page.json", "langfuse", 0, 0, 1),
    ("langsmith", "langsmith", 2, 2, 0),
    ("langsmith/examples.jsonl", "langsmith", 2, 0, 0),
    ("langsmith/runs.jsonl", "langsmith", 2, 2, 0),
    ("mlflow/trace.json", "mlflow", 1, 1, 1),
    ("openai_evals/dashboard_output_items.jsonl", "openai", 2, 2, 2),
    ("openai_evals/run_data_source_content.jsonl", "openai", 2, 1, 0),
    ("openinference/span_attributes.jsonl", "otlp", 1, 1, 0),
    ("otel", "otlp", 1, 1, 1),
    ("otel/evaluation_event_sdk.json", "otlp", 0, 0, 1),
    ("otel/spans_sdk.jsonl", "otlp", 1, 1, 0),
    ("phoenix/evaluate_dataframe.jsonl", "phoenix", 2, 2, 4),
    ("promptfoo/results.csv", "promptfoo", 2, 4, 8),
    ("promptfoo/results.json", "promptfoo", 2, 4, 10),
    ("promptfoo/results.jsonl", "promptfoo", 2, 4, 10),
    ("pydantic_evals/dataset.json", "pydantic-evals", 3, 0, 0),
    ("pydantic_evals/dataset.yaml", "pydantic-evals", 3, 0, 0),
    ("pydantic_evals/report.json", "pydantic-evals", 3, 3, 6),
]


@each_row(("name", "format_", "cases", "outputs", "verdicts"), COUNTS)
def test_a_sample_is_recognised_and_nothing_of_it_gets_lost(
    name: str, format_: str, cases: int, outputs: int, verdicts: int
):
    read = fd.read(SAMPLES / name)
    assert (read.format, len(read.cases), len(read.outputs), len(read.verdicts)) == (
        format_,
        cases,
        outputs,
        verdicts,
    )


def test_every_sample_is_looked_at():
    files = {str(file.relative_to(SAMPLES)) for file in SAMPLES.rglob("*") if file.is_file()}
    assert files <= {name for name, *_ in COUNTS}


@each_row(
    "name",
    [
        "inspect/toolcalls_includes.eval",
        "otel",
        "mlflow/trace.json",
        "langfuse",
        "azure/agent_rows.jsonl",
        "deepeval/llm_test_cases_camel.json",
    ],
)
def test_a_call_and_its_result_are_steps_before_the_answer_however_they_are_spelt(name: str):
    output = fd.read(SAMPLES / name).outputs[0]
    assert output.turns is not None
    *_, calls, results, text = output.turns[0]
    assert isinstance(calls, list)
    (call,) = calls
    assert (call.name, call.arguments) in [
        (PRICE.name, PRICE.arguments),
        (PRICE.name, '{"item":"kettle"}'),
    ]
    assert results == ToolResults(results=["12.50"])
    assert isinstance(text, str)
    assert "12.50" in text
    assert output.text == text


def said(name: str) -> dict[str, Verdict]:
    return {verdict.by: verdict for verdict in reversed(fd.read(SAMPLES / name).verdicts)}


def test_what_a_tool_could_not_score_has_an_outcome_and_a_reason_and_no_score():
    failed = said("pydantic_evals/report.json")["Boom"]
    assert (failed.outcome, failed.score, failed.reason) == ("failed", None, "RuntimeError: cannot judge")
    nothing = said("braintrust/results.json")["none_score"]
    assert (nothing.outcome, nothing.score) == ("not_applicable", None)
    assert said("braintrust/results.json")["boom"].outcome == "failed"
    assert [verdict.outcome for verdict in fd.read(SAMPLES / "phoenix").verdicts] == [
        "graded",
        "failed",
        "not_applicable",
        "not_applicable",
    ]


def test_what_is_no_score_in_the_unit_interval_is_listed_and_never_guessed():
    skipped = fd.read(SAMPLES / "pydantic_evals/report.json").skipped
    assert [(each.field, each.reason) for each in skipped[:2]] == [
        ("cases[0].labels.lang", "expected a score in [0, 1] from 'lang', got 'en'"),
        (
            "cases[0].scores.length",
            "expected a score in [0, 1] from 'length', got 5; for another scale: score_scale={'length': ('?', '?')} (1:5 if 5 is best, 5:1 if 1 is)",
        ),
    ]


def test_a_system_that_failed_has_an_output_with_its_error():
    output = fd.read(SAMPLES / "pydantic_evals/report.json").outputs[2]
    assert (output.case_id, output.error) == ("c3", "ValueError: down")


def test_a_case_of_promptfoo_is_a_test_and_a_system_a_provider_with_its_prompt():
    read = fd.read(SAMPLES / "promptfoo/results.json")
    assert [case.id for case in read.cases] == ["test-0", "test-1"]
    assert read.cases[0].messages == [{"role": "user", "content": "Ann"}]
    assert {output.system for output in read.outputs} == {"echo Hello {{name}}", "echo Bye {{name}}"}


def test_the_context_that_assertions_of_promptfoo_read_is_the_cases(tmp_path: Path):
    result = {"vars": {"question": "How big?", "context": "Mugs hold 300 ml."}, "prompt": {"raw": "How big?"}, "provider": {"id": "p"}, "response": {"output": "300 ml"}, "testIdx": 0, "promptIdx": 0, "success": True, "score": 1}  # fmt: skip
    (tmp_path / "r.json").write_text(json.dumps({"results": {"version": 3, "results": [result]}}))
    [case] = fd.read(tmp_path / "r.json").cases
    assert (case.kind, [item.content for item in case.context]) == ("grounded_answer", ["Mugs hold 300 ml."])
    assert case.tags == {"question": "How big?"}


def test_that_promptfoo_sets_an_error_on_a_failed_assertion_makes_it_no_error():
    by = {(v.case_id, v.system, v.by): v for v in fd.read(SAMPLES / "promptfoo/results.json").verdicts}
    failed = by["test-0", "echo Bye {{name}}", "exact"]
    assert (failed.outcome, failed.score) == ("graded", 0.0)


def test_ids_stay_as_they_are_and_texts_stay_texts():
    cases = fd.read(SAMPLES / "hf/rows.parquet").cases
    assert [(case.id, case.tags["num"]) for case in cases] == [("1", "007"), ("2", "008")]
    assert fd.read(SAMPLES / "otel").cases[0].id == "2bd824d98ff32d4b7f23a13a120a057f"


def test_keys_that_parquet_adds_to_every_row_are_no_arguments_and_that_is_said():
    read = fd.read(SAMPLES / "hf/rows.parquet")
    calls: list[Any] = [output.tool_calls for output in read.outputs]
    assert [call.arguments for (call,) in calls] == [{"x": 1}, {"y": "s"}]
    assert [skipped.field for skipped in read.skipped] == ["tool_calls"]


def test_kinds_follow_from_what_is_there():
    kinds = {name: {case.kind for case in fd.read(SAMPLES / name).cases} for name, *_ in COUNTS}
    assert kinds["azure/result.json"] == {"web_search_answer", "memory_answer"}
    assert kinds["inspect/toolcalls_includes.eval"] == {"memory_answer"}
    assert kinds["otel"] == {"any_call"}
    assert kinds["phoenix/evaluate_dataframe.jsonl"] == {"open_answer"}


def test_a_multiple_choice_of_inspect_is_asked_as_it_was_sent_and_long_texts_are_put_back(tmp_path: Path):
    sample = {
        "id": 1,
        "epoch": 2,
        "input": "Which?",
        "choices": ["red", "blue"],
        "target": "B",
        "messages": [
            {"role": "user", "content": "Which? A) red B) blue"},
            {"role": "assistant", "content": "attachment://abc"},
        ],
        "attachments": {"abc": "ANSWER: B"},
        "scores": {
            "choice": {"value": "C"},
            "parts": {"value": {"a": 1, "b": "I"}},
            "odd": {"value": "maybe"},
        },
    }
    log = {"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [sample]}
    (tmp_path / "log.json").write_text(json.dumps(log))
    read = fd.read(tmp_path / "log.json")
    assert read.cases[0].messages == [{"role": "user", "content": "Which? A) red B) blue"}]
    assert (read.outputs[0].text, read.outputs[0].trial) == ("ANSWER: B", 1)
    assert [(v.by, v.score) for v in read.verdicts] == [("choice", 1.0), ("parts/a", 1.0), ("parts/b", 0.0)]
    assert read.skipped[0].reason == "expected a score in [0, 1] from 'odd', got 'maybe'"


def test_a_log_that_crashed_is_read_as_far_as_it_goes(tmp_path: Path):
    whole, broken = SAMPLES / "inspect/toolcalls_includes.eval", tmp_path / "crashed.eval"
    with Zipped(whole) as archive, zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as out:
        for name in archive.members:
            if name.startswith(("samples/s1", "_journal/start")):
                out.writestr(name, archive.read(name))
    read = fd.read(broken)
    assert [(o.case_id, o.system) for o in read.outputs] == [("s1", "mockllm/model")]


def test_a_log_that_is_cut_off_or_damaged_is_told_in_one_line(tmp_path: Path):
    raw = (SAMPLES / "inspect/toolcalls_includes.eval").read_bytes()
    (tmp_path / "cut.eval").write_bytes(raw[: len(raw) // 2])
    with pytest.raises(InputError, match=r"cut\.eval: not a whole ZIP file; it may be cut off"):
        fd.read(tmp_path / "cut.eval")
    at = raw.index(b"samples/s1_epoch_1.json") + 400
    (tmp_path / "damaged.eval").write_bytes(raw[:at] + b"XXXX" + raw[at + 4 :])
    read = fd.read(tmp_path / "damaged.eval")
    assert len(read.outputs) == 2
    assert [skipped.field for skipped in read.skipped] == ["samples/s1_epoch_1.json"]


@pytest.mark.parametrize("value", [[], {}, [1, 0], {"a": 1, "b": 0}])
def test_a_score_for_later_that_is_not_one_score_is_told_with_its_line(tmp_path: Path, value: Any):
    first, *rest = (SAMPLES / "inspect/precomputed_scores.jsonl").read_text().splitlines()
    file = tmp_path / "precomputed_scores.jsonl"
    file.write_text("\n".join([json.dumps({**json.loads(first), "value": value}), *rest]))
    read = fd.read(file)
    (skipped,) = read.skipped
    assert (skipped.line, skipped.field, skipped.reason[:18]) == (1, "value", "expected one score")
    assert len(read.verdicts) == 1
