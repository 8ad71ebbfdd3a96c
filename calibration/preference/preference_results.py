"""Types of preference results; `compare --judge preference --json` is these, field by field."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ...records import Outcome
from ..statistic import Statistic


class SystemMatch(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems on the cases for which both have an output.

    A comparison is won if the same output is chosen in both orders. If the order decides, it is a flip, which
    is neither a win nor a tie. A choice in one order and a tie in the other is half a win.

    Attributes:
        a: First system.
        b: Second system.
        n: Comparisons with a verdict in both orders.
        n_clusters: Number of clusters of these comparisons.
        incomplete: Comparisons without a verdict in one or both orders; no other number includes them.
        a_won: Comparisons in which ``a`` is chosen in both orders.
        b_won: Comparisons in which ``b`` is chosen in both orders.
        tied: Comparisons that are ties in both orders.
        flipped_to_first: Comparisons in which the output shown first is chosen in both orders.
        flipped_to_second: Comparisons in which the output shown second is chosen in both orders.
        half_tied: Comparisons with a choice in one order and a tie in the other.
        preferred: Win rate of ``a``, each order counting half; flips and ties count half for each system.
        settled: Share that ``a`` won of the comparisons that one of them won, without flips and ties.
        p: p-value of a win rate of one half, by flipping signs of clusters, or None without a comparison.
        adjusted_p: ``p`` adjusted over the pairs (Holm); printed sentences use it.
        corrected: Win rate of ``a`` among people, from their choices on a random part of the comparisons and
            the judge's choices on all, or None without such choices.
        better: The preferred system by ``adjusted_p``, or None without evidence.
        one_order: Comparisons among the ``n`` that were made in one order only, as in recorded verdicts. There a
            choice is a win, since no other order contradicts it.
    """

    a: str
    b: str
    n: int
    n_clusters: int
    incomplete: int
    a_won: int
    b_won: int
    tied: int
    flipped_to_first: int
    flipped_to_second: int
    half_tied: int
    preferred: Statistic
    settled: Statistic
    p: float | None
    adjusted_p: float | None = None
    better: str | None = None
    corrected: Statistic | None = None
    one_order: int = 0


class SystemPreference(msgspec.Struct, frozen=True, kw_only=True):
    """Results of one system against all others that it was compared with.

    Attributes:
        n: Comparisons with a verdict in both orders.
        win_rate: Degree to which the system is preferred in these comparisons, each order counting half.
        strength: Bradley-Terry strength, fitted with an order effect, as log-odds; the mean over systems is 0.
            Undefined if the comparisons do not bound it.
    """

    n: int
    win_rate: Statistic
    strength: Statistic


class Bias(msgspec.Struct, frozen=True, kw_only=True):
    """Bias of a judge towards something other than quality.

    Attributes:
        effect: Size of the bias; 0 for a judge without it.
        p: p-value of no effect, two-sided, or None if it could not be tested.
        holm_p: ``p`` adjusted over the biases that were tested (Holm).
        found: Whether the bias is significant at 5 %.
    """

    effect: Statistic
    p: float | None
    holm_p: float | None = None
    found: bool = False


class Position(Bias, frozen=True, kw_only=True):
    """Position bias: ``effect`` is the share of choices of the first output, minus one half.

    Attributes:
        flips: Share of comparisons that flip.
        to_first: Number of flips to the output shown first.
        to_second: Number of flips to the output shown second.
        log_odds: Log-odds of choosing the output shown first, given equal strengths; above 0 for a judge that
            favours it.
        flip_p: p-value of equally many flips in both directions, by the exact sign test, which takes
            comparisons as independent, or None without a flip.
    """

    flips: Statistic
    to_first: int
    to_second: int
    flip_p: float | None
    log_odds: Statistic


class Length(Bias, frozen=True, kw_only=True):
    """Length bias.

    ``effect`` needs labels: it is the rate of wrong choices if the wrong output is longer, minus that if it
    is shorter. Without labels there is only ``longer``, which is not a bias by itself, since longer outputs
    may be better.

    Attributes:
        longer: Degree to which the longer of two outputs is preferred, each order counting half.
    """

    longer: Statistic


class LabelAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Agreement of a judge with trusted labels that say which of two outputs is better.

    Attributes:
        n: Number of comparisons with such labels and a verdict in both orders.
        right: Degree to which the judge chooses the better output, each order counting half.
        right_in_both: Share of comparisons with both orders in which the judge chooses the better output in both.
        wrong_in_both: Share of comparisons with both orders in which the judge chooses the worse output in both.
        flips: Share of comparisons with both orders in which the order decides.
        tied_by_label: Number of further comparisons whose labels are equal.
        tied_in_both: Share of these further comparisons that the judge calls a tie in both orders.
    """

    n: int
    right: Statistic
    right_in_both: Statistic
    wrong_in_both: Statistic
    flips: Statistic
    tied_by_label: int
    tied_in_both: Statistic


class RankingMisfit(msgspec.Struct, frozen=True, kw_only=True):
    """Test of one strength per system against a separate preference for each pair.

    Attributes:
        p: p-value of "one strength per system explains the preferences", over clusters.
        found: Whether this hypothesis is rejected at 5 %.
        cycle: Three systems, each preferred to the next, and the last to the first; the clearest such cycle.
            Empty if there is none.
        a: First system of the pair that fits worst; preferred to ``b`` more than expected.
        b: Second system of that pair.
        observed: Win rate of ``a`` against ``b``.
        expected: Win rate expected from the strengths.
    """

    p: float
    found: bool
    cycle: list[str]
    a: str
    b: str
    observed: float
    expected: float


class PreferenceNumbers(msgspec.Struct, frozen=True, kw_only=True):
    """Preferences of one judge.

    Attributes:
        judge: Name of the judge.
        comparisons: Number of comparisons, each asked in both orders.
        complete: Number of comparisons with a verdict in both orders.
        ungraded: Verdicts without a choice, by outcome.
        matches: Results of every pair of systems that was compared.
        systems: Results of each system against all others.
        position: Position bias.
        length: Length bias.
        misfit: Test of one strength per system, or None if it cannot be tested, as with two systems.
        labels: Agreement with labels, or None if no two outputs of a case have labels.
        one_order: Number of comparisons that were made in one order only; they count in rates and strengths.
    """

    judge: str
    comparisons: int
    complete: int
    ungraded: Mapping[Outcome, int]
    matches: list[SystemMatch]
    systems: dict[str, SystemPreference]
    position: Position
    length: Length
    labels: LabelAgreement | None
    misfit: RankingMisfit | None = None
    one_order: int = 0


class ChoiceAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Agreement of a judge with people on which output is better, also by both orders.

    A tie is a choice of its own, never a vote for one output.

    Attributes:
        n: Number of verdicts with a choice on pairs that people compared.
        pairs: Number of pairs of these verdicts.
        ungraded: Number of verdicts without a choice on such pairs, by outcome.
        unlabelled: Number of verdicts on pairs that people did not compare, or on which they disagree.
        agreement: Share of verdicts that choose as people do; a tie agrees only with a tie.
        ties_half: Agreement in which a tie against a choice counts half.
        decided: Share of equal choices if neither chose a tie.
        kappa: Cohen's kappa over first, tie and second.
        table: Counts of verdicts, rows by people, columns by the judge: second, tie, first.
        both_orders: Number of pairs with a verdict in both orders that people decided.
        right_in_both: Share of these pairs in which both verdicts are right.
        wrong_in_both: Share of these pairs in which both verdicts are wrong.
        flips: Share of these pairs in which the order decides.
        right_on_balance: Share of these pairs with two right verdicts, or a right one and a tie, as JudgeBench counts.
    """

    n: int
    pairs: int
    ungraded: Mapping[Outcome, int]
    unlabelled: int
    agreement: Statistic
    ties_half: Statistic
    decided: Statistic
    kappa: Statistic
    table: list[list[int]]
    both_orders: int
    right_in_both: Statistic
    wrong_in_both: Statistic
    flips: Statistic
    right_on_balance: Statistic


class PairCalibrationNumbers(msgspec.Struct, frozen=True, kw_only=True):
    """Agreement of judges with people on pairs of outputs.

    Attributes:
        pairs: Number of pairs with a verdict.
        people: Number of verdicts with a choice, by person.
        agreements: Agreement by judge.
        people_agree: Share of equal choices among every two people's choices on one pair of outputs, or None for one
            person.
        level: Nominal coverage of the intervals.
    """

    pairs: int
    people: Mapping[str, int]
    agreements: Mapping[str, ChoiceAgreement]
    people_agree: Statistic | None = None
    level: float = 0.95
