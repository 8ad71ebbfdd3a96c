"""Result types of a comparison; `compare --json` is these, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from ...records.result import Framed, ResultOnPage
from ..chance_verdict import ChanceVerdict
from ..label_declarations import LabelsChosenBy, LabelsDeclaredBy
from ..pass_threshold import PassThreshold
from ..statistic import Caution, Statistic

MIN_COMPARED = 5
"""Minimum number of labels of each system for comparing two corrected ones, unless all undecided outputs have one."""

By: TypeAlias = Literal["judge", "system"]
"""What is compared: judges, or systems."""

Right: TypeAlias = Literal["agrees", "score", "label"]
"""Meaning of being right: score and label agree, the score passes, or the label passes."""


class Flip(msgspec.Struct, frozen=True, kw_only=True):
    """An item on which exactly one of two is right.

    Attributes:
        item_id: Id of the item.
        right: Name of the one that is right.
    """

    item_id: str
    right: str


class Areas(msgspec.Struct, frozen=True, kw_only=True):
    """Areas under the ROC curve, compared.

    Attributes:
        value: First area minus second.
        delong_p: p-value of DeLong's test, over clusters if items cluster, or None if the difference has no
            spread.
        delong_holm_p: ``delong_p``, adjusted over the pairs that have one (Holm).
    """

    value: float
    delong_p: float | None
    delong_holm_p: float | None = None


class ProbabilityDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Differences of two judges' probabilities on the same items, first minus second.

    Attributes:
        change: Mean difference of the scores.
        size: Mean absolute difference of the scores.
        largest: Largest difference.
        largest_item: Item with the largest difference.
        brier: Difference of the Brier scores on labelled items; below 0 if the first is better.
        brier_p: p-value of no difference, or None without labels.
    """

    change: Statistic
    size: Statistic
    largest: float
    largest_item: str
    brier: Statistic
    brier_p: float | None


MarginConclusion: TypeAlias = Literal["not worse", "worse", "cannot tell"]
"""Conclusion on one of a pair: ``not worse`` if a loss of the margin is excluded, else ``worse`` if no loss is."""


class Margin(msgspec.Struct, frozen=True, kw_only=True):
    """Conclusions on whether one of a pair is worse than the other by more than a margin.

    Attributes:
        by: The margin.
        low: Lower end of the interval of first minus second; it is valid for all pairs at once (Bonferroni).
        high: Upper end of the same interval.
        level: Nominal coverage of all pairs at once.
        conclusions: Conclusion on the one that is compared with ``against``, or without ``against`` on both.
    """

    by: float
    low: float | None
    high: float | None
    level: float
    conclusions: dict[str, MarginConclusion]


