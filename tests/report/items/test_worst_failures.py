"""Worst failures: question, answer, expectation and author, cut to a terminal's width."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fiducial as fd
from fiducial.cli.report import command
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import Verdict
from fiducial.report.document import as_lines
from fiducial.report.document_parts import DocumentTable
from fiducial.report.items.worst_failures import worst_failures
from fiducial.report.text.safe_text import WIDTH, columns_of

JUDGE = "strict_on_capitals/function"
HOSTILE = "\u202eBern\n::error::x \x1b[31m" + "\u4e16" * 200

CASES: list[dict[str, Any]] = [
    {
        "id": f"c{n}",
        "kind": "memory_answer",
        "messages": [{"role": "user", "content": f"Capital {n}?"}],
        "reference": {"answers": ["Rome"]},
    }
    for n in range(6)
]
TEXTS = ("Rome", "Bern", HOSTILE, "I do not know.", "Paris", "I do not know.")
SCORES = (1.0, 0.0, 0.3, 0.2, 0.1, 0.4)
OUTPUTS = [{"case_id": f"c{n}", "system": "a", "text": text} for n, text in enumerate(TEXTS)]


def label(case_id: str, score: float) -> Verdict:
    return Verdict(case_id=case_id, system="a", by="ada", source="human", outcome="graded", score=score)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run: a checker fails c3 and c5, a judge all but c0, each with another score."""

    def strict(case: fd.Case, output: fd.Output) -> Any:
        return SCORES[int(output.case_id[1:])], f"{case.id} is elsewhere"

    fd.judge_function("strict_on_capitals")(strict)
    out = tmp_path_factory.mktemp("runs") / "run"
    labels = [label("c1", 1.0), label("c3", 0.0)]
    judged: Any = {"judges": ["strict_on_capitals"], "judge_on": "all"}
    fd.evaluate(CASES, OUTPUTS, **judged, labels=labels, out=out, progress=False)
    return out


def tables(folder: Path, most: int = 10) -> list[tuple[str, dict[str, str]]]:
    with RunStore(folder) as store:
        found = [failure for failure in worst_failures(store, most) if isinstance(failure, DocumentTable)]
    return [(table.caption.strip(), {str(row[0]): str(row[1]) for row in table.rows}) for table in found]


def test_what_a_label_fails_comes_first_and_what_one_passes_last(folder: Path):
    found = tables(folder)
    names = [name for name, _ in found]
    assert (names[0], names[-1], len(names)) == ("c3, a", "c1, a", 5)
    first = found[0][1]
    assert (first["question"], first["answer"], first["expected"]) == (
        "Capital 3?",
        "I do not know.",
        '["Rome"]',
    )
    assert first["failed by"].startswith("ada")
    assert "but ada passes it" in found[-1][1]["failed by"]


def test_of_the_others_what_a_checker_failed_comes_first_then_the_lowest_scores(folder: Path):
    found = tables(folder)[1:-1]
    assert [name for name, _ in found] == ["c5, a", "c4, a", "c2, a"]
    assert [each["failed by"].split(" and ") for _, each in found] == [
        ["answer/strict", JUDGE],
        [JUDGE],
        [JUDGE],
    ]
    assert [each["why"] for _, each in found[1:]] == ["c4 is elsewhere", "c2 is elsewhere"]


def test_an_error_is_named_in_place_of_the_answer(tmp_path: Path):
    outputs = [{"case_id": "c0", "system": "a", "error": "TimeoutError: 30 s"}]
    run = fd.evaluate(CASES[:1], outputs, out=tmp_path / "run", progress=False)
    assert tables(Path(str(run.folder)))[0][1]["answer"] == "error: TimeoutError: 30 s"


def test_hostile_texts_are_one_line_cut_to_the_width_without_hidden_characters(folder: Path):
    with RunStore(folder) as store:
        lines = list(as_lines(worst_failures(store)))
    assert all(columns_of(line) <= WIDTH for line in lines)
    assert not any(sign in "".join(lines) for sign in "\u202e\x1b\n")
    assert sum("Bern" in line for line in lines) == 2


def test_a_report_prints_as_many_as_are_asked_for(folder: Path, tmp_path: Path):
    page = ["--html", str(tmp_path / "page.html")]
    printed = [
        CliRunner().invoke(command, [str(folder), *page, *more], catch_exceptions=False).output
        for more in ([], ["--items", "2"])
    ]
    assert [[f"c{n}, a" in each for n in range(6)] for each in printed] == [
        [False] * 6,
        [False, False, False, True, False, True],
    ]


def test_a_run_without_failures_says_so():
    run = fd.evaluate(CASES[:1], OUTPUTS[:1], progress=False)
    with RunStore(run.kept) as store:
        assert list(worst_failures(store)) == ["No output failed.", ""]
