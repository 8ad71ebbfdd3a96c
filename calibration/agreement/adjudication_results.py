"""Result types of adjudication; imports no heavy package."""

from __future__ import annotations

import msgspec

from ..statistic import Statistic


class Adjudicators(msgspec.Struct, frozen=True, kw_only=True):
    """Adjudicators and their agreement.

    Attributes:
        people: Number of items decided by each person, by name.
        models: Number of items decided by each model that was asked in place of people.
        items: How many items somebody decided.
        twice: How many were decided by two or more.
        alike: Share of pairs of decisions on one item that agree; None if no item has two decisions.
        krippendorff_alpha: Krippendorff's alpha of all of them, "undecidable" a value like the others.
        error: Share of decisions that are wrong, if two err equally often and independently; corrected
            numbers are without these errors. None if two decided fewer than 20 of the same items.
        contested: Items on which no more than half agree; they count as undecidable.
    """

    people: dict[str, int]
    models: dict[str, int]
    items: int
    twice: int = 0
    alike: Statistic | None = None
    krippendorff_alpha: Statistic | None = None
    error: Statistic | None = None
    contested: int = 0


class LookedAt(msgspec.Struct, frozen=True, kw_only=True):
    """Rows on which judge and label agree, or differ, and how people decided them.

    Attributes:
        rows: How many there are.
        judge_right: The output is what the judge says.
        judge_wrong: It is not; of disagreements the label is right, of agreements both are wrong.
        undecidable: It cannot be decided.
    """

    rows: int = 0
    judge_right: int = 0
    judge_wrong: int = 0
    undecidable: int = 0

    @property
    def left(self) -> int:
        """Rows that nobody looked at."""
        return self.rows - self.judge_right - self.judge_wrong - self.undecidable


class LabelErrors(msgspec.Struct, frozen=True, kw_only=True):
    """Errors of the labels themselves.

    Attributes:
        found: Labels that were found wrong, of all rows: at least so many are.
        undecidable: Rows that could not be decided.
        corrected: Share of wrong labels, from all disagreements and from the random sample of agreements;
            undefined without one.
    """

    found: Statistic
    undecidable: int
    corrected: Statistic


class AdjudicatedJudge(msgspec.Struct, frozen=True, kw_only=True):
    """One judge by the labels as they are, by adjudicated ones, and in between.

    Attributes:
        disagreements: Rows on which judge and label differ.
        agreements: Rows on which they do not.
        as_labelled: Its statistics by the labels as they are.
        adjudicated: By labels corrected by decisions, without undecidable items.
        lowest: The same, with undecidable items counted against the judge.
        highest: ... and for it.
        corrected: Accuracy, rates, prevalence, and the labels' own sensitivity and specificity, by double
            sampling: also for the agreements that nobody looked at.
        label_errors: Label errors of ``all`` rows and of each category.
    """

    disagreements: LookedAt
    agreements: LookedAt
    as_labelled: dict[str, Statistic]
    adjudicated: dict[str, Statistic]
    lowest: dict[str, Statistic]
    highest: dict[str, Statistic]
    corrected: dict[str, Statistic]
    label_errors: dict[str, LabelErrors]


class Adjudication(msgspec.Struct, frozen=True, kw_only=True):
    """Judges by adjudicated labels.

    Attributes:
        by: People and models who decided.
        faults: Why judge and label differed, by how many decisions say so.
        judges: Each judge.
        elsewhere: Items that were decided and are none of the table.
    """

    by: Adjudicators
    faults: dict[str, int]
    judges: dict[str, AdjudicatedJudge]
    elsewhere: int = 0
