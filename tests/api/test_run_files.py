from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from command import fiducial

import fiducial as fd
from fiducial.api import run_files
from fiducial.api.run_files import engine_of, plan_of
from fiducial.data import demo_path
from fiducial.errors import MissingExtraError, UsageError
from fiducial.evaluation.judging.access import BatchMode
from fiducial.settings.verbs.judge import JudgeSettings
from fiducial.settings.verbs.run import RunSettings


def test_no_engine_is_this_process():
    assert engine_of(None) is None


def test_an_address_is_of_an_engine():
    with pytest.raises(UsageError, match="name it with engine="):
        engine_of(None, "auto")


def test_there_is_no_other_engine():
    with pytest.raises(UsageError, match="there is no engine 'spark'"):
        engine_of("spark")


@pytest.fixture
def without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_name: str) -> None:
        return None

    monkeypatch.setattr(run_files, "find_spec", nothing)


@pytest.mark.usefixtures("without_ray")
def test_without_the_extra_it_is_one_line_and_nothing_is_begun(tmp_path: Path):
    files = demo_path("cases.jsonl"), demo_path("outputs.jsonl")
    result = fiducial("run", files[0], "--outputs", files[1], "--engine", "ray", "--out", tmp_path / "run")
    assert (result.code, result.err) == (
        2,
        "fiducial: --engine ray needs an optional dependency: pip install 'fiducial-eval[ray]'\n",
    )
    with pytest.raises(MissingExtraError):
        fd.evaluate(*files, engine="ray", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_who_asks_for_no_engine_loads_none(tmp_path: Path):
    fd.evaluate(demo_path("cases.jsonl"), demo_path("outputs.jsonl"), out=tmp_path / "run", progress=False)
    assert "ray" not in sys.modules


def test_a_setting_with_the_name_of_a_field_of_the_plan_is_that_field(tmp_path: Path):
    """A new option reaches a run without being named on the way."""
    given: dict[str, Any] = {
        "model": "m",
        "repeats": 3,
        "accept_edited": True,
        "split_statements": True,
        "names": "dotted",
    }
    files: dict[str, Any] = {
        "cases": (tmp_path / "c",),
        "outputs": (tmp_path / "o",),
        "out": tmp_path / "run",
    }
    plan = plan_of(RunSettings(**files, **given, judge_on="7", price=("1/2",)), command="typed")
    assert {name: getattr(plan, name) for name in given} == given
    assert (plan.cases, plan.outputs, plan.out, plan.command) == (*files.values(), "typed")
    assert (plan.judge_on, plan.priced, plan.batch, plan.jury, plan.engine) == (7, ("1/2",), None, None, None)
    assert plan.options is not None
    judging = plan_of(JudgeSettings(**files, judges=("j",), batch=True, poll_seconds=2.0), command="typed")
    assert (judging.options, judging.judges, judging.batch) == (None, ("j",), BatchMode(poll_seconds=2.0))
