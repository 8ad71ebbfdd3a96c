"""Verdicts written for other tools, and read again."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.api.exporting import send_otlp
from fiducial.api.reading import import_files
from fiducial.errors import InputError, UsageError
from fiducial.records import Verdict

SAMPLES = Path(__file__).parents[1] / "formats" / "samples"
SOURCES = ["inspect/toolcalls_includes.eval", "promptfoo/results.json", "pydantic_evals/report.json", "braintrust/results.json", "otel", "mlflow/trace.json"]  # fmt: skip


def imported(name: str, folder: Path) -> Path:
    import_files([SAMPLES / name], folder)
    return folder


def said(verdicts: list[Verdict]) -> list[tuple[Any, ...]]:
    return sorted((v.case_id, v.system, v.trial, v.by, v.outcome, v.score, v.reason or "") for v in verdicts)


def done(read: fd.Reading) -> list[Any]:
    return sorted(((o.key, o.text, o.error, o.turns) for o in read.outputs), key=str)


@each_row("to", ["inspect", "hf"])
@each_row("name", SOURCES)
def test_outputs_and_verdicts_come_back_as_they_were(name: str, to: str, tmp_path: Path):
    before, target = fd.read(SAMPLES / name), tmp_path / ("folder" if to == "hf" else "log.json")
    fd.export(imported(name, tmp_path / "in"), to, target)
    after = fd.read(target)
    assert after.format == to
    assert said(after.verdicts) == said(before.verdicts)
    assert done(after) == done(before)
    assert [(c.id, c.messages) for c in after.cases] == [(c.id, c.messages) for c in before.cases]
    assert [c.reference.get("answers") for c in after.cases] == [c.reference.get("answers") for c in before.cases]  # fmt: skip


def test_an_output_without_a_text_comes_back_from_inspect_as_an_empty_answer(tmp_path: Path):
    case = {"id": "a", "kind": "memory_answer", "messages": [{"role": "user", "content": "Where?"}], "reference": {"answers": ["x"]}}  # fmt: skip
    run = fd.evaluate([case], [{"case_id": "a", "system": "s"}, {"case_id": "a", "system": "s", "trial": 1, "text": "x"}], out=tmp_path / "run")  # fmt: skip
    fd.export(run, "inspect", tmp_path / "log.json")
    read = fd.read(tmp_path / "log.json")
    assert [(output.trial, output.text, output.error) for output in read.outputs] == [
        (0, "", "the answer is empty"),
        (1, "x", None),
    ]


@each_row("to", ["otlp", "mlflow"])
@each_row("name", SOURCES)
def test_what_was_said_comes_back_from_forms_that_hold_that_alone(name: str, to: str, tmp_path: Path):
    before = fd.read(SAMPLES / name)
    target = tmp_path / "verdicts.jsonl"
    fd.export(imported(name, tmp_path / "in"), to, target)
    after = fd.read(target, as_=to)
    assert said(after.verdicts) == said(before.verdicts)
    assert after.skipped == []


def test_an_evaluation_belongs_to_the_span_that_was_evaluated(tmp_path: Path):
    fd.export(imported("otel", tmp_path / "in"), "otlp", tmp_path / "logs.json")
    logs = json.loads((tmp_path / "logs.json").read_text())
    (record,) = logs["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    assert (record["eventName"], record["traceId"], record["spanId"]) == (
        "gen_ai.evaluation.result",
        "2bd824d98ff32d4b7f23a13a120a057f",
        "7dc8b84756872487",
    )
    attributes = {each["key"]: each["value"] for each in record["attributes"]}
    assert attributes["gen_ai.evaluation.name"] == {"stringValue": "answer_exact"}
    assert attributes["gen_ai.evaluation.score.value"] == {"doubleValue": 1.0}
    assert attributes["fiducial.outcome"] == {"stringValue": "graded"}


def test_what_has_no_score_is_an_error_there_and_never_a_zero(tmp_path: Path):
    folder = imported("pydantic_evals/report.json", tmp_path / "in")
    fd.export(folder, "otlp", tmp_path / "logs.json")
    text = (tmp_path / "logs.json").read_text()
    assert text.count('"error.type"') == 2
    written = fd.export(folder, "langfuse", tmp_path / "scores.jsonl")
    assert (written.rows, written.left_out) == (4, {"without a score": 2})
    bodies = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    assert all(isinstance(body["value"], float) for body in bodies)


def test_junit_counts_what_failed_and_what_could_not_be_graded(tmp_path: Path):
    fd.export(imported("braintrust/results.json", tmp_path / "in"), "junit", tmp_path / "junit.xml")
    suites = ET.parse(tmp_path / "junit.xml").getroot()
    assert {name: suites.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "8",
        "failures": "2",
        "errors": "2",
        "skipped": "2",
    }


@pytest.mark.parametrize("to", ["csv", "parquet"])
def test_a_table_can_be_calibrated(to: str, tmp_path: Path):
    folder, table = imported("promptfoo/results.json", tmp_path / "in"), tmp_path / f"verdicts.{to}"
    fd.export(folder, to, table)
    labels = [
        Verdict(case_id=o.case_id, system=o.system, by="me", source="human", outcome="graded", score=1.0)
        for o in fd.read(SAMPLES / "promptfoo/results.json").outputs
    ]
    calibration = fd.calibrate(table, labels=labels)
    assert calibration["promptfoo"].n == 4


@pytest.mark.attack("inputs of others")
def test_a_cell_that_would_begin_a_formula_is_only_shown(tmp_path: Path):
    rows = [{"id": "a", "query": "q", "response": "r", "scores": {"=cmd()": 1}}]
    fd.read(rows).save(tmp_path / "in")
    fd.export(tmp_path / "in", "csv", tmp_path / "t.csv")
    (row,) = csv.DictReader((tmp_path / "t.csv").read_text().splitlines())
    assert row["judge"] == "'=cmd()"


def test_precomputed_scores_are_of_one_judge_and_one_system(tmp_path: Path):
    folder, out = imported("promptfoo/results.json", tmp_path / "in"), tmp_path / "scores.jsonl"
    with pytest.raises(
        UsageError,
        match="precomputed scores are of one judge on one system: name it with system=, one of echo Bye",
    ):
        fd.export(folder, "precomputed_scores", out)
    fd.export(folder, "precomputed_scores", out, judge="exact", system="echo Bye {{name}}")
    (row,) = map(json.loads, out.read_text().splitlines())
    assert (row["id"], row["epoch"], row["value"]) == ("test-0", 1, 0.0)


def test_a_run_is_exported_with_its_judges_and_how_far_they_agree(tmp_path: Path):
    cases = [{"id": str(n), "kind": "memory_answer", "messages": [{"role": "user", "content": "?"}], "reference": {"answers": ["Rome"]}} for n in range(4)]  # fmt: skip
    outputs = [{"case_id": str(n), "system": "me", "text": "Rome" if n % 2 else ""} for n in range(4)]
    run = fd.evaluate(cases, outputs, judges="memory_answer", model="baseline", judge_on="all", out=tmp_path / "run")  # fmt: skip
    fd.export(run, "otlp", tmp_path / "logs.json")
    text = (tmp_path / "logs.json").read_text()
    assert "fiducial.judge.fingerprint" in text
    assert "fiducial.judge.accuracy.low" in text
    written = fd.export(tmp_path / "run", "inspect", tmp_path / "log.json")
    assert written.rows == 4
    assert len(fd.read(tmp_path / "log.json").verdicts) == len(run.verdicts)


@pytest.mark.parametrize("to", ["csv", "parquet"])
def test_a_table_of_a_run_calibrates_as_the_run_does(to: str, tmp_path: Path):
    cases = [{"id": str(n), "kind": "memory_answer", "messages": [{"role": "user", "content": "?"}], "reference": {"answers": ["Rome"]}} for n in range(6)]  # fmt: skip
    outputs = [{"case_id": str(n), "system": "me", "text": ["Rome", "", "in Rome, I think"][n % 3]} for n in range(6)]  # fmt: skip
    labels = [{"id": "2", "label": 0}, {"id": "5", "label": 1}]
    run = fd.evaluate(cases, outputs, judges="memory_answer", model="baseline", judge_on="all", labels=labels, out=tmp_path / "run")  # fmt: skip
    fd.export(run, to, tmp_path / f"t.{to}")
    name = "memory_answer/lexical@baseline"
    table, whole = fd.calibrate(tmp_path / f"t.{to}")[name], fd.calibrate(run)[name]
    assert table.n == whole.n == 6
    assert table.statistics["accuracy"] == whole.statistics["accuracy"]


def test_what_cannot_be_exported_is_told(tmp_path: Path):
    folder = imported("promptfoo/results.json", tmp_path / "in")
    with pytest.raises(UsageError, match="unknown format 'jnit' \\(did you mean 'junit'"):
        fd.export(folder, "jnit", tmp_path / "out")
    with pytest.raises(
        UsageError, match=r"holds no verdict of judge 'me' to export; systems: .+; judges: .+"
    ):
        fd.export(folder, "junit", tmp_path / "out", judge="me")
    with pytest.raises(InputError, match="neither a run nor an import"):
        fd.export(SAMPLES, "junit", tmp_path / "out")
    with pytest.raises(UsageError, match=r"holds no verdict of judge 'me' to export"):
        send_otlp(folder, "http://127.0.0.1:9/v1/logs", judge="me")