class ComparedPair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two judges or systems on the items that both have.

    Attributes:
        a: First judge or system.
        b: Second judge or system.
        n: Items that both have; for systems an item is a case and trial.
        n_clusters: Number of clusters of these items.
        effective_clusters: Effective number of clusters: ``n^2 / sum of squared sizes``.
        both_right: Items on which both are right; for systems, on which both pass.
        a_only_right: Items on which only the first is right.
        b_only_right: Items on which only the second is right.
        both_wrong: Items on which neither is right.
        exact_p: p-value of McNemar's exact test, which takes items as independent, or None without a common
            item.
        midp: Mid-p of McNemar's test, which takes items as independent, or None without a common item.
        holm_p: ``midp``, adjusted over the pairs listed (Holm).
        bh_p: ``midp``, adjusted (Benjamini and Hochberg).
        by_p: ``midp``, adjusted (Benjamini and Yekutieli).
        clustered_p: p-value of ``difference`` by a test over clusters: a t-test for shares, a bootstrap for
            other statistics. None if every item is its own cluster, or all are in one.
        clustered_holm_p: ``clustered_p``, adjusted over the pairs listed (Holm).
        difference: First minus second, of the compared statistic.
        rate_a: For systems, the first's pass rate on the outputs of ``difference``, which is ``rate_a -
            rate_b``.
        rate_b: For systems, the second's pass rate on the same outputs.
        p: p-value of the test that the interval of ``difference`` inverts (``clustered_p`` or, for shares,
            ``midp``): at or below 1 - level exactly when 0 is outside.
        adjusted_p: ``p``, adjusted over the pairs listed (Holm); printed sentences use it.
        better: The better one by ``adjusted_p``, or None if that is not significant.
        smallest_visible: The true difference that a single comparison of this precision finds with 80 %
            power.
        corrected: Whether labels of undecided outputs correct the difference; the counts are of uncorrected
            verdicts.
        simultaneous: For systems, ``difference`` with an interval that holds for all pairs listed at once
            (Bonferroni), or None for a single pair.
        icc: Correlation of the differences within clusters, averaged with the default one if few items differ; 0 if
            each item is its own cluster.
        auroc_difference: Difference of AUROCs, if both scored the same labelled items with fractions.
        flips: Items on which they differ, up to the requested number.
        margin: Conclusions on whether one is worse by more than a margin, if one was given.
        probabilities: Differences of two judges' probabilities, if the scores of both are finer than grades.
    """

    a: str
    b: str
    n: int
    n_clusters: int
    effective_clusters: float
    both_right: int
    a_only_right: int
    b_only_right: int
    both_wrong: int
    exact_p: float | None
    midp: float | None
    holm_p: float | None
    bh_p: float | None
    by_p: float | None
    clustered_p: float | None
    clustered_holm_p: float | None
    difference: Statistic
    p: float | None
    adjusted_p: float | None
    better: str | None
    smallest_visible: float | None
    corrected: bool = False
    rate_a: Statistic | None = None
    rate_b: Statistic | None = None
    simultaneous: Statistic | None = None
    icc: float = 0.0
    auroc_difference: Areas | None = None
    flips: list[Flip] = []
    margin: Margin | None = None
    probabilities: ProbabilityDifference | None = None


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """Cost of some verdicts; a number is None unless it is known for every verdict.

    Attributes:
        verdicts: Verdicts with a known cost or number of tokens.
        calls: Calls to a model.
        prompt_tokens: Prompt tokens.
        completion_tokens: Completion tokens.
        cost: Cost in US dollars.
        tokens_per_verdict: Prompt and completion tokens per verdict.
        cost_per_verdict: Cost per verdict in US dollars.
    """

    verdicts: int
    calls: float | None
    prompt_tokens: float | None
    completion_tokens: float | None
    cost: float | None
    tokens_per_verdict: float | None
    cost_per_verdict: float | None


class Contender(msgspec.Struct, frozen=True, kw_only=True):
    """Results of one judge or system on all its rows.

    Attributes:
        n: Usable rows.
        n_left_out: Rows without a required score or label.
        share_right: Share right; for systems the share that passes.
        costs: Cost of the verdicts, if known.
        balanced_accuracy: Mean of the true positive and true negative rates; None unless being right means to
            agree with labels.
        not_above_chance: Verdict as in `calibrate` if the judge is not clearly better than chance, by an interval
            that is valid for all judges at once; such a judge is never the best.
        compared: The compared statistic, if it is not the share right.
        simultaneous: The compared statistic with an interval that is valid for all judges at once (Bonferroni);
            None for systems.
        chance_interval: Balanced accuracy with the interval behind the verdict on chance.
        not_above: Baseline that the judge does not clearly beat at the given costs of errors.
    """

    n: int
    n_left_out: int
    share_right: Statistic
    costs: Costs | None
    balanced_accuracy: Statistic | None = None
    not_above_chance: ChanceVerdict | None = None
    compared: Statistic | None = None
    simultaneous: Statistic | None = None
    chance_interval: Statistic | None = None
    not_above: str | None = None

    @property
    def may_guess(self) -> bool:
        """True if the judge is not clearly better than chance or than a constant judge."""
        return self.not_above_chance is not None or self.not_above is not None

    @property
    def rate(self) -> Statistic:
        """The compared statistic."""
        return self.share_right if self.compared is None else self.compared


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """Judge or system with the highest compared statistic, and its value on held-out items.

    Attributes:
        name: Name of the best; the first of equals.
        n: Number of items common to all.
        apparent: The statistic on the items that chose it, with an interval that allows for the choice.
        held_out: Cross-fitted statistic: in each fold, of the one that is best on the other folds. Undefined with
            fewer than two clusters.
    """

    name: str
    n: int
    apparent: Statistic
    held_out: Statistic

    @property
    def optimism(self) -> float | None:
        """Bias from choosing the best: ``apparent`` minus ``held_out``."""
        apparent, held_out = self.apparent.value, self.held_out.value
        return None if apparent is None or held_out is None else apparent - held_out


BY_LABEL = "label"
"""Author of decisions in a table with labels but no checker's verdicts."""


