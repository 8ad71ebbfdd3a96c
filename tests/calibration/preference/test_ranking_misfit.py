"""Fit of strengths to preferences: the score statistic, cycles, and rankings that fail."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy.special import expit

from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.preference.choices import Choices
from fiducial.calibration.preference.measure import preferences_of
from fiducial.calibration.preference.order_effect import fit_of_order
from fiducial.calibration.preference.ranking_misfit import misfit_scores, ranking_misfit
from fiducial.report.document import as_lines
from fiducial.report.text.preference_screen import preferences_screen
from fiducial.report.text.preference_text import misfit_of


def meetings(systems: int, cases: int, odds: FloatArray, order: float = 0.3, seed: int = 1) -> Choices:
    """Return random choices with log-odds ``odds[a, b]`` for ``a``, two cases per cluster."""
    rng = np.random.default_rng(seed)
    pairs = np.tile(np.array(list(combinations(range(systems), 2)), dtype=np.int64), (cases, 1))
    pairs = np.where(rng.random((len(pairs), 1)) < 0.5, pairs[:, ::-1], pairs)
    a, b = pairs[:, 0], pairs[:, 1]
    unknown = np.full(len(a), np.nan)
    return Choices(
        [f"s{index}" for index in range(systems)],
        a,
        b,
        (rng.random(len(a)) < expit(odds[a, b] + order)).astype(np.float64),
        (rng.random(len(a)) < expit(order - odds[a, b])).astype(np.float64),
        np.arange(len(a)) // (2 * systems),
        unknown,
        unknown,
        unknown,
        unknown,
    )


def ranking(systems: int) -> FloatArray:
    strength = np.linspace(0.7, -0.7, systems)
    return strength[:, None] - strength


def cycle(by: float) -> FloatArray:
    return by * np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])


@pytest.mark.parametrize("systems", [3, 4])
def test_the_statistic_is_raos_by_numerical_derivatives_of_the_saturated_likelihood(systems: int):
    said = meetings(systems, 30, ranking(systems))
    fitted = fit_of_order(said)
    assert fitted is not None
    beta = fitted[0]
    pairs = list(combinations(range(systems), 2))
    start = np.array([*(beta[a] - beta[b] for a, b in pairs), beta[-1]])

    def likelihood(at: FloatArray) -> float:
        odds = np.array(
            [
                at[pairs.index((min(a, b), max(a, b)))] * (1 if a < b else -1)
                for a, b in zip(said.a.tolist(), said.b.tolist(), strict=True)
            ]
        )
        signs = 2 * np.stack([said.a_first, said.b_first]) - 1
        return -float(np.logaddexp(0.0, -signs * np.stack([odds + at[-1], at[-1] - odds])).sum())

    step, size = 1e-3, len(start)
    unit = np.eye(size) * step
    gradient = np.array([(likelihood(start + e) - likelihood(start - e)) / (2 * step) for e in unit])
    curvature = np.array(
        [
            [
                sum(s * t * likelihood(start + s * e + t * f) for s, t in product((1, -1), repeat=2))
                / (4 * step**2)
                for f in unit
            ]
            for e in unit
        ]
    )
    raos = gradient @ np.linalg.solve(-curvature, gradient)
    assert float((misfit_scores(said, *fitted).sum(axis=0) ** 2).sum()) == pytest.approx(raos, rel=1e-4)


def test_a_cycle_is_found_and_named():
    found = ranking_misfit(meetings(3, 80, cycle(0.9)))
    assert found is not None
    assert (found.found, found.p < 0.01) == (True, True)
    ring = "".join(found.cycle)
    assert ring in {"s0s1s2", "s1s2s0", "s2s0s1"}
    (sentence,) = misfit_of(found)
    assert sentence.startswith("no ranking explains the preferences (p ")
    assert "s0 beats s1" in sentence


def test_it_is_said_on_the_first_screen_and_only_where_it_is_found():
    screens = [
        "\n".join(as_lines(preferences_screen([preferences_of("j", meetings(3, 80, odds, seed=2))])))
        for odds in (cycle(0.9), ranking(3))
    ]
    assert ["no ranking explains the preferences" in screen for screen in screens] == [True, False]


def test_a_ranking_rings_in_at_most_one_of_twenty():
    rang = [ranking_misfit(meetings(4, 30, ranking(4), seed=seed)) for seed in range(60)]
    assert sum(misfit is not None and misfit.found for misfit in rang) <= 7


def test_two_systems_and_chains_have_nothing_to_test():
    assert ranking_misfit(meetings(2, 30, ranking(2))) is None
    said = meetings(3, 30, ranking(3))
    chain = said.take((said.a + said.b) != 2)
    assert ranking_misfit(chain) is None


def test_preferences_without_finite_strengths_are_not_tested():
    assert ranking_misfit(meetings(3, 10, 100 * ranking(3), order=0.0)) is None
