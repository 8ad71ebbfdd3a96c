"""Types of preference results; `compare --judge preference --json` is these, field by field."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ...records import Outcome
from ..statistic import Statistic


class SystemMatch(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems on the cases for which both have an output.

    A comparison is won if the same output is chosen in both orders. If the order decides, it is a flip, which
    is neither a win nor a tie; a choice in one order and a tie in the other is half of one.

    Attributes:
        a: The first.
        b: The second.
        n: Comparisons with a verdict in both orders.
        n_clusters: Clusters among them.
        incomplete: Comparisons without a verdict in one order or in both; part of no number here.
        a_won: Comparisons in which ``a`` is chosen in both orders.
        b_won: Comparisons in which ``b`` is chosen in both orders.
        tied: A tie in both orders.
        flipped_to_first: What is shown first is chosen in both orders.
        flipped_to_second: What is shown second is.
        half_tied: A choice in one order and a tie in the other.
        preferred: The win rate of ``a``: how far it is preferred, each order counting half, so that a flip
            and a tie count half to each.
        settled: The share that ``a`` won of the comparisons that one of them won; flips and ties left out.
        p: p-value of a win rate of one half, by flipping signs of clusters; None without a comparison.
        adjusted_p: The same adjusted over the pairs (Holm): what the words go by.
        corrected: The win rate of ``a`` as people would have it, by their choices on a random part of the
            comparisons and the judge's on all; None without such choices.
        better: Which is preferred by ``adjusted_p``; None without evidence.
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


class SystemPreference(msgspec.Struct, frozen=True, kw_only=True):
    """Results of one system against all others that it was compared with.

    Attributes:
        n: Its comparisons with a verdict in both orders.
        win_rate: How far it is preferred in them, each order counting half.
        strength: Bradley-Terry's beside an order effect, a log-odds; the mean of all systems is 0. Undefined
            if the comparisons do not bound it.
    """

    n: int
    win_rate: Statistic
    strength: Statistic


class Bias(msgspec.Struct, frozen=True, kw_only=True):
    """Something besides quality by which a judge chooses.

    Attributes:
        effect: How much; 0 of a judge that does not.
        p: p-value of no effect, two-sided; None if it could not be tested.
        holm_p: Adjusted over the biases that were tested (Holm).
        found: Whether it is beyond what chance explains, at 5 %.
    """

    effect: Statistic
    p: float | None
    holm_p: float | None = None
    found: bool = False


class Position(Bias, frozen=True, kw_only=True):
    """Position bias. ``effect`` is the share that chooses the output shown first, less one half.

    Attributes:
        flips: Share of comparisons that flip.
        to_first: Flips to what is shown first.
        to_second: Flips to what is shown second.
        log_odds: Log-odds of choosing the first shown, beside the strengths of systems; positive for a judge
            that favours it.
        flip_p: p-value of equally many flips to either, by the exact sign test, which takes comparisons as
            independent; None without a flip.
    """

    flips: Statistic
    to_first: int
    to_second: int
    flip_p: float | None
    log_odds: Statistic


class Length(Bias, frozen=True, kw_only=True):
    """Length bias.

    ``effect`` needs labels: how often the judge chooses wrongly when the wrong output is the longer, minus
    how often when it is the shorter. Without labels there is only `longer`, which is not a bias by itself:
    longer outputs may be better.

    Attributes:
        longer: How far the longer of two outputs of different length is preferred, each order counting half.
    """

    longer: Statistic


class LabelAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Agreement of a judge with trusted labels that say which of two outputs is better.

    Attributes:
        n: Such comparisons with a verdict in both orders.
        right: How far it chooses the better one, each order counting half.
        right_in_both: Share in which it chooses the better one in both orders.
        wrong_in_both: Share in which it chooses the worse one in both orders.
        flips: Share in which the order decides.
        tied_by_label: Comparisons in which labels are alike; not part of the numbers above.
        tied_in_both: Share of those in which it says so in both orders.
    """

    n: int
    right: Statistic
    right_in_both: Statistic
    wrong_in_both: Statistic
    flips: Statistic
    tied_by_label: int
    tied_in_both: Statistic


class RankingMisfit(msgspec.Struct, frozen=True, kw_only=True):
    """Test of one strength a system against a preference of its own for each pair.

    Attributes:
        p: p-value of "strengths explain who is preferred", over clusters.
        found: Whether they do not, at 5 %.
        cycle: Three systems, each preferred to the next and the last to the first, most clearly; empty if
            there are none.
        a: System that is preferred to ``b`` more than strengths say, farther than any other by its error.
        b: The other.
        observed: The win rate of ``a`` against ``b``.
        expected: The win rate that strengths say.
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
        judge: Its name.
        comparisons: Comparisons that were put before it, each in both orders.
        complete: Those with a verdict in both orders.
        ungraded: Verdicts without a choice, by outcome.
        matches: Every pair of systems that was compared.
        systems: Each system against all others.
        position: Whether the order decides.
        length: Whether length does.
        misfit: Whether one strength a system explains who is preferred; None if that cannot be tested, as
            with two systems.
        labels: Agreement with labels; None if no label tells two outputs of a case apart, or calls them
            alike.
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
