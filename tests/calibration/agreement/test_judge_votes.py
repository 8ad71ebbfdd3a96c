"""Dawid and Skene's model, held against closed forms, planted rates and another optimizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from each_row import each_row
from known_numbers import printed
from lazily import Lazily
from table_rows import rows_of_columns

from fiducial.calibration import calibrate, table_from_rows
from fiducial.calibration.agreement.judge_votes import DawidSkene, dawid_skene, suspected_label_errors
from fiducial.calibration.arrays import FloatArray

optimize = Lazily("scipy.optimize")

TPR, TNR = np.array([0.9, 0.8, 0.7, 0.95]), np.array([0.85, 0.9, 0.6, 0.7])


def planted(seed: int, n: int, judges: int = 4, *, shared: float = 0.0, gaps: float = 0.0) -> tuple[Any, Any]:
    """Return truth and verdicts; the last judge copies the first on a share of the items."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    chance = np.where(truth, TPR[:judges, None], 1 - TNR[:judges, None])
    verdicts = (rng.random((judges, n)) < chance).astype(float)
    verdicts[-1] = np.where(rng.random(n) < shared, verdicts[0], verdicts[-1])
    verdicts[rng.random(verdicts.shape) < gaps] = np.nan
    return truth, verdicts


def fitted(verdicts: FloatArray) -> DawidSkene:
    found = dawid_skene(verdicts)
    assert not isinstance(found, str), found
    return found


def test_planted_rates_are_found() -> None:
    found = fitted(planted(0, 40_000)[1])
    assert found.prevalence == pytest.approx(0.3, abs=0.02)
    assert found.true_positive_rate == pytest.approx(TPR, abs=0.02)
    assert found.true_negative_rate == pytest.approx(TNR, abs=0.02)
    assert max(abs(pair.observed - pair.expected) for pair in found.pairs) < 0.01


def test_gaps_are_left_out_not_counted_as_fails() -> None:
    found = fitted(planted(1, 40_000, gaps=0.3)[1])
    assert found.true_positive_rate == pytest.approx(TPR, abs=0.03)
    assert {pair.n for pair in found.pairs}.isdisjoint({40_000})


def test_three_judges_have_a_closed_form() -> None:
    """With three judges, covariances and the third central moment determine all rates."""
    _, verdicts = planted(2, 5_000, 3)
    found = fitted(verdicts)
    centred = verdicts - verdicts.mean(axis=1, keepdims=True)
    covariance = centred @ centred.T / 5_000
    ab, ac, bc = covariance[0, 1], covariance[0, 2], covariance[1, 2]
    third = np.prod(centred, axis=0).mean()
    spread = 1 / (third**2 / (ab * ac * bc) + 4)
    prevalence = (1 - np.sign(third) * np.sqrt(1 - 4 * spread)) / 2
    youden = np.sqrt(np.array([ab * ac / bc, ab * bc / ac, ac * bc / ab]) / spread)
    assert found.prevalence == pytest.approx(prevalence, abs=1e-6)
    assert found.true_positive_rate == pytest.approx(
        verdicts.mean(axis=1) + (1 - prevalence) * youden, abs=1e-6
    )
    assert found.true_negative_rate == pytest.approx(
        1 - verdicts.mean(axis=1) + prevalence * youden, abs=1e-6
    )
    assert found.pairs == []


def test_no_climb_from_elsewhere_finds_a_larger_likelihood() -> None:
    _, verdicts = planted(3, 400)

    def loss(logits: FloatArray) -> float:
        prevalence, rates = 1 / (1 + np.exp(-logits[0])), 1 / (1 + np.exp(-logits[1:]))
        tpr, tnr = rates[:4, None], rates[4:, None]
        if_right = np.prod(np.where(verdicts == 1, tpr, 1 - tpr), axis=0)
        if_wrong = np.prod(np.where(verdicts == 0, tnr, 1 - tnr), axis=0)
        return -float(np.log(prevalence * if_right + (1 - prevalence) * if_wrong).sum())

    found = fitted(verdicts)
    rates = np.concatenate([[found.prevalence], found.true_positive_rate, found.true_negative_rate])
    rates = np.clip(rates, 1e-9, 1 - 1e-9)
    ours = loss(np.log(rates / (1 - rates)))
    rng = np.random.default_rng(0)
    others = [optimize.minimize(loss, rng.normal(size=9), method="BFGS").fun for _ in range(5)]
    assert ours <= min(others) + 1e-4


