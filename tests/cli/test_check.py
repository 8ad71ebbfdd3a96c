from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from command import fiducial

from fiducial.evaluation import check_file
from fiducial.evaluation.checking.stage import check_outputs
from fiducial.records import Verdict, read_records


def test_verdicts_come_in_the_order_of_the_outputs(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    result = fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "verdicts.jsonl")
    rows = list(read_records(tmp_path / "verdicts.jsonl", Verdict))
    assert result.code == 0
    assert [row.case_id for row in rows] == [f"case-{number}" for number in range(20)]
    assert (rows[0].by, rows[0].score, rows[0].error_type) == ("ast/bfcl", 0.0, "value_error:string")
    assert "checker decided: 0.75 [0.50, 0.90] on 20 of 20" in result.out


def test_bad_input_leaves_the_old_verdicts_alone(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    (tmp_path / "verdicts.jsonl").write_text("old")
    outputs.write_text("{}\n")
    result = fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "verdicts.jsonl")
    assert (result.code, (tmp_path / "verdicts.jsonl").read_text()) == (2, "old")
    assert result.err == f"fiducial: {outputs}:1: Object missing required field `case_id`\n"


def test_underscored_names_are_noticed_by_system(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    outputs.write_text(outputs.read_text().replace("weather.now", "weather_now"))
    fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "auto.jsonl")
    fiducial("check", cases, "--outputs", outputs, "--names", "dotted", "--out", tmp_path / "dotted.jsonl")
    scores = [
        sum(row.score or 0 for row in read_records(tmp_path / name, Verdict))
        for name in ("auto.jsonl", "dotted.jsonl")
    ]
    assert scores == [15, 0]


def test_the_summary_can_be_had_as_json(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    result = fiducial(
        "check", cases, "--outputs", outputs, "--out", tmp_path / "verdicts.jsonl", "--json", "-"
    )
    (system,) = json.loads(result.out)["systems"]
    assert (system["system"], system["strata"][0]["value"], system["strata"][0]["n"]) == ("agent", 0.75, 20)


def test_interrupted_it_keeps_the_verdicts_so_far_beside_the_old_ones(
    inputs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*given: Any) -> Iterator[Verdict]:
        yield from islice(check_outputs(*given), 5)
        raise KeyboardInterrupt

    monkeypatch.setattr(check_file, "check_outputs", interrupted)
    (tmp_path / "verdicts.jsonl").write_text("old")
    cases, outputs = inputs
    result = fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "verdicts.jsonl")
    so_far = list(read_records(tmp_path / "verdicts.jsonl.partial", Verdict))
    assert (result.code, len(so_far), (tmp_path / "verdicts.jsonl").read_text()) == (130, 5, "old")
    assert f"the verdicts so far: {tmp_path / 'verdicts.jsonl.partial'}" in result.err
