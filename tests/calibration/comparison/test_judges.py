"""Two versions of a probability judge on the same items."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fiducial as fd
from fiducial.calibration.comparison.comparison_results import ProbabilityDifference
from fiducial.calibration.comparison.judges import with_probabilities
from fiducial.calibration.comparison.pairs import ContenderRows


def versions(
    change: Callable[[float], float], *, labelled: bool = True, items: int = 300
) -> ProbabilityDifference | None:
    rng = random.Random(5)
    rows: list[dict[str, Any]] = []
    for number in range(items):
        logit = rng.gauss(0.5, 1.5)
        label = float(rng.random() < 1 / (1 + math.exp(-logit)))
        for judge, by in (("old", 1.0), ("new", None)):
            p = 1 / (1 + math.exp(-(logit if by else change(logit))))
            rows.append({"item_id": f"q{number}", "judge": judge, "score": round(p, 4), "label": label if labelled else None})  # fmt: skip
    (pair,) = fd.compare(rows).pairs
    return pair.probabilities


def test_equal_verdicts_with_worse_probabilities_differ_in_brier():
    found = versions(lambda logit: 3 * logit)
    assert found is not None
    assert found.brier.high is not None
    assert found.brier.high < 0
    assert found.brier_p is not None
    assert found.brier_p < 0.05
    assert found.size.value is not None
    assert found.size.value > 0.05


def test_a_shift_is_a_mean_change_with_its_sign():
    found = versions(lambda logit: logit - 1)
    assert found is not None
    assert found.change.value == found.size.value
    assert found.change.low is not None
    assert found.change.low > 0
    assert found.largest > 0
    assert found.largest_item.startswith("q")


def test_equal_versions_do_not_differ():
    found = versions(lambda logit: logit)
    assert found is not None
    assert (found.change.value, found.size.value, found.brier.value) == (0.0, 0.0, 0.0)


def test_without_labels_probabilities_are_compared_and_no_brier_is_claimed():
    found = versions(lambda logit: 2 * logit, labelled=False)
    assert found is not None
    assert found.size.value is not None
    assert (found.brier.value, found.brier_p) == (None, None)


def test_grades_are_no_probabilities():
    assert versions(lambda logit: 9.0 if logit > 0 else -9.0) is None


def test_the_difference_covers_the_true_one_of_planted_worlds():
    """Brier of p = sigma(t) minus that of sigma(2t), in 200 worlds."""
    rng = np.random.default_rng(11)
    (pair,) = fd.compare([{"item_id": n, "judge": judge, "score": n / 20, "label": n % 2} for n in range(20) for judge in ("a", "b")]).pairs  # fmt: skip
    covered = 0
    for _ in range(200):
        logits = rng.normal(0, 1.5, 150)
        p, q = (1 / (1 + np.exp(-array)) for array in (logits, 2 * logits))
        label = (rng.random(150) < p).astype(float)
        truth = float(((p - q) * (p + q - 2 * p)).mean())
        numbers = np.arange(150)
        rows = {
            name: ContenderRows(name, numbers, label, score, score >= 0.5, numbers, numbers, 0, 0.5)
            for name, score in (("a", p), ("b", q))
        }
        difference = with_probabilities([pair], rows, [*map(str, numbers)], 0.95)[0].probabilities
        assert difference is not None
        assert difference.brier.low is not None
        assert difference.brier.high is not None
        covered += difference.brier.low <= truth <= difference.brier.high
    assert covered >= 184


def test_systems_are_not_compared_by_probabilities():
    rows = [{"item_id": f"q{n}|{system}", "judge": "j", "system": system, "score": (n % 20) / 20, "label": 1.0} for n in range(40) for system in ("a", "b")]  # fmt: skip
    assert all(pair.probabilities is None for pair in fd.compare(rows, by="system", right="agrees").pairs)


@pytest.mark.parametrize("verbose", [False, True])
def test_both_screens_show_it(verbose: bool):
    rng = random.Random(1)
    rows = [{"item_id": f"q{n}", "judge": judge, "score": rng.random(), "label": float(n % 2)} for n in range(40) for judge in ("a", "b")]  # fmt: skip
    found = fd.compare(rows)
    shown = str(found) if verbose else "\n".join(map(str, found.screen()))
    assert "Scores as probabilities on the same items" in shown
