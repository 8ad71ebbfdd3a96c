"""Plans in words."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fiducial.api.planning import plan_both


def judged(n: int, labelled: int, right: float = 0.9) -> list[dict[str, Any]]:
    """Rows of a judge that is right this often, with labels of the first items."""
    r = random.Random(3)
    rows: list[dict[str, Any]] = []
    for item in range(n):
        truth = r.random() < 0.6
        score = float(truth if r.random() < right else not truth)
        rows.append(
            {
                "item_id": f"q{item}",
                "judge": "j",
                "score": score,
                "label": float(truth) if item < labelled else None,
            }
        )
    return rows


def text(*table: Any, **options: Any) -> str:
    return " ".join(str(plan_both(*table, **options)).split())


def test_a_plan_says_that_a_table_has_too_few_outputs_for_it() -> None:
    assert "This table cannot reach ±0.02: 60 outputs are left, " in text(judged(120, 60), half_width=0.02)
    assert "cannot reach" not in text(judged(500, 60), half_width=0.1)


def test_a_correction_that_saves_no_labels_is_not_proposed() -> None:
    assert "Corrected with j: " in text(judged(1_000, 200), half_width=0.05)
    assert "Corrected with j: " not in text(judged(600, 200, right=0.5), half_width=0.05)


def test_rates_are_named_in_words_and_assumptions_with_their_options() -> None:
    planned = text(half_width=0.05, tpr=0.8, unlabelled=5_000)
    assert (
        "Assumes pass rate 0.5 (--prevalence), true positive rate 0.8 (--tpr), true negative rate 0.9 (--tnr)."
        in planned
    )
    assert "corrected pass rate" in planned
    assert "Rogan-Gladen: good outputs" in planned
    assert "_" not in planned


def test_a_plan_from_labels_names_only_the_rates_that_were_given() -> None:
    rows = judged(300, 100)
    assert "Assumes" not in text(rows, half_width=0.05)
    assert "Assumes pass rate 0.3 (--prevalence)." in text(rows, half_width=0.05, prevalence=0.3)


@pytest.mark.parametrize(("discordant", "share"), [(0.2, "20"), (0.125, "12.5")])
def test_a_plan_for_a_difference_names_its_power_and_its_assumption(discordant: float, share: str) -> None:
    planned = text(difference=0.05, discordant=discordant)
    assert planned.startswith("To detect a difference of 0.05 with 80 % power, compare ")
    assert planned.endswith(f"items. Assumes that only one judge is right on {share} % (--discordant).")


def test_the_width_for_undecided_outputs_is_named_only_if_it_differs() -> None:
    options: dict[str, Any] = {
        "budget": 500,
        "costs": {"label": 2, "cheap": 0.01},
        "cheap": (0.9, 0.8),
        "of": 10_000,
    }
    assert "undecided ones to within" not in text(**options)
    assert "undecided ones to within" in text(**options, decided=0.5)


def test_a_random_draw_shows_the_rate_so_far_with_an_interval_for_every_look() -> None:
    rows = [row | {"label_added": None if row["label"] is None else 1} for row in judged(120, 0)]
    assert plan_both(rows, draw=5).draw is not None
    assert "anytime" not in plan_both(rows, draw=5).to_dict()
    labelled = [row | {"label_added": None if row["label"] is None else 1} for row in judged(120, 30)]
    found = plan_both(labelled, draw=5).to_dict()["anytime"]
    assert found["low"] < found["value"] < found["high"]
    assert "holds at every look" in text(labelled, draw=5)
    unordered = plan_both(judged(120, 30), draw=5)
    assert unordered.to_dict()["anytime"]["value"] is None
    assert "order in which labels came" in " ".join(str(unordered).split())
    assert "anytime" not in plan_both(labelled, draw=60, strata="score").to_dict()
