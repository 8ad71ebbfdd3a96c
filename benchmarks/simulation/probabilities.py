"""Probability judges whose truth is known: words, intervals, rates and certificates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.agreement.calibration_results import Calibration, JudgeCalibration
from fiducial.calibration.agreement.judge_panel import usable_sample
from fiducial.calibration.agreement.probability_curve import calibration_slope, losses
from fiducial.calibration.agreement.probability_scores import probability_scores
from fiducial.calibration.arrays import BoolArray, FloatArray, IntArray
from fiducial.calibration.intervals.measurement import Settings, measure
from fiducial.calibration.statistic import Statistic
from fiducial.calibration.statistic_catalogue import ESTIMATORS
from fiducial.calibration.tables.calibration_table import Table
from fiducial.calibration.thresholds.certified_thresholds import certify_threshold, confidence_of
from fiducial.records.score_kinds import PROBABILITIES
from fiducial.report.document import as_lines
from fiducial.report.text.probability_text import probability_lines
from fiducial.report.text.trust_words import trust_of

from .scenario import Scenario, share

_ITEMS, _SYSTEMS, _MANY = 200, 2, 400_000
"""Outputs of a system, systems, and outputs by which the truth is known."""

_LABELLED, _MAX_ERROR, _CUT = 0.3, 0.1, 0.5
_NOTHING = 0.01
"""Largest slope minus 1, or mean p minus rate, that counts as none: rounding moves them a little."""

_PANEL = ("true_positive_rate", "true_negative_rate", "balanced_accuracy", "bias")


class Drawn(NamedTuple):
    """Outputs of a world: probabilities, whether each is right, and their systems."""

    p: FloatArray
    right: BoolArray
    system: IntArray


class Mistake(NamedTuple):
    """Mistakes of a judge in its log-odds.

    Attributes:
        stretch: Factor of the true ones.
        second: Added for outputs of the second system.
        late: Added to the last output, and to earlier ones in proportion.
    """

    stretch: float = 1.0
    second: float = 0.0
    late: float = 0.0


WORLDS = {
    "calibrated": Mistake(),
    "overconfident": Mistake(stretch=2.5),
    "underconfident": Mistake(stretch=0.4),
    "rounded to two decimals": Mistake(),
    "shifted by system": Mistake(second=1.0),
    "drifting": Mistake(late=1.5),
}


def probability_worlds(draws: int) -> Iterator[Scenario]:
    """Simulate judges that give probabilities, of 200 outputs of each of two systems."""
    for name in WORLDS:
        truth, everyone = _truth(name)
        words, expected, intervals, rates, gaps, broken = (list[bool]() for _ in range(6))
        for seed in range(max(1, draws // 2)):
            drawn = _draw(name, np.random.default_rng([seed, 7]), _ITEMS)
            said = _words(drawn)
            words.append(_are_true(said, truth))
            expected.append(bool(said))
            intervals += _intervals(drawn, truth)
            covered, difference = _corrected(drawn, seed, truth)
            rates += covered
            gaps.append(difference)
            broken.append(_is_broken(drawn, everyone, seed))
        yield share(f"{name}: no false word", "", "at least 95 %", words)
        yield share(f"{name}: some word", "", "", expected)
        yield share(f"{name}: intervals of mean p - rate and slope", "", "at least 93 %", intervals)
        yield share(f"{name}: corrected rate of a system", "", "at least 93 %", rates)
        yield share(f"{name}: corrected difference of systems", "", "at least 93 %", gaps)
        yield share(f"{name}: certified error of {_MAX_ERROR:.0%} exceeded", "", "at most 10 %", broken)


class _Truth(NamedTuple):
    """Population values: mean p - rate, slope, and the rate of both systems."""

    in_the_large: float
    slope: float
    rate: float


def _draw(name: str, rng: np.random.Generator, items: int) -> Drawn:
    n = items * _SYSTEMS
    odds = rng.normal(0.8, 1.6, n)
    system = np.arange(n) % _SYSTEMS
    mistake = WORLDS[name]
    given = mistake.stretch * odds + mistake.second * system + mistake.late * np.arange(n) / n
    p = 1 / (1 + np.exp(-given))
    right = rng.random(n) < 1 / (1 + np.exp(-odds))
    return Drawn(p.round(2) if name.startswith("rounded") else p, right, system)


def _truth(name: str) -> tuple[_Truth, Drawn]:
    many = _draw(name, np.random.default_rng(11), _MANY // _SYSTEMS)
    slope = calibration_slope(many.p, many.right, np.arange(_MANY))["slope"].value
    assert slope is not None
    odds = np.random.default_rng(12).normal(0.8, 1.6, _MANY)
    rate = float((1 / (1 + np.exp(-odds))).mean())
    return _Truth(float(many.p.mean()) - rate, slope, rate), many


def _words(drawn: Drawn) -> set[str]:
    """Return the words on the first screen about the judge's probabilities."""
    table = _table(drawn, np.ones(len(drawn.p), np.bool_))
    scores = probability_scores(table, settings=Settings(replicates=100))
    assert scores is not None
    found = Calibration(judges={"j": _panel(drawn)}, probability={"j": scores})
    shown = "\n".join(as_lines(probability_lines(found), width=None))
    (trust,) = trust_of(found)
    words = {word for word in ("overconfident", "underconfident") if f"j is {word}" in shown}
    return words | ({"biased"} if trust.word == "biased" else set())


