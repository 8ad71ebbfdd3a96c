"""Judges whose scores are declared probabilities: numbers and words that follow."""

from __future__ import annotations

import math
import random
from functools import cache
from typing import Any

import pytest

import fiducial as fd
from fiducial.api.table_results import Calibration
from fiducial.errors import UsageError
from fiducial.report.calibration_page import calibration_page
from fiducial.report.document import as_html, as_lines
from fiducial.report.text.trust_words import trust_of

FAST: dict[str, Any] = {"replicates": 100}


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@cache
def rows() -> list[dict[str, Any]]:
    """Return a calibrated judge, an overconfident one that ranks alike, and one that rounds."""
    r = random.Random(3)
    found: list[dict[str, Any]] = []
    for n in range(150):
        t = r.gauss(0.8, 1.6)
        y = int(r.random() < _sigmoid(t))
        scores = {"honest": _sigmoid(t), "over": _sigmoid(2.5 * t), "two": round(_sigmoid(t), 2)}
        found += [
            {"item_id": f"q{n}", "judge": judge, "score": min(0.99, p) if judge == "two" else p, "label": y}
            for judge, p in scores.items()
        ]
    return found


@cache
def calibrated(scores: str | None = None, **options: Any) -> Calibration:
    return fd.calibrate(rows(), scores_are=scores, **FAST, **options)  # pyright: ignore[reportArgumentType]


def words(calibration: Calibration) -> dict[str, str]:
    return {trust.judge: trust.word for trust in trust_of(calibration)}


def screen(calibration: Calibration) -> str:
    return "\n".join(as_lines(calibration.screen(200)))


def test_a_calibrated_judge_is_not_biased_and_an_overconfident_one_is_called_so():
    found = calibrated("probabilities")
    assert "biased" not in words(found).values()
    shown = screen(found)
    assert "over is overconfident" in shown
    assert "honest is" not in shown.replace("honest has", "")
    assert found.probability["honest"].bins


def test_undeclared_scores_show_the_numbers_ask_and_give_no_word():
    found = calibrated()
    shown = screen(found)
    assert "scores_are=" in shown
    assert "confident" not in shown
    assert "biased" not in words(found).values()
    assert "confident" not in screen(calibrated("grades"))
    assert "slope" not in screen(calibrated("grades"))


def test_a_threshold_that_the_user_gives_takes_no_declaration_back():
    found = calibrated("probabilities", pass_at=0.7)
    assert found["over"].scores == "probabilities"
    assert "overconfident" in screen(found)


def test_labels_of_a_part_that_nothing_declares_random_give_no_word():
    some = [{**row, "label": row["label"] if int(row["item_id"][1:]) % 20 else None} for row in rows()]
    shown = screen(fd.calibrate(some, scores_are="probabilities", **FAST))
    assert "over has a slope below 1 on these labels; overconfident if they are a random sample." in shown
    assert "is overconfident" not in shown


@pytest.mark.parametrize("judge", ["honest", "two"])
def test_no_threshold_is_advised_against_a_calibrated_probability(judge: str):
    for scores in ("probabilities", None):
        advised = [
            caution.about for caution in calibrated(scores).cautions if caution.code == "another_threshold"
        ]
        assert not any(judge in about for about in advised)


def test_the_threshold_of_probabilities_follows_the_costs_that_the_user_states():
    found = calibrated("probabilities", error_costs="5,1")
    assert found["honest"].pass_at == pytest.approx(5 / 6)
    assert found["honest"].pass_at_source == "costs"
    told = calibrated("probabilities", error_costs="5,1", pass_at=0.7)
    assert told["honest"].pass_at == 0.7
    with pytest.raises(UsageError, match="scores"):
        calibrated(error_costs="5,1")


def test_a_certificate_follows_the_ranking_alone():
    found = calibrated("probabilities", max_error=0.2)
    kept = {name: (each.kept, each.errors) for name, each in found.selective.items()}
    assert kept["honest"] == kept["over"] != (0, 0)


def test_suspects_are_ranked_by_the_probability_of_their_label():
    honest = [row for row in rows() if row["judge"] == "honest"]
    found = fd.calibrate(honest, scores_are="probabilities", **FAST)
    of_label = {row["item_id"]: row["score"] if row["label"] else 1 - row["score"] for row in honest}
    suspects = [error.item_id for error in found.suspected_label_errors]
    assert suspects == sorted(of_label, key=lambda item: of_label[item])[: len(suspects)]


def test_the_page_draws_the_curve_of_ten_bins():
    found = calibrated("probabilities")
    page = as_html(calibration_page(found))
    assert page.count('class="reliability"') + page.count("reliability in bins of equal mass") >= 3
    assert len(found.probability["honest"].bins) == 10
    assert "if its scores are probabilities" not in page
    assert "if its scores are probabilities" in as_html(calibration_page(calibrated()))


@pytest.mark.parametrize("given", [{"honets": "probabilities"}, "odds"])
def test_a_judge_or_a_kind_that_is_not_there_is_refused(given: Any):
    with pytest.raises(UsageError, match=r"honest|probabilities"):
        fd.calibrate(rows(), scores_are=given, **FAST)


def _systems(seed: int, stretch: float = 2.5) -> list[dict[str, Any]]:
    r = random.Random(seed)
    found: list[dict[str, Any]] = []
    for n in range(300):
        for system, mean in (("a", 0.8), ("b", 0.5)):
            t = r.gauss(mean, 1.6)
            label = float(r.random() < _sigmoid(t)) if n % 3 == 0 else None
            found.append({
                "item_id": f"q{n}", "cluster": f"q{n}", "system": system, "judge": "j",
                "score": _sigmoid(stretch * t), "label": label, "checker_score": 1.0 if n == 1 else None,
            })  # fmt: skip
    return found


def test_the_rate_of_a_system_is_the_mean_probability_and_no_count_above_a_threshold():
    table = _systems(1)
    mean = sum(row["score"] for row in table if row["system"] == "a" and row["checker_score"] is None) / 299
    for pass_at in (None, 0.9):
        found = fd.compare(table, by="system", scores_are="probabilities", pass_at=pass_at)
        assert found.strata is not None
        assert found.strata.open.rates["a"].value == pytest.approx(mean)
        assert found.strata.open.passed["a"] == pytest.approx(mean * 299)
        rates = fd.estimate(table, scores_are="probabilities", pass_at=pass_at)["a"]
        assert rates.judge_mean == pytest.approx(
            sum(row["score"] for row in table if row["system"] == "a") / 300
        )


def test_labels_correct_the_mean_probability_as_a_predictor():
    table = [{**row, "checker_score": None} for row in _systems(1)]
    corrected = fd.compare(table, by="system", scores_are="probabilities", labels_chosen_by="random")
    assert corrected.strata is not None
    estimated = fd.estimate(table, scores_are="probabilities", labels_chosen_by="random")
    for system in "ab":
        rate = corrected.strata.open.rates[system]
        assert rate.value == pytest.approx(estimated[system].ppi_plus_plus.value)
    (pair,) = corrected.pairs
    assert pair.corrected


def test_a_difference_of_uncorrected_probabilities_is_that_of_their_means():
    table = _systems(2)
    (pair,) = fd.compare(table, by="system", scores_are="probabilities").pairs
    assert pair.rate_a is not None
    assert pair.rate_b is not None
    assert pair.difference.value == pytest.approx((pair.rate_a.value or 0) - (pair.rate_b.value or 0))
