"""Runs in memory equal runs in a folder, and leave nothing behind."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiducial.data import demo_path
from fiducial.deterministic import CheckOptions
from fiducial.evaluation.judging.access import ModelAccess
from fiducial.evaluation.pipeline import run
from fiducial.evaluation.progress import Silent
from fiducial.evaluation.run_plan import Plan
from fiducial.evaluation.store.file_names import CALIBRATION, VERDICTS
from fiducial.records import Case, FolderPath, InputPath, MemoryFolder, Output, memory_file, read_records
from fiducial.report.from_run import report_on


def _moment() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


def _conclude(out: FolderPath, cases: InputPath, outputs: InputPath) -> Any:
    plan = Plan(
        cases=cases,
        outputs=[outputs],
        out=out,
        command="test",
        options=CheckOptions(rules="strict"),
        judges=["groundedness", "rubric"],
        model="baseline",
        labels=demo_path("labels.jsonl"),
    )
    return msgspec.to_builtins(run(plan, ModelAccess, Silent(), _moment))


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A folder, and what the run in it came to."""
    folder = tmp_path_factory.mktemp("run")
    return folder, _conclude(folder, demo_path("cases.jsonl"), demo_path("outputs.jsonl"))


def test_it_comes_to_the_same(on_disk: tuple[Path, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    folder, expected = on_disk
    kept = MemoryFolder("run")
    cases = memory_file("cases", read_records(demo_path("cases.jsonl"), Case))
    outputs = memory_file("outputs", read_records(demo_path("outputs.jsonl"), Output))
    assert _conclude(kept, cases, outputs) == {
        **expected,
        "folder": "",
        "compared": None,  # which is computed when it is shown
    }
    assert (kept / CALIBRATION).read_bytes() == (folder / CALIBRATION).read_bytes()
    assert (kept / VERDICTS).read_bytes() == (folder / VERDICTS).read_bytes()
    assert list(tmp_path.iterdir()) == []


def test_its_report_can_be_made(tmp_path: Path):
    kept = MemoryFolder("run")
    _conclude(kept, demo_path("cases.jsonl"), demo_path("outputs.jsonl"))
    report_on(kept, tmp_path / "report.html")
    assert "<title>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_inputs_in_memory_are_kept_in_a_folder_so_that_its_report_can_be_made_again(tmp_path: Path):
    cases = memory_file("cases", read_records(demo_path("cases.jsonl"), Case))
    outputs = memory_file("outputs", read_records(demo_path("outputs.jsonl"), Output))
    first = _conclude(tmp_path / "run", cases, outputs)
    assert _conclude(tmp_path / "run", cases, outputs) == {**first, "unchanged": True}
    report_on(tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} >= {
        "cases.jsonl",
        "outputs.jsonl",
        "report.html",
    }
