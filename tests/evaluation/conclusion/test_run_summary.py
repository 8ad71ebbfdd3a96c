from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from fiducial.api.run_files import plan_of, run
from fiducial.data import demo_path
from fiducial.deterministic import CheckOptions
from fiducial.errors import ConfigurationError, RunFolderError
from fiducial.evaluation.conclusion.run_summary import summary_of
from fiducial.evaluation.judging.access import ModelAccess
from fiducial.evaluation.store.run_store import RunStore


def no_model() -> ModelAccess:
    raise ConfigurationError("no model")


def test_a_run_its_folder_and_its_repetition_say_the_same(tmp_path: Path):
    plan = plan_of(
        cases=[demo_path("cases.jsonl")],
        outputs=[demo_path("outputs.jsonl")],
        out=tmp_path / "run",
        command="fiducial run",
        judges=["tool_call_accuracy@baseline"],
        options=CheckOptions(),
    )
    first = run(plan, no_model, progress=False).summary
    assert first.counts.graded > 0
    assert first.calibration is not None
    assert first.compared is not None
    with RunStore(tmp_path / "run") as store:
        assert summary_of(store) == first
    assert run(plan, no_model, progress=False).summary == replace(first, unchanged=True)


def test_an_unfinished_run_has_no_summary(tmp_path: Path):
    with pytest.raises(RunFolderError):
        summary_of(RunStore(tmp_path / "nothing"))
