"""The form of a calibration, as ``calibrate --json`` writes it: as much of it as a report shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ..errors import InputError


class StatisticJson(msgspec.Struct, frozen=True):
    """A statistic as JSON; `calibration.Statistic` would bring scipy, which a report of what is computed can do without."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None
    n: int = 0
    undefined: str | None = None


class PeopleJson(msgspec.Struct, frozen=True):
    """How far people agree, as ``calibrate --json`` has it."""

    names: list[str] = []
    krippendorff_alpha: dict[str, StatisticJson] = {}


class SystemJson(msgspec.Struct, frozen=True):
    """One system by labels and by a judge."""

    n: int
    label_mean: float
    score_mean: float
    difference: StatisticJson


class SystemsJson(msgspec.Struct, frozen=True):
    """A judge's agreement on systems."""

    systems: dict[str, SystemJson]
    kendall_tau_b: StatisticJson
    largest_difference: StatisticJson


class ProbabilityJson(msgspec.Struct, frozen=True):
    """A judge's scores read as probabilities."""

    groups: int
    grouping: str
    statistics: dict[str, StatisticJson]
    confidence: dict[str, StatisticJson] = {}


class RatesJson(msgspec.Struct, frozen=True):
    """A judge's rates by that model."""

    true_positive_rate: StatisticJson
    true_negative_rate: StatisticJson


class PairJson(msgspec.Struct, frozen=True):
    """How often two judges say the same, beside what the model expects."""

    a: str
    b: str
    n: int
    observed: float
    expected: float
    residual: float


class DawidSkeneJson(msgspec.Struct, frozen=True):
    """Dawid and Skene's model."""

    n: int = 0
    undefined: str | None = None
    prevalence: StatisticJson | None = None
    judges: dict[str, RatesJson] = {}
    pairs: list[PairJson] = []


class ComparedJson(msgspec.Struct, frozen=True):
    """Two judges on the items that both judged, as ``compare --json`` has it."""

    a: str
    b: str
    n: int
    a_only_right: int
    b_only_right: int
    difference: StatisticJson
    holm_p: float | None = None
    holm_cluster_p: float | None = None


class BestJson(msgspec.Struct, frozen=True):
    """The best of all judges on the items common to all."""

    name: str
    n: int
    statistics: dict[str, StatisticJson]


class ComparisonJson(msgspec.Struct, frozen=True):
    """Judges against each other."""

    pairs: list[ComparedJson] = []
    best: BestJson | None = None


class EntryJson(msgspec.Struct, frozen=True):
    """A judge or baseline: its 2x2 table and its statistics."""

    n: int = 0
    n_missing: int = 0
    n_clusters: int = 0
    tp: int | None = None
    fp: int | None = None
    fn: int | None = None
    tn: int | None = None
    statistics: dict[str, StatisticJson] = {}


class CalibrationJson(msgspec.Struct, frozen=True):
    """All that a report shows of a calibration; the rest is passed over."""

    judges: dict[str, EntryJson] = {}
    baselines: dict[str, EntryJson] = {}
    slices: dict[str, dict[str, dict[str, EntryJson]]] = {}
    warnings: list[str] = []
    people: PeopleJson | None = None
    systems: dict[str, SystemsJson] = {}
    probability: dict[str, ProbabilityJson] = {}
    dawid_skene: DawidSkeneJson = DawidSkeneJson()
    comparison: ComparisonJson = ComparisonJson()


def read_calibration(calibration: Mapping[str, Any]) -> CalibrationJson:
    """Take a calibration from its JSON.

    Args:
        calibration: As ``calibrate --json`` writes it.

    Returns:
        What a report shows of it.

    Raises:
        InputError: It is not in that form.
    """
    try:
        return msgspec.convert(calibration, CalibrationJson)
    except msgspec.ValidationError as error:
        raise InputError(f"not a calibration as `fiducial calibrate --json` writes it: {error}") from error
