"""Runs in memory equal runs in a folder, and leave nothing behind."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import demo_suite
import msgspec
import pytest

from fiducial.deterministic import CheckOptions
from fiducial.evaluation.judging.access import ModelAccess
from fiducial.evaluation.pipeline import run
from fiducial.evaluation.progress import Silent
from fiducial.evaluation.run_plan import Plan
from fiducial.evaluation.store.file_names import CALIBRATION, VERDICTS
from fiducial.records import (
    Case,
    FolderPath,
    InputPath,
    MemoryFolder,
    Output,
    memory_file,
    read_records,
    write_records,
)
from fiducial.report.from_run import report_on


def _moment() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


class Files(NamedTuple):
    """A part of the demo suite with every kind of case."""

    cases: Path
    outputs: Path
    labels: Path

    def in_memory(self) -> tuple[InputPath, InputPath]:
        """Cases and outputs without files."""
        cases, outputs = read_records(self.cases, Case), read_records(self.outputs, Output)
        return memory_file("cases", cases), memory_file("outputs", outputs)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("demo")
    files = Files(*(folder / f"{name}.jsonl" for name in Files._fields))
    cases = list(demo_suite.cases().values())[::6]
    chosen = {case.id for case in cases}
    write_records(files.cases, cases)
    write_records(
        files.outputs, (output for output in demo_suite.outputs().values() if output.case_id in chosen)
    )
    write_records(files.labels, (label for label in demo_suite.labels() if label.case_id in chosen))
    return files


def _conclude(out: FolderPath, cases: InputPath, outputs: InputPath, labels: Path) -> Any:
    plan = Plan(
        cases=cases,
        outputs=[outputs],
        out=out,
        command="test",
        options=CheckOptions(rules="strict"),
        judges=["groundedness", "rubric"],
        model="baseline",
        labels=labels,
    )
    return msgspec.to_builtins(run(plan, ModelAccess, Silent(), _moment))


def test_a_run_in_memory_comes_to_the_same_as_one_on_disk(
    demo: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, empty = tmp_path / "run", tmp_path / "empty"
    expected = _conclude(folder, *demo)
    empty.mkdir()
    monkeypatch.chdir(empty)
    kept = MemoryFolder("run")
    assert _conclude(kept, *demo.in_memory(), demo.labels) == {
        **expected,
        "folder": "",
        "compared": None,  # which is computed when it is shown
    }
    assert (kept / CALIBRATION).read_bytes() == (folder / CALIBRATION).read_bytes()
    assert (kept / VERDICTS).read_bytes() == (folder / VERDICTS).read_bytes()
    assert list(empty.iterdir()) == []
    report_on(kept, tmp_path / "report.html")
    assert "<title>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_inputs_in_memory_are_kept_in_a_folder_so_that_its_report_can_be_made_again(
    demo: Files, tmp_path: Path
):
    cases, outputs = demo.in_memory()
    first = _conclude(tmp_path / "run", cases, outputs, demo.labels)
    assert _conclude(tmp_path / "run", cases, outputs, demo.labels) == {**first, "unchanged": True}
    report_on(tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} >= {
        "cases.jsonl",
        "outputs.jsonl",
        "report.html",
    }