class ContradictedLabels(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Evidence that labels of a system are not a random sample of its undecided outputs.

    Attributes:
        p: Smallest p-value, adjusted for all tests of all systems.
        columns: Columns by which labelled outputs differ from the others, with p-values.
        explained_by: The columns among them within whose values scores do not differ.
        scenarios: Rate of graded undecided outputs, by how these may have been chosen for labels.
    """

    p: float
    columns: dict[str, float] = {}
    explained_by: list[str] = []
    scenarios: dict[LabelsChosenBy, Statistic] = {}


class ComparedStratum(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Systems against each other on one part of their outputs.

    Attributes:
        by: Checkers or judges that graded, those with most outputs first; ``label`` for the labels of a
            table.
        pairs: Pairs of systems, on the items whose outputs are in this part for both.
        rates: Pass rate of all outputs of this part, by system.
        outputs: Number of outputs in this part, by system.
        graded: Number of graded outputs, by system.
        passed: Number of these that pass, uncorrected, by system; of probabilities, their sum.
        labelled: Number of graded undecided outputs with a label, by system.
        corrected: Whether labels correct the judges' verdicts on undecided outputs of every system.
        corrected_systems: Systems whose rates labels correct, and those without undecided outputs if others
            are corrected. A system needs two labels, declared to be a random sample, which they must look like.
        chosen: Systems whose labelled undecided outputs are unlike the rest by score or by a column, with the
            p-value of a random sample.
        declared: What tells how the labelled undecided outputs of a system were chosen, by system; None if nothing
            does. Then its rate is uncorrected.
        if_random: Corrected rates of the systems with None in ``declared``, valid if their labels are a random
            sample.
        contradicted: Evidence against the labels of the systems in ``chosen``, and their rates by how these may
            have been chosen.
        judges: The same part by each single judge, if several judged undecided outputs.
        n_cases: Cases of the systems whose cases have unequal numbers of trials; each has weight 1.
        graded_rates: Corrected rates of graded outputs alone, for systems whose rates count labels of ungraded
            outputs.
        failed_calls: Number of outputs that are ungraded because calls failed, for systems with any. Other ungraded
            outputs were refused, or their replies could not be read.
        bounds: Pass rate of all outputs if ungraded ones failed, and if they passed, by system. Outputs whose
            labels correct the rate keep these; systems without other ungraded outputs are left out.
    """

    by: list[str]
    pairs: list[ComparedPair]
    rates: dict[str, Statistic]
    outputs: dict[str, int]
    graded: dict[str, int]
    passed: dict[str, float]
    labelled: dict[str, int]
    corrected: bool
    corrected_systems: list[str] = []
    chosen: dict[str, float] = {}
    declared: dict[str, LabelsDeclaredBy | None] = {}
    if_random: dict[str, Statistic] = {}
    contradicted: dict[str, ContradictedLabels] = {}
    judges: Mapping[str, ComparedStratum] = {}
    n_cases: dict[str, int] = {}
    graded_rates: dict[str, float] = {}
    failed_calls: dict[str, int] = {}
    bounds: dict[str, tuple[float, float]] = {}

    @property
    def by_labels(self) -> bool:
        """True if labels of a table are the decisions."""
        return self.by == [BY_LABEL]


class Strata(msgspec.Struct, frozen=True, kw_only=True):
    """Systems against each other, part by part.

    Attributes:
        decided: Outputs that checkers decided (in a table without a column ``checker_score``: outputs with a
            label).
        open: Undecided outputs, by judges' verdicts, corrected with labels if some have labels.
        all: All outputs, with parts weighted by their numbers of outputs; undefined if too many undecided
            outputs are ungraded.
    """

    decided: ComparedStratum
    open: ComparedStratum
    all: ComparedStratum


class Comparison(ResultOnPage, Framed, frozen=True, kw_only=True, omit_defaults=True):
    """Judges, prompts or systems against each other.

    ``to_frame`` has one row per pair.

    Attributes:
        by: Whether judges or systems are compared.
        right: What being right means, or None for systems that are compared by stratum.
        statistic: Statistic whose difference is estimated.
        pairs: Every requested pair; for systems those of the stratum ``all``.
        contenders: Results of each judge or system.
        best: The best by the compared statistic. None if no item is common to all, if the best is not clearly
            better than chance, or if the statistic is not one of the 2x2 table of which more is better.
        cuts: Pass threshold of each judge.
        cautions: Limits of the comparison.
        strata: Strata, or None for judges.
        baselines: Share right, on all labelled outputs, of a judge that passes everything (``always_pass``) and
            of one that fails everything (``always_fail``); empty unless judges are compared by agreement.
        baselines_compared: The compared statistic of both, if it is not the share right.
        error_costs: Costs of letting a bad output through and of rejecting a good one, if given.
    """

    by: By
    right: Right | None
    statistic: str
    pairs: list[ComparedPair]
    contenders: dict[str, Contender]
    best: Best | None
    cuts: dict[str, PassThreshold]
    cautions: list[Caution]
    strata: Strata | None = None
    baselines: dict[str, Statistic] = {}
    baselines_compared: dict[str, Statistic] = {}
    error_costs: tuple[float, float] | None = None
