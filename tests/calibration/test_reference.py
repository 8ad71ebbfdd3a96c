"""The panel against statistics that independent libraries computed on real judges."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import reference_names
from known_numbers import half_width

from fiducial.calibration import (
    Calibration,
    JudgeCalibration,
    Table,
    calibrate,
    read_table,
    table_from_rows,
)

pytestmark = pytest.mark.reference

COUNTS = ("n", "tp", "fp", "fn", "tn", "n_clusters")
GRADED = reference_names.GRADED | {"kappa_quadratic": "weighted_kappa"}
STANDARD_ERRORS = reference_names.BINARY_ERRORS | {"kappa_quadratic_se": "weighted_kappa"}
NORMAL, T_54 = 1.959963984540054, 2.0048792881880564


def expected_of(reference: Path, name: str) -> Any:
    return json.loads((reference / "calibration" / name / "expected.json").read_text())


@pytest.fixture(scope="module")
def devai(reference: Path) -> Table:
    return read_table([reference / "calibration" / "devai" / "data.jsonl"])


@pytest.fixture(scope="module")
def summhay(reference: Path) -> Table:
    return read_table([reference / "calibration" / "summhay" / "data.jsonl"])


def panels_of(result: Calibration) -> dict[str, JudgeCalibration]:
    judge = "agent_as_a_judge:gray_box"
    systems = {system: judges[judge] for system, judges in result.slices["system"].items()}
    return {"all": result.judges[judge], **systems}


def test_devai_counts_and_values_agree(reference: Path, devai: Table) -> None:
    panels = panels_of(calibrate(devai, interval="wilson"))
    expected = expected_of(reference, "devai")["judges"]
    assert panels.keys() == expected.keys()
    for name, panel in panels.items():
        assert {key: getattr(panel, key) for key in COUNTS} == {key: expected[name][key] for key in COUNTS}
        for theirs, ours in reference_names.BINARY.items():
            assert panel.statistics[ours].value == pytest.approx(expected[name][theirs], abs=1e-9), ours
        for rate in ("accuracy", "tpr", "tnr"):
            ours = panel.statistics[reference_names.BINARY[rate]]
            assert [ours.low, ours.high] == pytest.approx(expected[name][f"{rate}_wilson95"], abs=1e-9)


def test_devai_wald_intervals_have_the_published_standard_errors(reference: Path, devai: Table) -> None:
    panels = panels_of(calibrate(devai, interval="wald"))
    for name, expected in expected_of(reference, "devai")["judges"].items():
        statistics = panels[name].statistics
        kappa = statistics["cohen_kappa"]
        assert [kappa.low, kappa.high] == pytest.approx(expected["cohen_kappa_ci95_wald"], abs=1e-9)
        for theirs in ("cohen_kappa_se_fleiss1969", "scott_pi_se", "gwet_ac1_se"):
            assert half_width(statistics[STANDARD_ERRORS[theirs]]) / NORMAL == pytest.approx(
                expected[theirs], abs=1e-9
            )


def test_devai_cluster_t_has_the_standard_error_of_a_clustered_regression(
    reference: Path, devai: Table
) -> None:
    panels = panels_of(calibrate(devai, interval="cluster-t"))
    for name, expected in expected_of(reference, "devai")["judges"].items():
        ours = half_width(panels[name].statistics["accuracy"]) / T_54
        assert ours == pytest.approx(expected["accuracy_cluster_se_statsmodels"], abs=1e-9)


def test_devai_cluster_bootstrap_agrees_within_the_stated_tolerance(reference: Path, devai: Table) -> None:
    statistics = panels_of(calibrate(devai, interval="bootstrap"))["all"].statistics
    expected = expected_of(reference, "devai")["judges"]["all"]["cluster_bootstrap_percentile95"]
    for name in ("accuracy", "cohen_kappa"):
        ours = [statistics[name].low, statistics[name].high]
        assert ours == pytest.approx(expected[name], abs=expected["tolerance"])


def test_summhay_graded_statistics_agree(reference: Path, summhay: Table) -> None:
    judges = calibrate(summhay, interval="wald", slices=False).judges
    for name, expected in expected_of(reference, "summhay")["per_insight"].items():
        statistics = judges[name].statistics
        for theirs, ours in GRADED.items():
            assert statistics[ours].value == pytest.approx(expected[theirs], abs=1e-9), (name, ours)
        assert statistics["icc_a1"].value == pytest.approx(expected["icc"]["ICC2"], abs=1e-9)
        fisher = statistics["pearson"]
        assert [fisher.low, fisher.high] == pytest.approx(expected["pearson_ci95_fisher"], abs=1e-9)
        assert half_width(statistics["weighted_kappa"]) / NORMAL == pytest.approx(
            expected["kappa_quadratic_se"], abs=1e-9
        )
        binary = expected["binarised_any_coverage"]
        assert {key: getattr(judges[name], key) for key in COUNTS} == {key: binary[key] for key in COUNTS}
        for theirs, ours in reference_names.BINARY.items():
            assert statistics[ours].value == pytest.approx(binary[theirs], abs=1e-9), (name, ours)


def test_summhay_fractions_agree(reference: Path) -> None:
    lines = (reference / "calibration" / "summhay" / "data.jsonl").read_text().splitlines()
    summaries: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in map(json.loads, lines):
        summaries.setdefault((row["judge"], row["cluster"]), []).append((row["label"], row["score"]))
    means = [
        {
            "item_id": summary,
            "judge": judge,
            "label": sum(labels) / len(labels),
            "score": sum(scores) / len(scores),
        }
        for (judge, summary), pairs in summaries.items()
        for labels, scores in [tuple(zip(*pairs, strict=True))]
    ]
    judges = calibrate(table_from_rows(means), interval="wald", slices=False).judges
    for name, expected in expected_of(reference, "summhay")["per_summary_mean"].items():
        statistics = judges[name].statistics
        assert GRADED.keys() - expected.keys() == {"kappa_quadratic"}
        for theirs in GRADED.keys() & expected.keys():
            assert statistics[GRADED[theirs]].value == pytest.approx(expected[theirs], abs=1e-9), (
                name,
                theirs,
            )
        assert statistics["icc_a1"].value == pytest.approx(expected["icc"]["ICC2"], abs=1e-9)
        fisher = statistics["pearson"]
        assert [fisher.low, fisher.high] == pytest.approx(expected["pearson_ci95_fisher"], abs=1e-9)


@pytest.mark.parametrize("name", ["devai", "textbook"])
def test_every_value_is_given_by_a_command_or_has_a_reason_why_not(reference: Path, name: str) -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "reference_values.py"
    found = subprocess.run(
        [sys.executable, script, name],
        env=os.environ | {"FIDUCIAL_REFERENCE": str(reference)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"{name}: " in found.stdout
    assert "0 differ, 0 not accounted for" in found.stdout


def test_a_share_of_what_is_supported_is_said_to_want_another_threshold(reference: Path) -> None:
    found = calibrate(read_table([reference / "recorded" / "summaries.jsonl"]))
    (caution,) = (each for each in found.cautions if each.code == "another_threshold")
    assert set(caution.about) == {"groundedness/direct@claude", "groundedness/reasons@claude"}
