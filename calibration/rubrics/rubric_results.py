"""Results of rubrics: means by system and tag, judge errors, corrected means."""

from __future__ import annotations

import msgspec

from ...records.result import Framed, Result
from ..statistic import Statistic


class TagMean(msgspec.Struct, frozen=True, kw_only=True):
    """Mean score of one system over the criteria of one tag, or over all criteria.

    Attributes:
        tag: The tag, or None for all criteria.
        score: Mean over items of points over points possible; the mean, not each item, is clipped to [0, 1].
        items: Number of items with a criterion of this tag and positive points.
        ungraded: Number of items with an ungraded criterion, which are not in the mean.
        bounds: Mean if all ungraded criteria count against the system, and if all count for it; None if all are
            graded.
        corrected: Mean corrected for the judge's errors, or None without labels.
    """

    tag: str | None
    score: Statistic
    items: int
    ungraded: int
    bounds: tuple[float, float] | None = None
    corrected: Statistic | None = None


class CriterionAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Agreement of a judge with labels on one criterion, one tag, or all.

    Attributes:
        name: The criterion's text or its key, or the tag.
        labelled: Number of verdicts with a label.
        true_positive_rate: Share of met criteria that the judge finds met.
        true_negative_rate: Share of unmet criteria that the judge finds unmet.
        shrunken: True positive and true negative rate, shrunk towards those of all criteria; None for a tag or for all criteria.
    """

    name: str
    labelled: int
    true_positive_rate: Statistic
    true_negative_rate: Statistic
    shrunken: tuple[float, float] | None = None


class ItemScore(msgspec.Struct, frozen=True, kw_only=True):
    """Score of one output, with its uncertainty from the judge's errors.

    Attributes:
        item: ``case_id|system|trial``.
        score: Points over points possible, unclipped; None while a criterion is ungraded.
        bounds: Lowest and highest possible score, or None if all criteria are graded.
        expected: Expected score given the judge's error rates, or None without labels.
        deviation: Standard deviation of the expected score.
    """

    item: str
    score: float | None
    bounds: tuple[float, float] | None = None
    expected: float | None = None
    deviation: float | None = None


class RubricOfSystem(msgspec.Struct, frozen=True, kw_only=True):
    """Scores of one system by one judge: all criteria first, then tag by tag."""

    system: str
    means: list[TagMean]
    items: list[ItemScore]


class RubricOfJudge(msgspec.Struct, frozen=True, kw_only=True):
    """One judge's rubric: scores by system, and its errors if there are labels.

    Attributes:
        judge: Name of the judge in verdicts.
        systems: Results by system.
        agreement: Agreement with labels over all criteria, or None without labels.
        criteria: Results by criterion, the most labelled first.
        tags: Results by tag.
    """

    judge: str
    systems: list[RubricOfSystem]
    agreement: CriterionAgreement | None = None
    criteria: list[CriterionAgreement] = []
    tags: list[CriterionAgreement] = []


class JudgesOnCriteria(msgspec.Struct, frozen=True, kw_only=True):
    """Two judges on the labelled criteria that both judged.

    Attributes:
        a: The first judge.
        b: The second judge.
        n: Number of labelled criteria that both judged.
        a_only_right: Number of these criteria on which only the first judge agrees with the label.
        b_only_right: Number of these criteria on which only the second judge agrees with the label.
        difference: Share right of the first minus that of the second.
        p: p-value of no difference, by flipping signs of clusters, or None if it could not be tested.
    """

    a: str
    b: str
    n: int
    a_only_right: int
    b_only_right: int
    difference: Statistic
    p: float | None


class Rubrics(Result, Framed, frozen=True, kw_only=True):
    """Rubric scores of a run, judge by judge.

    ``to_frame`` has one row per judge, system and tag.

    Attributes:
        judges: Results by judge.
        unmatched: Number of labels that match no judged criterion.
        pairs: Comparisons of every two judges on the same labelled criteria.
        skipped: Number of rows of labels that could not be read.
        first_skipped: Place and problem of the first of those.
    """

    judges: list[RubricOfJudge]
    unmatched: int = 0
    pairs: list[JudgesOnCriteria] = []
    skipped: int = 0
    first_skipped: str = ""
