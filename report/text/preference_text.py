"""Pairwise preferences in full: wins, ties, flips, win rates, strengths, and biases.

Each pair of answers is shown in both orders; if the choice changes with the order, it is a flip. Biases are preferences
for anything other than quality. `preference_screen` is the short form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, starmap

from ...calibration.preference.preference_results import (
    LabelAgreement,
    Length,
    Position,
    PreferenceNumbers,
    RankingMisfit,
    SystemMatch,
)
from ...calibration.statistic import Statistic
from ..document import CautionLine, Piece, document
from ..document_parts import ENDS, DocumentTable
from .caution_text import not_sent_caution
from .number_text import counted, outcomes, p_value, statistic, statistic_cells

_FEW_CLUSTERS = 20
"""With fewer clusters than this, their spread is too uncertain to guarantee the level."""


@document
def preferences_document(
    judges: Sequence[PreferenceNumbers], refused: Mapping[str, Sequence[str]] = {}
) -> Iterator[Piece]:
    """Build the full document of preferences, one judge after another.

    Args:
        judges: Preferences of each judge.
        refused: Decoding parameters that a judge's model refused, by judge.
    """
    yield from starmap(not_sent_caution, refused.items())
    for preferences in judges:
        yield f"{preferences.judge}: {_comparison_counts(preferences)}"
        if any(preferences.ungraded.values()):
            yield f"  verdicts without a choice: {outcomes(preferences.ungraded)}; pairs without both orders are in no number"
        yield from _match_pieces(preferences.matches)
        yield from map(CautionLine, misfit_of(preferences.misfit))
        yield from _system_table(preferences)
        yield "  biases:"
        yield from _position_bias(preferences.position)
        yield from _length_bias(preferences.length)
        if preferences.labels is not None:
            yield from _label_agreement_table(preferences.labels)
        yield from map(CautionLine, limits_of(preferences))


def _comparison_counts(preferences: PreferenceNumbers) -> str:
    counted_comparisons = counted(preferences.comparisons, "comparison")
    if preferences.one_order:
        return f"{counted_comparisons}; {preferences.complete:,} with a verdict in both orders, {preferences.one_order:,} in one, where a choice is a win"
    return (
        f"{counted_comparisons}, each asked in both orders; {preferences.complete:,} with a verdict in both"
    )


def _match_pieces(matches: Sequence[SystemMatch]) -> Iterator[Piece]:
    head = ("pair", "n", "a won", "b won", "ties", "flips", "half ties", "win rate of a", "interval", "p", "")
    yield DocumentTable(head, list(map(_match_row, matches)), left_aligned=ENDS)
    tested = sum(match.adjusted_p is not None for match in matches)
    adjustment_note = f", adjusted for {counted(tested, 'pair')} (Holm)" if tested > 1 else ""
    yield (
        "  won: chosen in both orders. flip: the order decides, to the first or the second shown. half tie: a tie in one order. "
        f"win rate: each order counts half, so a flip or a tie half to each. p: of a test over clusters{adjustment_note}"
    )
    for match in matches:
        yield f"{match.a} and {match.b}: {_match_verdict(match)}"
        if match.corrected is not None:
            yield f"  {corrected_win_rate_of(match)}"


def corrected_win_rate_of(match: SystemMatch) -> str:
    """Return a sentence on the win rate corrected by people's choices."""
    corrected = match.corrected
    if corrected is None or corrected.value is None:
        reason = "" if corrected is None else corrected.undefined
        return f"Win rate of {match.a} not corrected by people's choices: {reason}."
    return f"People's choices on {counted(corrected.n, 'comparison')} correct the win rate of {match.a} to {statistic(corrected)}."


def misfit_of(misfit: RankingMisfit | None) -> Iterator[str]:
    """Yield a sentence if preferences contradict every ranking, such as in a cycle."""
    if misfit is None or not misfit.found:
        return
    if misfit.cycle:
        closed_cycle = [*misfit.cycle, misfit.cycle[0]]
        beats = ", ".join(f"{winner} beats {loser}" for winner, loser in pairwise(closed_cycle))
        yield f"no ranking explains the preferences (p {p_value(misfit.p)}): {beats}"
        return
    yield (
        f"no ranking explains the preferences (p {p_value(misfit.p)}): {misfit.a} has a win rate of {misfit.observed:.2f} against {misfit.b}, "
        f"where strengths say {misfit.expected:.2f}"
    )


def _match_row(match: SystemMatch) -> tuple[str, ...]:
    value, interval, _, method = statistic_cells(match.preferred)
    flips = f"{match.flipped_to_first + match.flipped_to_second:,}"
    if flips != "0":
        flips += f" ({match.flipped_to_first:,} to 1st, {match.flipped_to_second:,} to 2nd)"
    counts = (match.n, match.a_won, match.b_won, match.tied)
    return (
        f"{match.a} (a), {match.b} (b)",
        *(f"{count:,}" for count in counts),
        flips,
        f"{match.half_tied:,}",
        value,
        interval,
        p_value(match.adjusted_p),
        method,
    )


