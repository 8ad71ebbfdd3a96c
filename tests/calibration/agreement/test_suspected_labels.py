"""Labels that good judges contradict come first."""

from __future__ import annotations

import numpy as np
import pytest
from table_rows import rows_of_columns

from fiducial.calibration import table_from_rows
from fiducial.calibration.agreement.suspected_labels import suspected_label_errors


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
    found = suspected_label_errors(table_from_rows(rows))
    assert {suspect.item_id for suspect in found[:2]} == {"3", "70"}
    assert all("good" in suspect.contradicted_by for suspect in found[:2])
    assert [suspect.evidence for suspect in found] == sorted((s.evidence for s in found), reverse=True)


def test_without_labels_there_is_nothing_to_suspect() -> None:
    assert suspected_label_errors(table_from_rows([{"item_id": "a", "judge": "j", "score": 1}])) == []


def test_errors_of_a_judge_in_the_large_class_do_not_hide_wrong_labels_of_the_small_one() -> None:
    """Nine in ten are right: the judge fails 45 of them by mistake, and passes 40 whose label is wrong."""
    rng = np.random.default_rng(1)
    truth = rng.random(1_000) < 0.9
    label = truth & (rng.random(1_000) >= 0.05)
    score = np.where(truth, rng.random(1_000) < 0.95, rng.random(1_000) >= 0.9)
    rows = rows_of_columns(label.astype(float), score.astype(float))
    found = suspected_label_errors(table_from_rows(rows), limit=10)
    assert len(found) == 10
    assert sum(bool(truth[int(each.item_id)]) != bool(each.label) for each in found) >= 7


def test_the_evidence_is_the_log_odds_of_the_other_class() -> None:
    """Of ten labels eight pass; the judge contradicts one of those and one of the others."""
    label, score = [1.0] * 8 + [0.0] * 2, [1.0] * 7 + [0.0, 0.0, 1.0]
    rows = rows_of_columns(label, score)
    (suspect,) = [each for each in suspected_label_errors(table_from_rows(rows)) if each.item_id == "9"]
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
        return [each.item_id for each in suspected_label_errors(table_from_rows([*rows, *good]))]

    others = [f"good{n}" for n in range(20)]
    assert suspects(["z", "x", *others, "y"]) == ["x", "y", "z"]
    assert suspects(["y", *others, "z", "x"]) == ["x", "y", "z"]
