"""Result types of adjudication. Imports neither numpy nor scipy."""

from __future__ import annotations

import msgspec

from ..statistic import Statistic


class Adjudicators(msgspec.Struct, frozen=True, kw_only=True):
    """Adjudicators and their agreement.

    Attributes:
        people: Number of items decided by each person, by name.
        models: Number of items decided by each model that stood in for a person.
        items: Number of items decided.
        twice: Number of items decided by two or more people or models.
        alike: Share of pairs of decisions on one item that agree, or None if no item has two decisions.
        krippendorff_alpha: Krippendorff's alpha of all decisions, with "undecidable" as a value.
        error: Share of wrong decisions, if people err equally often and independently; corrected numbers allow
            for it. None if two people decided fewer than 20 of the same items, or agree hardly more than by
            chance.
        contested: Number of items on which no more than half agree; they count as undecidable.
    """

    people: dict[str, int]
    models: dict[str, int]
    items: int
    twice: int = 0
    alike: Statistic | None = None
    krippendorff_alpha: Statistic | None = None
    error: Statistic | None = None
    contested: int = 0


class ReviewedRows(msgspec.Struct, frozen=True, kw_only=True):
    """Rows on which judge and label agree, or on which they differ, by people's decisions.

    Attributes:
        rows: All rows.
        judge_right: Rows on which the judge is right.
        judge_wrong: Rows on which the judge is wrong, and the label, too, if they agree.
        undecidable: Rows that cannot be decided.
    """

    rows: int = 0
    judge_right: int = 0
    judge_wrong: int = 0
    undecidable: int = 0

    @property
    def left(self) -> int:
        """Number of rows not reviewed."""
        return self.rows - self.judge_right - self.judge_wrong - self.undecidable


class LabelErrors(msgspec.Struct, frozen=True, kw_only=True):
    """Errors of the labels themselves.

    Attributes:
        found: Share of all rows whose labels were found wrong: a lower bound.
        undecidable: Number of rows that cannot be decided.
        corrected: Share of wrong labels, from all disagreements and a random sample of agreements; undefined
            without such a sample.
    """

    found: Statistic
    undecidable: int
    corrected: Statistic


class AdjudicatedJudge(msgspec.Struct, frozen=True, kw_only=True):
    """One judge against the original and the adjudicated labels.

    Attributes:
        disagreements: Rows on which judge and label differ.
        agreements: Rows on which judge and label agree.
        as_labelled: Statistics against the original labels.
        adjudicated: Statistics against adjudicated labels, without undecidable items.
        lowest: Statistics against adjudicated labels, with undecidable items counted against the judge.
        highest: Statistics against adjudicated labels, with undecidable items counted for the judge.
        corrected: Accuracy, rates, prevalence, and the labels' sensitivity and specificity, by double sampling, so
            that agreements that were not reviewed count, too.
        label_errors: Label errors of ``all`` rows and of each category.
    """

    disagreements: ReviewedRows
    agreements: ReviewedRows
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
        faults: Number of decisions by reason why judge and label differed.
        judges: Results by judge.
        elsewhere: Number of decided items that are not in the table.
    """

    by: Adjudicators
    faults: dict[str, int]
    judges: dict[str, AdjudicatedJudge]
    elsewhere: int = 0