def _match_verdict(match: SystemMatch) -> str:
    if match.preferred.value is None:
        return f"not tested: {match.preferred.undefined}"
    preference_clause = (
        f"{match.better} is preferred" if match.better else "no evidence that either is preferred"
    )
    share_won = match.settled
    if share_won.value is None:
        return f"{preference_clause}; {share_won.undefined}"
    value, interval, settled_n, _ = statistic_cells(share_won)
    return f"{preference_clause}; of the {settled_n} that one of them won, {match.a} won {' '.join(filter(None, (value, interval)))}"


def _system_table(preferences: PreferenceNumbers) -> Iterator[Piece]:
    rows: list[tuple[str, ...]] = []
    for name, system in preferences.systems.items():
        win_rate, win_interval, n, _ = statistic_cells(system.win_rate)
        strength, strength_interval, _, method = statistic_cells(system.strength)
        rows.append((name, n, win_rate, win_interval, strength, strength_interval, method))
    yield "  each against all others; strength: Bradley-Terry's, log-odds beside the order effect, their mean 0, a tie half a win for each:"
    yield DocumentTable(
        ("", "n", "win rate", "interval", "strength", "interval", ""), rows, left_aligned=ENDS, indent=4
    )


def _position_bias(position: Position) -> Iterator[str]:
    flips, flip_interval, n, _ = statistic_cells(position.flips)
    if position.effect.value is None:
        yield f"    position: undefined ({position.effect.undefined}; it takes pairs that were judged in both orders)"
        return
    value, interval, _, _ = statistic_cells(position.effect)
    side = "first" if position.effect.value > 0 else "second"
    conclusion = f"prefers what is shown {side}" if position.found else "no evidence that the order decides"
    yield (
        f"    position: {conclusion}. {flips} {flip_interval} of {n} flip ({position.to_first:,} to the first shown, {position.to_second:,} to the second, "
        f"sign test p {p_value(position.flip_p)}); the first shown is chosen {_with_sign(value)} {interval} more often than half the time "
        f"(Holm p {p_value(position.holm_p)}){_log_odds(position.log_odds)}"
    )


def _log_odds(log_odds: Statistic) -> str:
    if log_odds.value is None:
        return ""
    value, interval, _, _ = statistic_cells(log_odds)
    return f"; log-odds of choosing the first shown {_with_sign(value)} {interval}"


def _length_bias(length: Length) -> Iterator[str]:
    longer, longer_interval, longer_n, _ = statistic_cells(length.longer)
    if length.longer.value is None:
        yield "    length: no two texts of different length were compared in both orders"
        return
    observed_clause = f"the longer of two texts is preferred in {longer} {longer_interval} of {longer_n}"
    if length.effect.value is None:
        yield f"    length: {observed_clause}, which is no bias by itself: the longer may be the better ({length.effect.undefined})"
        return
    value, interval, n, _ = statistic_cells(length.effect)
    favoured = "longer" if length.effect.value > 0 else "shorter"
    conclusion = f"favours the {favoured} text" if length.found else "no evidence that length decides"
    yield (
        f"    length: {conclusion}. If labels differ ({n}), it is wrong {_with_sign(value)} {interval} more often when the wrong one is the "
        f"longer than when it is the shorter (Holm p {p_value(length.holm_p)}); {observed_clause}"
    )


def _label_agreement_table(agreement: LabelAgreement) -> Iterator[Piece]:
    yield "  if labels differ:"
    shares = {"right, each order half": agreement.right}
    if agreement.flips.value is not None:
        shares |= {
            "right in both orders": agreement.right_in_both,
            "wrong in both orders": agreement.wrong_in_both,
            "flips": agreement.flips,
        }
    if agreement.tied_by_label:
        shares["tied in both, labels alike"] = agreement.tied_in_both
    rows = [(name, *statistic_cells(share)) for name, share in shares.items()]
    yield DocumentTable(("", "share", "interval", "n", ""), rows, left_aligned=ENDS, indent=4)


def limits_of(preferences: PreferenceNumbers) -> Iterator[str]:
    """Yield cautions: few clusters, or no labels to say which preference is right."""
    small_matches = [match for match in preferences.matches if 0 < match.n_clusters < _FEW_CLUSTERS]
    if small_matches:
        fewest_clusters = min(match.n_clusters for match in small_matches)
        yield f"few clusters (at least {fewest_clusters:,}), so intervals are rough"
    if preferences.labels is None:
        yield "there are no labels: this is only the judge's preference"


def _with_sign(value: str) -> str:
    return value if value.startswith("-") else f"+{value}"
