"""Claims of a certificate: their rates, and the level at which they hold together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiducial.calibration.intervals.clustered_rates import certified_rate
from fiducial.errors import UsageError
from fiducial.evaluation.audit.certificate import STATISTICS, certify
from fiducial.evaluation.audit.judged_run import JudgedRun

ISSUED: dict[str, Any] = {"issued": "today", "drift": "e-process"}
PASSED, FAILED = [1.0] * 28 + [0.0] * 2, [0.0] * 15 + [1.0] * 5
"""The judge's scores of right outputs and of wrong ones."""

RIGHT = {
    "accuracy": [1.0] * 28 + [0.0] * 2 + [1.0] * 15 + [0.0] * 5,
    "true_positive_rate": [1.0] * 28 + [0.0] * 2,
    "true_negative_rate": [1.0] * 15 + [0.0] * 5,
}


def run() -> JudgedRun:
    graded = [*((score, 1.0) for score in PASSED), *((score, 0.0) for score in FAILED)]
    rows: list[dict[str, Any]] = [
        {"item_id": f"c{n:02}|s|0", "label": label, "score": score, "cluster": f"c{n:02}"}
        for n, (score, label) in enumerate(graded)
    ]
    return JudgedRun("j@m", None, rows, frozenset(row["item_id"] for row in rows), [])


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_bounds_of_all_claims_hold_together_at_the_level(count: int):
    names = STATISTICS[:count]
    certificate = certify(run(), dict.fromkeys(names, 0.5), **ISSUED, level=0.9)
    for name, claim in zip(names, certificate.claims, strict=True):
        right = np.array(RIGHT[name])
        alone = certified_rate(right, np.arange(len(right)), level=1 - 0.1 / count)
        assert (claim.statistic, claim.rate.value) == (name, right.mean())
        assert claim.rate.low == pytest.approx(alone.low)


def test_a_claim_holds_if_its_bound_reaches_it():
    (measured,) = certify(run(), {"accuracy": 0.0}, **ISSUED).claims
    assert measured.rate.low is not None
    for claimed in (measured.rate.low - 1e-9, measured.rate.low, measured.rate.low + 1e-9):
        (claim,) = certify(run(), {"accuracy": claimed}, **ISSUED).claims
        assert claim.holds == (claimed <= measured.rate.low)


def test_the_accepted_accuracy_is_the_certified_bound_of_the_accuracy_alone():
    claims: dict[str, float] = dict.fromkeys(STATISTICS, 0.5)
    bound = certified_rate(np.array(RIGHT["accuracy"]), np.arange(50)).low
    assert certify(run(), claims, **ISSUED).accepted == pytest.approx(bound)
    told = certify(run(), claims, **ISSUED, accepted=0.6)
    assert (told.accepted, told.accepted_told) == (0.6, True)


def test_only_certified_statistics_can_be_claimed():
    with pytest.raises(UsageError, match="precision"):
        certify(run(), {"precision": 0.5}, **ISSUED)
