"""Certificates: claims about a judge's rates on some data, and anchors to test them later."""

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
from ...calibration.pass_threshold import overridden_threshold, require_overridden_judges
from ...calibration.statistic import Statistic
from ...errors import InputError, UsageError
from ...records import JudgeId
from ...records.made_scores import reaches
from ...records.result import ResultOnPage
from ...spelling import setting
from ...version import VERSION
from .judged_run import JudgedRun

DriftTest: TypeAlias = Literal["paired", "e-process"]
"""Test for drift in later runs.

``paired`` compares a later run with the certified one, anchor by anchor. ``e-process`` compares it with the accepted accuracy, and needs
independent runs.
"""

CertifiedStatistic: TypeAlias = Literal["accuracy", "true_positive_rate", "true_negative_rate"]

STATISTICS: tuple[CertifiedStatistic, ...] = ("accuracy", "true_positive_rate", "true_negative_rate")


class Anchor(msgspec.Struct, frozen=True):
    """A labelled output that is judged again on later runs.

    Attributes:
        item: Case, system and trial of the output.
        label: Label of the output.
        right: Share of replies in which the judge was right at certification; None in certificates that do not record it.
        cluster: Cluster of dependent anchors.
    """

    item: str
    label: float
    right: bool | float | None = None
    cluster: str | None = None


class RateClaim(msgspec.Struct, frozen=True, kw_only=True):
    """Claim that a rate has at least some value.

    Attributes:
        statistic: Name of the rate.
        at_least: The claimed value.
        rate: The measured rate; ``low`` is its one-sided lower bound.
        holds: True if that bound reaches the claimed value.
    """

    statistic: CertifiedStatistic
    at_least: float
    rate: Statistic
    holds: bool


class Certificate(ResultOnPage, frozen=True, kw_only=True):
    """Claims about a judge's rates, with everything that they depend on.

    Attributes:
        fiducial: The version that wrote it.
        issued: Time of issue.
        judge: The judge's name as it signs verdicts.
        fingerprint: Fingerprint of prompt, model, decoding parameters and parser.
        id: The judge's id, or None if the certified run did not record it.
        served_by: Models that the endpoint named in its replies.
        data: SHA-256 of the judged items with their labels.
        pass_at: Pass threshold of the judge.
        claims: The claims.
        anchors: Labelled outputs to be judged again.
        accepted: Accuracy on the anchors below which the judge counts as drifted; the paired test uses it only if the user set it.
        replies: Mean number of replies per anchor at certification.
        foresight: Power of the paired test, or None for the e-process, and in certificates that do not record it.
        drift: Test for drift.
        accepted_told: True if the user set the accepted accuracy.
        alpha: Chance of a false alarm of drift, over all later runs together.
        salt: Salt of the anchors' hashes in a signed copy; unset if there is none.
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

    @property
    def holds(self) -> bool:
        """True if every claim of the certificate holds."""
        return all(claim.holds for claim in self.claims)


def certify(
    run: JudgedRun,
    claims: Mapping[str, float],
    *,
    issued: str,
    level: float = 0.95,
    pass_at: Mapping[str, float] = {},
    accepted: float | None = None,
    drift: DriftTest = "paired",
) -> Certificate:
    """Measure the claimed rates, and choose the anchors.

    Args:
        run: A judge's verdicts with labels.
        claims: The claimed value of each statistic.
        issued: The time, for the record.
        level: Confidence level at which the bounds of all claims hold together (Bonferroni).
        pass_at: Override of the pass threshold that the judge declares.
        accepted: Accuracy on the anchors below which the judge counts as drifted, or None for its certified bound.
        drift: Test for drift in later runs.

    Returns:
        The certificate, whether or not its claims hold.

    Raises:
        UsageError: A claim names another statistic.
        InputError: No verdict has a label and a score.
    """
    graded_rows = sorted(
        (row for row in run.rows if row["score"] is not None), key=lambda row: row["item_id"]
    )
    if not graded_rows:
        raise InputError("no verdict has both a label and a score")
    require_overridden_judges(pass_at, [run.judge])
    threshold = overridden_threshold(run.threshold, pass_at, [run.judge]).at
    claim_level = 1 - (1 - level) / max(1, len(claims))  # Bonferroni
    accuracy_bound = _rate("accuracy", graded_rows, level, threshold).low or 0.0
    scores = [run.scores.get(row["item_id"], [row["score"]]) for row in graded_rows]
    right_shares = [
        fmean(is_right(score, row["label"], threshold) for score in repeats)
        for row, repeats in zip(graded_rows, scores, strict=True)
    ]
    replies = sum(map(len, scores)) / len(scores)
    accuracy = sum(right_shares) / len(right_shares)
    return Certificate(
        fiducial=VERSION,
        issued=issued,
        judge=run.judge,
        fingerprint=run.fingerprint,
        id=run.id,
        served_by=run.served_by,
        data=labels_sha256((row["item_id"], row["label"]) for row in run.rows),
        pass_at=threshold,
        claims=[
            _claim(name, at_least, graded_rows, claim_level, threshold) for name, at_least in claims.items()
        ],
        anchors=[
            Anchor(row["item_id"], row["label"], share, row["cluster"])
            for row, share in zip(graded_rows, right_shares, strict=True)
        ],
        drift=drift,
        replies=replies,
        foresight=drift_power(accuracy, len(right_shares), replies=replies) if drift == "paired" else None,
        accepted_told=accepted is not None,
        # The e-process needs a rate strictly between 0 and 1.
        accepted=min(max(accuracy_bound, 0.01), 0.99) if accepted is None else accepted,
    )


def is_right(score: float, label: float, pass_at: float) -> bool:
    """Return whether score and label fall on the same side of the threshold."""
    return reaches(score, pass_at) == reaches(label, pass_at)


def labels_sha256(labels: Iterable[tuple[str, float]]) -> str:
    """Return a hash of items with their labels, independent of their order."""
    lines = sorted(f"{item}\t{label!r}\n" for item, label in labels)
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _claim(name: str, at_least: float, rows: list[dict[str, Any]], level: float, pass_at: float) -> RateClaim:
    if name not in STATISTICS:
        raise UsageError(f"{setting('claims', name)}: expected one of {', '.join(STATISTICS)}")
    rate = _rate(name, rows, level, pass_at)
    return RateClaim(
        statistic=name, at_least=at_least, rate=rate, holds=rate.low is not None and rate.low >= at_least
    )


def _rate(name: str, rows: list[dict[str, Any]], level: float, pass_at: float) -> Statistic:
    """Measure how often the judge is right on rows whose label passes, fails, or either."""
    label_passes_counted = {"true_positive_rate": {True}, "true_negative_rate": {False}}.get(
        name, {True, False}
    )
    rows_of_rate = [row for row in rows if reaches(row["label"], pass_at) in label_passes_counted]
    agrees = np.array(
        [is_right(row["score"], row["label"], pass_at) for row in rows_of_rate], dtype=np.float64
    )
    return certified_rate(agrees, cluster_numbers(row["cluster"] for row in rows_of_rate), level=level)