def test_the_class_in_which_judges_beat_chance_is_called_right() -> None:
    _, verdicts = planted(4, 4_000)
    # A majority of fails begins on the other side; names do not change with it.
    found = fitted(verdicts)
    assert (found.true_positive_rate + found.true_negative_rate).mean() > 1
    turned = fitted(1 - verdicts)
    assert turned.prevalence == pytest.approx(1 - found.prevalence, abs=1e-6)
    assert turned.true_positive_rate == pytest.approx(found.true_negative_rate, abs=1e-6)


def test_shared_errors_show_as_agreement_that_the_model_does_not_expect() -> None:
    alone, shared = (
        max(pair.observed - pair.expected for pair in fitted(planted(5, 8_000, shared=share)[1]).pairs)
        for share in (0.0, 0.5)
    )
    assert alone < 0.01
    assert shared > 0.02


def test_the_model_takes_what_judges_share_for_the_truth() -> None:
    found = fitted(planted(5, 8_000, shared=0.5)[1])
    assert found.true_positive_rate[0] > TPR[0] + 0.03


def test_it_is_the_same_each_time_and_in_any_order() -> None:
    _, verdicts = planted(6, 500)
    first, again = fitted(verdicts), fitted(verdicts[:, ::-1])
    assert first.prevalence == again.prevalence
    assert (first.posterior == again.posterior[::-1]).all()


@each_row(
    ("verdicts", "why"),
    [
        (np.ones((2, 5)), "no item has verdicts of three"),
        (np.array([[1.0, 0], [1, 0], [np.nan, np.nan]]), "no item has verdicts of three"),
        (np.where(np.eye(4) == 1, 1.0, np.nan), "no item has verdicts of three"),
        (np.kron([[1, np.nan], [np.nan, 1]], np.ones((3, 4))), "no item in common"),
        (np.ones((3, 5)), "all items to be of one class"),
        (np.zeros((3, 1)), "all items to be of one class"),
        (np.full((3, 4), np.nan), "no item has verdicts of three"),
        (np.ones((3, 0)), "no item has verdicts of three"),
    ],
)
def test_where_there_is_no_model_it_says_why(verdicts: FloatArray, why: str) -> None:
    found = dawid_skene(verdicts)
    assert isinstance(found, str)
    assert why in found


def rows_of(truth: Any, verdicts: Any) -> list[dict[str, Any]]:
    return [
        {"item_id": str(item), "judge": f"j{judge}", "score": score, "label": float(truth[item])}
        for judge, scores in enumerate(verdicts.tolist())
        for item, score in enumerate(scores)
    ]


def test_calibrate_puts_it_beside_the_labels() -> None:
    result = calibrate(table_from_rows(rows_of(*planted(7, 3_000, shared=0.6))))
    found = result.dawid_skene
    assert found.n == 3_000
    assert found.judges["j0"].true_positive_rate.method == "Dawid-Skene: no interval"
    assert len(found.pairs) == 6
    text = printed(result)
    assert "a diagnostic" in text
    assert "but judges share errors" in text
    assert "expected 0." in text


def test_three_judges_are_said_to_hide_what_they_share() -> None:
    text = printed(calibrate(table_from_rows(rows_of(*planted(8, 500, 3)))))
    assert "shared errors cannot be detected" in text


def test_two_judges_are_refused_in_the_json_and_not_printed() -> None:
    result = calibrate(table_from_rows(rows_of(*planted(9, 50, 2))))
    assert result.dawid_skene.n == 0
    assert (
        result.dawid_skene.undefined
        == "it takes three judges on the same items; no item has verdicts of three"
    )
    assert "Dawid" not in printed(result)


def test_a_label_that_good_judges_contradict_is_found_and_a_coin_has_no_say() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(200) < 0.5
    label = truth.copy()
    label[[3, 70]] = ~label[[3, 70]]
    rows = [
        {"item_id": str(n), "judge": judge, "score": float(score), "label": float(label[n])}
        for judge, share in {"good": 0.97, "fair": 0.9, "coin": 0.5}.items()
        for n, score in enumerate(np.where(rng.random(200) < share, truth, ~truth))
    ]
    found = suspected_label_errors(table_from_rows(rows)).first
    assert {suspect.item_id for suspect in found[:2]} == {"3", "70"}
    assert all("good" in suspect.contradicted_by for suspect in found[:2])
    assert [suspect.evidence for suspect in found] == sorted((s.evidence for s in found), reverse=True)