def _are_true(words: set[str], truth: _Truth) -> bool:
    false = {
        "overconfident": truth.slope > 1 - _NOTHING,
        "underconfident": truth.slope < 1 + _NOTHING,
        "biased": abs(truth.in_the_large) < _NOTHING,
    }
    return not any(false[word] for word in words)


def _panel(drawn: Drawn) -> JudgeCalibration:
    passes = drawn.p >= _CUT
    table = _table(drawn, np.ones(len(passes), np.bool_))
    sample = usable_sample(table)
    return JudgeCalibration(
        scores=PROBABILITIES,
        declared="every_output",
        n=len(passes),
        n_clusters=len(passes),
        effective_clusters=len(passes),
        tp=int((passes & drawn.right).sum()),
        fp=int((passes & ~drawn.right).sum()),
        fn=int((~passes & drawn.right).sum()),
        tn=int((~passes & ~drawn.right).sum()),
        statistics=measure([ESTIMATORS[name] for name in _PANEL], sample, Settings(replicates=100)),
    )


def _intervals(drawn: Drawn, truth: _Truth) -> list[bool]:
    cluster = np.arange(len(drawn.p))
    large = losses(drawn.p, drawn.right, cluster)["calibration_in_the_large"]
    slope = calibration_slope(drawn.p, drawn.right, cluster)["slope"]
    return [_covers(large, truth.in_the_large), _covers(slope, truth.slope)]


def _corrected(drawn: Drawn, seed: int, truth: _Truth) -> tuple[list[bool], bool]:
    """Return whether corrected rates, and their difference, cover the truth."""
    labelled = np.random.default_rng([seed, 8]).random(len(drawn.p)) < _LABELLED
    found = compare(_table(drawn, labelled), by="system", labels_chosen_by="random")
    assert found.strata is not None
    (pair,) = found.strata.open.pairs
    return [_covers(rate, truth.rate) for rate in found.strata.open.rates.values()], _covers(
        pair.difference, 0.0
    )


def _is_broken(drawn: Drawn, everyone: Drawn, seed: int) -> bool:
    wrong = (drawn.p >= _CUT) != drawn.right
    found = certify_threshold(confidence_of(drawn.p, _CUT), wrong, max_error=_MAX_ERROR, seed=seed)
    if found.threshold is None:
        return False
    kept = confidence_of(everyone.p, _CUT) >= found.threshold
    return float(((everyone.p >= _CUT) != everyone.right)[kept].mean()) > _MAX_ERROR


def _covers(statistic: Statistic, truth: float) -> bool:
    low, high = statistic.low, statistic.high
    return low is not None and high is not None and low <= truth <= high


def _table(drawn: Drawn, labelled: BoolArray) -> Table:
    rows = [
        {
            "item_id": f"i{n // _SYSTEMS}",
            "system": f"s{n % _SYSTEMS}",
            "judge": "j",
            "score": float(drawn.p[n]),
            "label": float(drawn.right[n]) if labelled[n] else None,
        }
        for n in range(len(drawn.p))
    ]
    # One decided output makes labels correct the judge, instead of deciding outputs.
    rows.append({"item_id": "decided", "system": "s0", "judge": "j", "score": None, "checker_score": 1.0})
    return table_from_rows(rows).with_score_kinds({"": PROBABILITIES})
