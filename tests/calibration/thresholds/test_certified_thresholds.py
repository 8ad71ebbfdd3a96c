"""A cascade of judges under one guarantee."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration.thresholds.certified_thresholds import (
    FAILURE,
    Verdicts,
    certify_cascade,
    certify_threshold,
    confidence_of,
)


def judge(rng: np.random.Generator, n: int, worst: float) -> Verdicts:
    """Verdicts whose chance to be wrong falls from ``worst`` to 0 with confidence."""
    confidence = rng.random(n)
    return Verdicts(confidence, rng.random(n) < worst * (1 - confidence))


def test_one_judge_is_selective_judging() -> None:
    alone = judge(np.random.default_rng(0), 400, 0.3)
    found = certify_cascade({"j": alone}, max_error=0.1)
    assert found.judges["j"] == certify_threshold(alone.confidence, alone.wrong, max_error=0.1)


def test_several_judges_share_the_chance_to_fail() -> None:
    rng = np.random.default_rng(3)
    judges = {name: judge(rng, 600, worst) for name, worst in (("a", 0.4), ("b", 0.3))}
    found = certify_cascade(judges, max_error=0.1).judges
    first, second = (Verdicts(*verdicts) for verdicts in judges.values())
    assert found["a"] == certify_threshold(*first, max_error=0.1, failure=FAILURE / 2)
    assert found["a"] != certify_threshold(*first, max_error=0.1, failure=FAILURE)
    assert found["a"].threshold is not None
    left = first.confidence < found["a"].threshold
    assert found["b"] == certify_threshold(
        second.confidence[left], second.wrong[left], max_error=0.1, failure=FAILURE / 2
    )


def test_each_judge_is_asked_what_those_before_it_left() -> None:
    rng = np.random.default_rng(1)
    found = certify_cascade({"cheap": judge(rng, 600, 0.4), "dear": judge(rng, 600, 0.1)}, max_error=0.1)
    cheap, dear = found.judges.values()
    assert cheap.coverage == pytest.approx(cheap.kept / 600)
    assert dear.coverage == pytest.approx(dear.kept / (600 - cheap.kept))
    assert found.kept == cheap.kept + dear.kept
    assert found.errors / found.kept <= 0.1


def test_who_said_nothing_decides_nothing() -> None:
    rng = np.random.default_rng(2)
    silent = Verdicts(np.full(300, np.nan), np.zeros(300, dtype=bool))
    found = certify_cascade({"silent": silent, "loud": judge(rng, 300, 0.1)}, max_error=0.1)
    assert found.judges["silent"].threshold is None
    assert found.kept == found.judges["loud"].kept


def test_the_guarantee_is_kept_for_all_judges_together() -> None:
    """Count how often any judge of three keeps more errors than promised."""
    broken = certified = 0
    worst = {"a": 0.5, "b": 0.4, "c": 0.3}
    for seed in range(400):
        rng = np.random.default_rng(seed)
        found = certify_cascade({name: judge(rng, 300, each) for name, each in worst.items()}, max_error=0.1)
        thresholds = {name: each.threshold for name, each in found.judges.items()}
        certified += any(threshold is not None for threshold in thresholds.values())
        # Judges err independently here: of what comes to a judge, as of all, those kept are wrong so often.
        true = [worst[name] * (1 - (1 + each) / 2) for name, each in thresholds.items() if each is not None]
        broken += any(each > 0.1 for each in true)
    assert certified > 250
    assert broken / 400 <= 0.1


def test_the_guarantee_holds_for_judges_that_share_what_is_hard() -> None:
    """An item's difficulty decides both judges' confidence and errors."""

    def world(rng: np.random.Generator, n: int) -> dict[str, Verdicts]:
        hard = rng.random(n)
        found: dict[str, Verdicts] = {}
        for name, skill in (("a", 0.6), ("b", 0.4)):
            confidence = np.clip(1 - hard + rng.normal(scale=0.2, size=n), 0, 1)
            found[name] = Verdicts(confidence, rng.random(n) < skill * hard)
        return found

    everyone = world(np.random.default_rng(10_000), 400_000)
    broken = 0
    for seed in range(300):
        found = certify_cascade(world(np.random.default_rng(seed), 300), max_error=0.15)
        left = np.ones(400_000, dtype=bool)
        for name, certificate in found.judges.items():
            if certificate.threshold is not None:
                keep = left & (everyone[name].confidence >= certificate.threshold)
                broken += bool(everyone[name].wrong[keep].mean() > 0.15)
                left &= ~keep
    assert broken / 300 <= 0.1


@pytest.mark.parametrize(
    ("n", "errors", "clusters", "reason"),
    [
        (240, 24, 240, "24 of the 240 most confident verdicts are wrong, so the error rate may be 0.13"),
        (60, 0, 10, "needs 22 verdicts or more with almost no errors, and there are 10 (one per cluster)"),
        (60, 60, 30, "30 of the 30 most confident verdicts (one per cluster) are wrong"),
    ],
)
def test_the_condition_that_fails_is_the_reason(n: int, errors: int, clusters: int, reason: str) -> None:
    found = certify_threshold(
        np.ones(n), np.arange(n) < errors, max_error=0.1, cluster=np.arange(n) % clusters
    )
    assert reason in (found.undefined or "")


def test_confidence_is_the_way_to_0_or_1() -> None:
    score = np.array([0.0, 0.4, 0.8, 0.9, 1.0, np.nan])
    assert confidence_of(score, 0.8) == pytest.approx([1.0, 0.5, 0.0, 0.5, 1.0, np.nan], nan_ok=True)
    assert confidence_of(np.array([1.0, 0.5]), 1.0) == pytest.approx([1.0, 0.5])
