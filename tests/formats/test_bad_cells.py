"""A cell that holds no score costs that cell alone, in every format, and is counted."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from each_row import each_row
from hypothesis import given, settings
from hypothesis import strategies as st

import fiducial as fd
from fiducial.api.reading import Reading, import_files
from fiducial.formats.imported_scores import scored
from fiducial.tables.grades import as_number

GOOD = [1.0, 0.0, 0.5]
BAD: list[Any] = ["N/A", "-", "error", "nan", "null", "", "None", "#N/A", "failed", "ERROR: timed out after 30 seconds", None, math.nan, math.inf, -1]  # fmt: skip

File: TypeAlias = tuple[str, str]
"""Name and text of a file."""


def _lines(rows: Sequence[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _csv(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    file = io.StringIO()
    csv.writer(file).writerows([header, *rows])
    return file.getvalue()


def _numbered(scores: Sequence[Any]) -> Sequence[tuple[str, str, Any]]:
    return [(f"Question {n}?", f"Answer {n}.", score) for n, score in enumerate(scores)]


def _ragas(scores: Sequence[Any]) -> File:
    rows = [{"user_input": q, "response": a, "faithfulness": score} for q, a, score in _numbered(scores)]
    return "rows.jsonl", _lines(rows)


def _ragas_metric(scores: Sequence[Any]) -> File:
    return "rows.csv", _csv(("user_input", "response", "wit"), _numbered(scores))


def _azure(scores: Sequence[Any]) -> File:
    names = ("inputs.query", "inputs.response", "outputs.wit.wit")
    return "rows.jsonl", _lines([dict(zip(names, row, strict=True)) for row in _numbered(scores)])


def _phoenix(scores: Sequence[Any]) -> File:
    rows = [
        {
            "question": q,
            "answer": a,
            "wit_score": {"name": "wit", "score": score},
            "wit_execution_details": {},
        }
        for q, a, score in _numbered(scores)
    ]
    return "rows.jsonl", _lines(rows)


def _deepeval(scores: Sequence[Any]) -> File:
    cases = [
        {"name": q, "input": q, "actualOutput": a, "metricsData": [{"name": "wit", "score": score}, {"name": "other", "score": 1}]}
        for q, a, score in _numbered(scores)
    ]  # fmt: skip
    return "run.json", json.dumps({"testCases": cases})


def _braintrust(scores: Sequence[Any]) -> File:
    rows = [
        {"id": q, "input": q, "output": a, "scores": {"wit": score, "other": 1}}
        for q, a, score in _numbered(scores)
    ]
    return "rows.jsonl", _lines(rows)


def _langsmith(scores: Sequence[Any]) -> File:
    rows = _numbered(scores)
    runs = [{"id": q, "run_type": "chain", "name": "x", "inputs": {"q": q}, "outputs": {"output": a}} for q, a, _ in rows]  # fmt: skip
    return "rows.jsonl", _lines(
        [*runs, *({"key": "wit", "run_id": q, "score": score} for q, _, score in rows)]
    )


def _langfuse(scores: Sequence[Any]) -> File:
    rows = _numbered(scores)
    spans = [{"id": q, "traceId": q, "type": "SPAN", "input": q, "output": a} for q, a, _ in rows]
    grades = [{"id": f"{q}s", "name": "wit", "traceId": q, "value": score, "dataType": "NUMERIC"} for q, _, score in rows]  # fmt: skip
    return "rows.jsonl", _lines([*spans, *grades])


def _openinference(scores: Sequence[Any]) -> File:
    spans = [
        {
            "name": "x",
            "context": {"trace_id": f"{number:032x}", "span_id": f"{number:016x}"},
            "attributes": {
                "openinference.span.kind": "CHAIN",
                "input.value": q,
                "output.value": a,
                "evaluations.0.evaluation.name": "wit",
                "evaluations.0.evaluation.score": score,
            },
        }
        for number, (q, a, score) in enumerate(_numbered(scores), start=1)
    ]
    return "spans.jsonl", _lines(spans)


def _promptfoo(scores: Sequence[Any]) -> File:
    results = [
        {
            "promptIdx": 0,
            "testIdx": q,
            "prompt": {"raw": q},
            "provider": {"id": "m"},
            "response": {"output": a},
            "gradingResult": {
                "score": 0.5,
                "componentResults": [{"score": score, "assertion": {"type": "wit"}}, {"score": 1, "assertion": {"type": "other"}}],
            },
        }
        for q, a, score in _numbered(scores)
    ]  # fmt: skip
    return "results.json", json.dumps({"results": {"results": results}})


def _pydantic(scores: Sequence[Any]) -> File:
    cases = [
        {"name": q, "inputs": q, "output": a, "scores": {"wit": {"value": score}, "other": {"value": 1}}}
        for q, a, score in _numbered(scores)
    ]
    return "report.json", json.dumps({"name": "m", "analyses": [], "cases": cases, "failures": []})


def _inspect(scores: Sequence[Any]) -> File:
    samples: list[dict[str, Any]] = [
        {"id": q, "epoch": 1, "input": q, "target": "", "messages": [], "output": {"completion": a}, "scores": {"s": {"value": {"wit": score, "other": 1}}}}
        for q, a, score in _numbered(scores)
    ]  # fmt: skip
    return "log.json", json.dumps({"status": "success", "eval": {"model": "m"}, "samples": samples})


def _mlflow(scores: Sequence[Any]) -> File:
    traces: list[dict[str, Any]] = [
        {
            "info": {
                "trace_id": q,
                "request_preview": q,
                "response_preview": a,
                "assessments": [{"assessment_name": "s", "feedback": {"value": {"wit": score, "other": 1}}}],
            },
            "data": {"spans": []},
        }
        for q, a, score in _numbered(scores)
    ]
    return "traces.jsonl", _lines(traces)


def _column(name: str) -> Callable[[Sequence[Any]], File]:
    def write(scores: Sequence[Any]) -> File:
        return "rows.csv", _csv(("question", "answer", name), _numbered(scores))

    return write


def _two_judges(scores: Sequence[Any]) -> File:
    rows = [(*row, 1) for row in _numbered(scores)]
    return "rows.csv", _csv(("question", "answer", "judge_wit", "judge_other"), rows)


def _object_of_scores(scores: Sequence[Any]) -> File:
    rows = [
        {"question": q, "answer": a, "scores": {"wit": score, "other": 1}}
        for q, a, score in _numbered(scores)
    ]
    return "rows.jsonl", _lines(rows)


FORMS: dict[str, tuple[Callable[[Sequence[Any]], File], dict[str, Any]]] = {
    "ragas": (_ragas, {}),
    "ragas, any metric": (_ragas_metric, {}),
    "azure": (_azure, {}),
    "phoenix": (_phoenix, {}),
    "deepeval": (_deepeval, {}),
    "braintrust": (_braintrust, {}),
    "langsmith": (_langsmith, {}),
    "langfuse": (_langfuse, {}),
    "otlp": (_openinference, {}),
    "promptfoo": (_promptfoo, {}),
    "pydantic-evals": (_pydantic, {}),
    "inspect": (_inspect, {}),
    "mlflow": (_mlflow, {}),
    "csv, score": (_column("score"), {}),
    "csv, named": (_column("wit"), {"map": {"score": "wit"}}),
    "csv, metric": (_column("faithfulness"), {}),
    "csv, judges": (_two_judges, {}),
    "json, scores": (_object_of_scores, {}),
}
"""Files with four scores by format, and how each is read."""

_OTHERS = {"other", "s/other", "judge_other", "promptfoo"}

_WITH_WORDS = {"inspect", "mlflow"}
"""Formats whose scores may be words, so that ``failed`` is a grade there."""


def _read(form: str, bad: Any, folder: Path) -> Reading:
    write, options = FORMS[form]
    name, text = write([GOOD[0], bad, *GOOD[1:]])
    (folder / name).write_text(text, "utf-8")
    return fd.read(folder / name, **options)


def _scores(found: Reading) -> list[float]:
    """Return the scores of the metric with the bad cell."""
    return [
        verdict.score for verdict in found.verdicts if verdict.score is not None and verdict.by not in _OTHERS
    ]


@each_row("form", FORMS)
def test_a_cell_without_a_score_costs_that_cell_and_is_counted(form: str, tmp_path: Path):
    for bad in BAD:
        if bad == "failed" and form in _WITH_WORDS:
            continue
        found = _read(form, bad, tmp_path)
        assert (_scores(found), len(found.outputs)) == (GOOD, 4), bad
        ungraded = [verdict for verdict in found.verdicts if not verdict.graded and verdict.by not in _OTHERS]
        assert ungraded or found.skipped, bad
        assert all(each.reason for each in (*ungraded, *found.skipped))
        assert len([verdict for verdict in found.verdicts if verdict.by in _OTHERS - {"promptfoo"}]) in {
            0,
            4,
        }, bad


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=5)
@given(text=st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=12))
def test_no_text_in_a_cell_changes_another_cell(
    form: str, text: str, tmp_path_factory: pytest.TempPathFactory
):
    number = as_number(text.strip().removesuffix("%"))
    if (number is not None and number > 1) or text.lstrip().startswith(("{", "[", '"')):
        return  # a number on another scale, or several scores
    found = _read(form, text, tmp_path_factory.getbasetemp())
    others = [verdict.case_id for verdict in found.verdicts if verdict.graded and verdict.by not in _OTHERS]
    assert len(found.outputs) == 4
    assert len(others) in {3, 4}
    counted = [verdict for verdict in found.verdicts if verdict.by not in _OTHERS]
    assert len(counted) + len(found.skipped) >= 4


def test_an_import_lists_each_cell_of_a_metric_that_is_no_number(tmp_path: Path):
    name, text = _ragas([1.0, "N/A", "error", 0.0])
    (tmp_path / name).write_text(text)
    imported = import_files([tmp_path / name], tmp_path / "in")
    assert imported.verdicts == {"faithfulness": {"graded": 2, "failed": 2}}
    lines = (tmp_path / "in" / "skipped.jsonl").read_text().splitlines()
    assert [(json.loads(line)["line"], json.loads(line)["field"]) for line in lines] == [
        (2, "faithfulness"),
        (3, "faithfulness"),
    ]
    assert imported.skipped == 2


def test_a_column_of_words_beside_a_sample_of_ragas_is_a_tag(tmp_path: Path):
    rows = [
        {"user_input": "a", "response": "b", "faithfulness": 1, "notes": note}
        for note in ("see page 4", "unclear", "5", "why?")
    ]
    (tmp_path / "rows.jsonl").write_text(_lines(rows))
    found = fd.read(tmp_path / "rows.jsonl")
    assert {verdict.by for verdict in found.verdicts} == {"faithfulness"}
    assert found.cases[0].tags == {"notes": "see page 4"}


def test_failed_is_a_grade_beside_words_and_none_beside_numbers(tmp_path: Path):
    for others, scores in ((("passed", "pass"), [1.0, 0.0, 1.0]), (("0.9", "0.4"), [0.9, 0.4])):
        (tmp_path / "rows.csv").write_text(
            _csv(("question", "answer", "judge_wit"), _numbered([others[0], "failed", others[1]]))
        )
        assert _scores(fd.read(tmp_path / "rows.csv")) == scores
    found = fd.read(tmp_path / "rows.csv", map_label={"failed": 0})
    assert _scores(found) == [0.9, 0.0, 0.4]


def test_a_word_of_a_score_is_read_as_the_user_says(tmp_path: Path):
    (tmp_path / "rows.csv").write_text(_csv(("question", "answer", "score"), _numbered(["great", "poor"])))
    assert _scores(fd.read(tmp_path / "rows.csv", map_label={"great": 1, "poor": 0.25})) == [1.0, 0.25]


def test_what_a_tool_passed_without_a_score_that_can_be_read_is_not_graded():
    assert scored("wit", 7, passed=True).score == 1.0
    with pytest.raises(fd.FiducialError, match="got 'error'"):
        scored("wit", "error", passed=False)


def test_an_unreadable_grade_costs_no_other_persons(tmp_path: Path):
    rows = "question,answer,annotator_1,annotator_2\na,b,good,good\nc,d,hmm,bad\ne,f,,bad\n"
    (tmp_path / "rows.csv").write_text(rows)
    found = fd.read(tmp_path / "rows.csv")
    assert [(verdict.by, verdict.score) for verdict in found.verdicts] == [
        ("annotator_1", 1.0),
        ("annotator_2", 1.0),
        ("majority", 1.0),
        ("annotator_2", 0.0),
        ("majority", None),  # what `hmm` means may decide it
        ("annotator_2", 0.0),
        ("majority", 0.0),
    ]
    assert [skipped.field for skipped in found.skipped] == ["annotator_1"]


def test_a_score_may_follow_an_empty_cell_of_the_same_answer(tmp_path: Path):
    (tmp_path / "rows.csv").write_text("id,question,answer,score\na,b,c,\na,b,c,1\n")
    found = fd.read(tmp_path / "rows.csv")
    assert ([verdict.score for verdict in found.verdicts], found.skipped) == ([None, 1.0], [])


def test_an_empty_score_of_a_question_without_an_answer_is_no_verdict(tmp_path: Path):
    (tmp_path / "rows.csv").write_text("question,answer,score\na,,\nb,,\n")
    found = fd.read(tmp_path / "rows.csv")
    assert (len(found.cases), found.outputs, found.verdicts) == (2, [], [])
