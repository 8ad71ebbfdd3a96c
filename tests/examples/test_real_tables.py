"""Small messy tables with grades, typed as their owners would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import fiducial

import fiducial as fd

LOGS = Path(__file__).parent / "real_logs"
FIVE = ["--label-scale", "1:5", "--label-pass-at", "4"]


def test_scores_and_human_grades_are_calibrated_right_away() -> None:
    result = fiducial("calibrate", LOGS / "theirs.csv", "--json", "-")
    statistics = json.loads(result.out)["judges"]["judge_passed"]["statistics"]
    assert statistics["accuracy"]["n"] == 60
    assert "label is 'human_passed'; score is 'judge_passed'; item_id is the row number" in result.err


@pytest.mark.parametrize("command", ["calibrate", "estimate", "compare"])
def test_a_scale_that_is_not_told_is_asked_for_with_the_option(command: str) -> None:
    failed = fiducial(command, LOGS / "shop_grades.csv")
    assert (failed.code, failed.err.count("\n")) == (2, 1)
    assert "--label-scale 1:5" in failed.err


def test_grades_from_1_to_5_correct_the_rate() -> None:
    found = json.loads(fiducial("estimate", LOGS / "shop_grades.csv", *FIVE, "--json", "-").out)["all"]
    assert (found["n_labelled"], found["n_unlabelled"], found["n_missing"]) == (36, 11, 1)
    assert found["estimates"]["ppi_plus_plus"]["value"] == pytest.approx(0.446, abs=0.001)


def test_two_judges_beside_three_people_are_compared() -> None:
    found = json.loads(fiducial("compare", LOGS / "three_people.csv", "--json", "-").out)
    assert {found["pairs"][0]["a"], found["pairs"][0]["b"]} == {"gpt_judge", "small_judge"}


def test_a_column_that_is_not_known_is_named_with_map(tmp_path: Path) -> None:
    table = tmp_path / "odd.csv"
    table.write_text((LOGS / "theirs.csv").read_text().replace("judge_passed,human_passed", "first,second"))
    failed = fiducial("calibrate", table)
    assert failed.code == 2
    assert "--map score=first --map label=second`" in failed.err
    for command in ("calibrate", "estimate"):
        assert fiducial(command, table, "--map", "score=first", "--map", "second=label").code == 0


def test_python_reads_the_same_table() -> None:
    found = fd.estimate(LOGS / "shop_grades.csv", label_scale=(1, 5), label_pass_at=4)
    assert found["all"].n_labelled == 36
    odd = fd.calibrate([{"x": 1, "y": 1}, {"x": 0, "y": 1}], map={"score": "x", "y": "label"})
    assert odd["x"].accuracy.value == 0.5
