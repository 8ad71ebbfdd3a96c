"""Lines on scores as probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration import calibrate, table_from_rows
from fiducial.calibration.agreement.calibration_results import Calibration
from fiducial.calibration.arrays import BoolArray, FloatArray
from fiducial.report.document import as_lines
from fiducial.report.text.one_screen import one_screen, statistic_text
from fiducial.report.text.probability_text import coverage_lines, only_curve, only_ranking, probability_lines


@pytest.mark.parametrize(
    ("unlabelled", "told"),
    [
        (0, "sure is overconfident (slope below 1)."),
        (50, "sure has a slope below 1 on these labels; overconfident if they are a random sample."),
    ],
)
def test_a_judge_is_overconfident_only_by_labels_of_all_outputs_or_a_random_sample(
    unlabelled: int, told: str
):
    rng = np.random.default_rng(0)
    chance = rng.random(300)
    said = np.clip(chance + np.sign(chance - 0.5) * 0.4, 0.01, 0.99)
    assert last_line(said, rng.random(300) < chance, unlabelled) == told


@pytest.mark.parametrize(
    ("unlabelled", "where"),
    [(0, ""), (50, " on these labels")],
)
@pytest.mark.parametrize("sign", [0, -1])
def test_probabilities_that_do_not_rise_with_the_pass_rate_are_not_called_overconfident(
    sign: int, unlabelled: int, where: str
):
    rng = np.random.default_rng(0)
    said = rng.uniform(0.05, 0.95, 300)
    passed = rng.random(300) < 0.5 + sign * (said - 0.5)
    assert (
        last_line(said, passed, unlabelled)
        == f"Probabilities of sure are not shown to rise with the pass rate{where}: slope below 1, not clearly above 0."
    )


@pytest.mark.parametrize("room", range(5, 16))
def test_a_curve_that_is_cut_says_how_many_of_its_rows_are_missing(room: int):
    said = np.linspace(0.05, 0.95, 40)
    curve = [*only_curve(calibrated(said, np.arange(40) % 2 > 0, 0))]
    whole = [*as_lines(curve)]
    shown = [*as_lines(one_screen(curve, room))]
    if len(whole) <= room:
        assert shown == whole
    else:
        assert shown[:-1] == whole[: room - 1]
        assert shown[-1] == f"{len(whole) - room + 1} more rows"


def test_one_screen_says_how_the_only_judge_ranks_and_errs_where_it_is_surest():
    said = np.linspace(0.01, 0.99, 40)
    passed = said >= 0.5
    passed[[18, 19, 20]] = ~passed[[18, 19, 20]]
    found = calibrated(said, passed, 0)
    (line,) = only_ranking(found)
    auroc = found.judges["sure"].statistics["auroc"]
    assert auroc.value == pytest.approx(np.mean(said[passed][:, None] > said[~passed]))
    assert line == f"AUROC {statistic_text(auroc)}; of the surest 10, 50, 100 %: 0.00, 0.00, 0.07 wrong."
    (scores,) = found.probability.values()
    rows = [coverage_line.split() for coverage_line in coverage_lines(scores)]
    assert [row[:4] for row in rows[1:]] == [
        [f"{10 * step}", "%", f"{4 * step}", f"{3 * (step == 10)}"] for step in range(1, 11)
    ]


def test_several_judges_have_their_ranking_in_full_alone():
    rows = [
        {"item_id": f"i{n}", "judge": judge, "score": n / 40, "label": float(n % 3 > 0)}
        for n in range(40)
        for judge in "ab"
    ]
    assert [*only_ranking(calibrate(table_from_rows(rows), replicates=20))] == []


def last_line(said: FloatArray, passed: BoolArray, unlabelled: int) -> str:
    """Return the last line about a judge of which the first so many outputs have no label."""
    return list(as_lines(probability_lines(calibrated(said, passed, unlabelled))))[-1]


def calibrated(said: FloatArray, passed: BoolArray, unlabelled: int) -> Calibration:
    rows = [
        {"item_id": f"i{n}", "judge": "sure", "score": round(float(said[n]), 3)}
        | ({"label": float(passed[n])} if n >= unlabelled else {})
        for n in range(len(said))
    ]
    table = table_from_rows(rows).with_score_kinds({"": "probabilities"})
    return calibrate(table, replicates=20)
