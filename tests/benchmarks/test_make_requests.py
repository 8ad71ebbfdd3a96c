"""Batch files of every prompt, over cases of which no judge knows all kinds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripts import script

from fiducial.judges.catalogue import PAIRWISE, all_prompts
from fiducial.records import Case, Output, write_records

make_requests = script("benchmarks/make_requests.py")


@pytest.fixture
def items(tmp_path: Path) -> tuple[Path, Path]:
    cases, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    write_records(cases, [Case(id="a", kind="no_call", messages=[{"role": "user", "content": "Hello"}])])
    write_records(outputs, [Output(case_id="a", system="s", text="Hi")])
    return cases, outputs


def test_a_judge_for_which_there_is_no_item_gets_no_file(
    items: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    make_requests.write_requests(*items, tmp_path / "out", "m")
    written = {path.stem.partition(".")[0] for path in (tmp_path / "out").iterdir()}
    assert written == {"tool_call_accuracy"}
    assert "groundedness.explicit_2: no item" in capsys.readouterr().out


def test_every_prompt_gets_requests_over_the_suite(tmp_path: Path):
    make_requests.write_suite(tmp_path, "m", pairs=2)
    written = {path.stem for path in tmp_path.iterdir()}
    asked = {f"{name.judge}.{name.variant}" for name in all_prompts() if name.judge != "statements"}
    assert written == asked
    assert {f"{name}.explicit" for name in PAIRWISE} <= written
    lines = (tmp_path / "rubric.each.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == len({json.loads(line)["custom_id"] for line in lines}) == 60


@pytest.mark.slow
def test_lifelike_faults_are_300_requests_of_150_pairs_for_the_judges_they_are_for(tmp_path: Path):
    make_requests.write_lifelike(tmp_path, "m")
    files = sorted(tmp_path.glob("*.jsonl"))
    assert [path.name for path in files] == ["groundedness.reasons.jsonl", "tool_call_accuracy.reasons.jsonl"]
    ids = [json.loads(line)["custom_id"] for path in files for line in path.read_text("utf-8").splitlines()]
    assert len(ids) == len(set(ids)) == 300


@pytest.mark.slow
def test_faults_and_attacks_are_written_for_prompts_without_recordings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    wanted = {"tool_call_accuracy/explicit_2", "rubric/each", "groundedness/reasons"}
    known = {name: each for name, each in make_requests.known_prompts().items() if str(name) in wanted}
    monkeypatch.setattr(make_requests, "known_prompts", lambda: known)
    make_requests.write_audit(tmp_path, "m", sample=2)
    assert [path.name for path in tmp_path.glob("*.jsonl")] == ["tool_call_accuracy.explicit_2.jsonl"]
    assert (tmp_path / "probes" / "cases.jsonl").exists()
