"""Certificates: what may be claimed of a judge on some data, and for how long."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from ...calibration.arrays import cluster_numbers
from ...calibration.intervals.clustered_rates import certified_rate
from ...calibration.monitoring.drift import DriftPower, drift_power
from ...calibration.pass_threshold import NO_OVERRIDES, PassAt
from ...calibration.statistic import Statistic
from ...errors import InputError, UsageError
from ...records import JudgeId
from ...version import VERSION
from .judged_run import JudgedRun
from .scored import passes

DriftTest: TypeAlias = Literal["paired", "e-process"]
"""``paired``: each later run against the certified one, anchor by anchor. ``e-process``: against the accepted accuracy, looks independent."""

CertifiedStatistic: TypeAlias = Literal["accuracy", "true_positive_rate", "true_negative_rate"]

STATISTICS: tuple[CertifiedStatistic, ...] = ("accuracy", "true_positive_rate", "true_negative_rate")


class Anchor(msgspec.Struct, frozen=True):
    """A labelled output that is judged again on later runs.

    Attributes:
        item: Case, system and trial.
        label: Its label.
        right: In which share of its replies the judge was right when it was certified; None in certificates that did not write it down.
        cluster: What it has in common with other anchors.
    """

    item: str
    label: float
    right: bool | float | None = None
    cluster: str | None = None


class RateClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A rate that is at least so large.

    Attributes:
        statistic: The rate.
        at_least: The claimed rate.
        rate: The measured rate; ``low`` is the one-sided bound that decides.
        holds: Whether the bound reaches the claim.
    """

    statistic: CertifiedStatistic
    at_least: float
    rate: Statistic
    holds: bool


class CertificateRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A claim about a judge, with all that it depends on.

    Attributes:
        fiducial: The version that wrote it.
        issued: When.
        judge: The judge as it signs verdicts.
        fingerprint: Fingerprint of everything asked and parsed.
        id: Who the judge is; None in a certificate of a run that did not write it down.
        served_by: The models that the endpoint said it used, if it said so.
        data: SHA-256 over the judged items with their labels.
        pass_at: Pass threshold of the judge.
        claims: The claims.
        anchors: Labelled outputs to be judged again.
        accepted: The accuracy on the anchors below which the judge counts as drifted: by the e-process always, by the paired test if it was set.
        replies: On how many replies an anchor that rests, on average.
        foresight: How often the paired test will find a drop; None in certificates from before, and of the e-process.
        drift: By which test drift is found.
        accepted_told: Whether the accepted accuracy was given instead of measured.
        alpha: Chance of a false alarm of drift, over all looks together.
        salt: Salt of the commitments to its anchors in a signed copy; unset if there is none.
    """

    fiducial: str
    issued: str
    judge: str
    fingerprint: str
    served_by: list[str]
    data: str
    pass_at: float
    claims: list[RateClaim]
    anchors: list[Anchor]
    accepted: float
    id: JudgeId | None = None
    drift: DriftTest = "e-process"
    replies: float = 1.0
    foresight: DriftPower | None = None
    accepted_told: bool = False
    alpha: float = 0.05
    salt: str | msgspec.UnsetType = msgspec.UNSET


def certify(
    run: JudgedRun,
    claims: Mapping[str, float],
    *,
    issued: str,
    level: float = 0.95,
    pass_at: PassAt = NO_OVERRIDES,
    accepted: float | None = None,
    drift: DriftTest = "paired",
) -> CertificateRecord:
    """Measure the claimed statistics, with bounds that hold at their level.

    The bounds hold whether or not the claims do.

    Args:
        run: A judge's verdicts with labels.
        claims: Statistic to the least value that is claimed.
        issued: The time, for the record.
        level: Confidence level of each claim's one-sided bound. Several claims are corrected for (Bonferroni), so that they hold together.
        pass_at: Override of the pass threshold that the judge declares.
        accepted: The accuracy on the anchors below which the judge counts as drifted; its certified bound when None.
        drift: By which test drift will be found.

    Raises:
        UsageError: A claim names another statistic.
        InputError: No verdict has a label and a score.
    """
    graded = [row for row in run.rows if row["score"] is not None]
    if not graded:
        raise InputError("no verdict has both a label and a score")
    pass_at.refuse_strangers([run.judge])
    threshold = pass_at.of([run.judge], run.threshold).at
    each_level = 1 - (1 - level) / max(1, len(claims))
    measured = [_claim(name, at_least, graded, each_level, threshold) for name, at_least in claims.items()]
    bound = _rate("accuracy", graded, level, threshold).low or 0.0
    graded.sort(key=lambda row: row["item_id"])
    repeated = [run.scores.get(row["item_id"], [row["score"]]) for row in graded]
    right = [
        fmean(is_right(score, row["label"], threshold) for score in scores)
        for row, scores in zip(graded, repeated, strict=True)
    ]
    replies = sum(map(len, repeated)) / len(repeated)
    foresight = (
        drift_power(sum(right) / len(right), len(right), replies=replies) if drift == "paired" else None
    )
    return CertificateRecord(
        fiducial=VERSION,
        issued=issued,
        judge=run.judge,
        fingerprint=run.fingerprint,
        id=run.id,
        served_by=run.served_by,
        data=labels_sha256((row["item_id"], row["label"]) for row in run.rows),
        pass_at=threshold,
        claims=measured,
        anchors=[
            Anchor(row["item_id"], row["label"], share, row["cluster"])
            for row, share in zip(graded, right, strict=True)
        ],
        drift=drift,
        replies=replies,
        foresight=foresight,
        accepted_told=accepted is not None,
        accepted=min(max(bound, 0.01), 0.99) if accepted is None else accepted,
    )


def is_right(score: float, label: float, pass_at: float) -> bool:
    """Return whether judge and label fall on the same side."""
    return (score >= pass_at) == (label >= pass_at)


def labels_sha256(labels: Iterable[tuple[str, float]]) -> str:
    """Return a hash of items with their labels, independent of their order."""
    lines = sorted(f"{item}\t{label!r}\n" for item, label in labels)
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _claim(name: str, at_least: float, rows: list[dict[str, Any]], level: float, pass_at: float) -> RateClaim:
    if name not in STATISTICS:
        raise UsageError(f"--claim {name}: expected one of {', '.join(STATISTICS)}")
    rate = _rate(name, rows, level, pass_at)
    return RateClaim(
        statistic=name, at_least=at_least, rate=rate, holds=rate.low is not None and rate.low >= at_least
    )


def _rate(name: str, rows: list[dict[str, Any]], level: float, pass_at: float) -> Statistic:
    wanted = {"true_positive_rate": {True}, "true_negative_rate": {False}}.get(name, {True, False})
    counted = [row for row in rows if passes(row["label"], 1.0, pass_at) in wanted]
    right = np.array([is_right(row["score"], row["label"], pass_at) for row in counted], dtype=np.float64)
    return certified_rate(right, cluster_numbers(row["cluster"] for row in counted), level=level)