def test_one_judge_of_several_is_not_most_of_them() -> None:
    """Two judges share ten items and grade ten alone; each errs once on either class."""
    rows = [
        {"item_id": f"{part}{n}", "judge": judge, "score": float(n % 2 == (n != 3)), "label": float(n % 2)}
        for judge in "jk"
        for part in ("both", judge)
        for n in range(10)
    ]
    assert [label.item_id for label in suspected_label_errors(table_from_rows(rows)).first] == ["both3"]


def test_the_most_doubtful_are_listed_and_all_are_counted() -> None:
    rows = [
        {"item_id": f"{n:03d}", "judge": judge, "score": float(n % 2 != (n < 60)), "label": float(n % 2)}
        for judge in "jk"
        for n in range(500)
    ]
    found = calibrate(table_from_rows(rows), slices=False)
    assert (len(found.suspected_label_errors), found.suspected_count) == (20, 60)


def test_without_labels_there_is_nothing_to_suspect() -> None:
    assert suspected_label_errors(table_from_rows([{"item_id": "a", "judge": "j", "score": 1}])) == ([], 0)


def test_errors_of_a_judge_in_the_large_class_do_not_hide_wrong_labels_of_the_small_one() -> None:
    """Nine in ten are right: the judge fails 45 of them, and passes 40 with wrong labels."""
    rng = np.random.default_rng(1)
    truth = rng.random(1_000) < 0.9
    label = truth & (rng.random(1_000) >= 0.05)
    score = np.where(truth, rng.random(1_000) < 0.95, rng.random(1_000) >= 0.9)
    rows = rows_of_columns(label.astype(float), score.astype(float))
    found = suspected_label_errors(table_from_rows(rows), limit=10).first
    assert len(found) == 10
    assert (
        sum(
            bool(truth[int(suspected_label.item_id)]) != bool(suspected_label.label)
            for suspected_label in found
        )
        >= 7
    )


def test_the_evidence_is_the_log_odds_of_the_other_class() -> None:
    """Of ten labels eight pass; the judge contradicts one of those and one of the others."""
    label, score = [1.0] * 8 + [0.0] * 2, [1.0] * 7 + [0.0, 0.0, 1.0]
    rows = rows_of_columns(label, score)
    (suspect,) = [
        suspected_label
        for suspected_label in suspected_label_errors(table_from_rows(rows)).first
        if suspected_label.item_id == "9"
    ]
    # P(pass | 1) = 8/10, P(pass | 0) = 2/4, P(1) = 9/12, each with one of either added.
    assert suspect.evidence == pytest.approx(np.log(9 / 3) + np.log(0.8 / 0.5))


def test_tied_suspects_are_ordered_by_id_and_not_by_the_order_of_rows():
    def suspects(items: list[str]) -> list[str]:
        rows = [
            {"item_id": item, "judge": judge, "score": 1.0, "label": 0.0 if item in {"x", "y", "z"} else 1.0}
            for item in items
            for judge in ("a", "b")
        ]
        good = [
            {"item_id": f"bad{n}", "judge": judge, "score": 0.0, "label": 0.0}
            for n in range(20)
            for judge in ("a", "b")
        ]
        return [label.item_id for label in suspected_label_errors(table_from_rows([*rows, *good])).first]

    others = [f"good{n}" for n in range(20)]
    assert suspects(["z", "x", *others, "y"]) == ["x", "y", "z"]
    assert suspects(["y", *others, "z", "x"]) == ["x", "y", "z"]


def test_outputs_of_several_systems_for_one_item_are_suspected_apart():
    def rows_with(item_of: Callable[[int, str], str]) -> list[dict[str, Any]]:
        return [
            {
                "item_id": item_of(n, system),
                "system": system,
                "judge": judge,
                "score": float(right),
                "label": float(right != (n == 3 and right)),
            }
            for n in range(40)
            for system, right in (("good", True), ("bad", False))
            for judge in "jk"
        ]

    (suspect,) = suspected_label_errors(table_from_rows(rows_with(lambda n, _: f"i{n}"))).first
    (named,) = suspected_label_errors(table_from_rows(rows_with(lambda n, system: f"i{n}|{system}|0"))).first
    assert (suspect.item_id, suspect.label, suspect.contradicted_by) == ("i3", 0.0, ["j", "k"])
    assert suspect.evidence == named.evidence
