"""Scores of a card's judge as probabilities, by the statistics of `fiducial calibrate`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ....calibration.agreement.probability_curve import losses
from ....calibration.arrays import cluster_numbers
from ....calibration.intervals.measurement import Settings, measure
from ....calibration.sample import make_sample
from ....calibration.statistic import Statistic
from ....calibration.statistic_catalogue import ESTIMATORS
from ..scored import ScoredProbe

_ADVERSARIAL = {"attack", "control"}


class CardProbabilities(msgspec.Struct, frozen=True, kw_only=True):
    """Probabilities that an output is right, on right outputs, their harmless twins, and faults.

    Attributes:
        ece: Expected calibration error, in ten bins of equal width.
        calibration_in_the_large: Mean probability minus the share of right outputs.
        brier: Brier score.
        brier_of_base_rate: Brier score of the share of right outputs as a constant.
    """

    ece: Statistic
    calibration_in_the_large: Statistic
    brier: Statistic
    brier_of_base_rate: Statistic


def card_probabilities(probes: Sequence[ScoredProbe]) -> CardProbabilities | None:
    """Measure scores that are probabilities, or None if no probe is graded.

    Attacks and their controls are left out: they are made to deceive, and all of them are wrong.
    """
    graded = [probe for probe in probes if probe.score is not None and probe.facts.plants not in _ADVERSARIAL]
    if not graded:
        return None
    scores = np.array([probe.score for probe in graded], dtype=np.float64)
    right = np.array([probe.facts.right for probe in graded], dtype=np.bool_)
    cluster = cluster_numbers(probe.cluster for probe in graded)
    sample = make_sample(right.astype(np.float64), scores, cluster)
    found = losses(scores, right, cluster)
    return CardProbabilities(
        ece=measure([ESTIMATORS["ece"]], sample, Settings())["ece"],
        calibration_in_the_large=found["calibration_in_the_large"],
        brier=found["brier"],
        brier_of_base_rate=found["brier_of_base_rate"],
    )
