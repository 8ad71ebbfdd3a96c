"""One screen of pairwise preferences: the preferred system, win rates, and biases.

`preference_text` shows the same in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap

from ...calibration.preference.preference_results import PreferenceNumbers, SystemMatch
from ..document import CautionLine, Document, Piece
from ..document_parts import FIRST, DocumentTable
from ..items.naming import short_names
from . import number_text
from .caution_text import not_sent_caution
from .number_text import counted, p_value
from .one_screen import plotted_table, statistic_text
from .preference_text import corrected_win_rate_of, limits_of, misfit_of

_PAIR_NAME_COLUMNS = 16
"""Width of a name in a table of pairs, which has two in a cell."""


def preferences_screen(
    judges: Sequence[PreferenceNumbers], refused: Mapping[str, Sequence[str]] = {}
) -> Document:
    """Build the screen of preferences, one judge after another.

    Args:
        judges: Preferences of each judge.
        refused: Decoding parameters that a judge's model refused, by judge.
    """
    pieces = [piece for preferences in judges for piece in _pieces(preferences)]
    return [*pieces, *starmap(not_sent_caution, refused.items())]


def _pieces(preferences: PreferenceNumbers) -> Iterator[Piece]:
    yield f"{preferences.judge}: {_preferred_sentence(preferences)}"
    yield from (corrected_win_rate_of(match) for match in preferences.matches if match.corrected is not None)
    yield _bias_sentence(preferences)
    if any(preferences.ungraded.values()):
        yield f"{number_text.outcomes(preferences.ungraded)}: verdicts without a choice, in no number."
    yield ""
    best_first = sorted(
        preferences.systems, key=lambda name: -(preferences.systems[name].win_rate.value or 0.0)
    )
    names = short_names(best_first)
    if names.shared:
        yield f"systems {names.shared}"
    rows = [
        (
            names.of(name),
            preferences.systems[name].win_rate,
            (f"{preferences.systems[name].n:,}", statistic_text(preferences.systems[name].strength)),
        )
        for name in best_first
    ]
    yield plotted_table("", ("win rate", "n", "strength"), rows, scale="")
    if len(preferences.matches) > 1:
        yield ""
        yield _match_table(preferences.matches)
    yield from map(CautionLine, (*misfit_of(preferences.misfit), *limits_of(preferences)))


def _preferred_sentence(preferences: PreferenceNumbers) -> str:
    """Name the preferred system, or say that none is."""
    best_first = sorted(
        preferences.systems, key=lambda name: -(preferences.systems[name].win_rate.value or 0.0)
    )
    if len(best_first) < 2:  # noqa: PLR2004 - a comparison needs two
        return "nothing was compared."
    leader, second = best_first[:2]
    match = next(
        (pair for pair in preferences.matches if {pair.a, pair.b} == {leader, second}),
        None,
    )
    if match is None or match.preferred.value is None:
        return f"{leader} and {second} were not compared."
    rate, n = number_text.statistic(preferences.systems[leader].win_rate), preferences.systems[leader].n
    if match.better == leader:
        return f"{leader} is preferred: win rate {rate}, n {n:,}."
    return f"no significant preference between {leader} and {second}; win rate of {leader} {rate}, n {n:,}."


def _match_table(matches: Sequence[SystemMatch]) -> DocumentTable:
    names = short_names(
        [name for match in matches for name in (match.a, match.b)], columns=_PAIR_NAME_COLUMNS
    )
    rows = [
        (
            f"{names.of(match.a)} - {names.of(match.b)}",
            f"{match.a_won:,}",
            f"{match.b_won:,}",
            f"{match.n - match.a_won - match.b_won:,}",
            p_value(match.adjusted_p),
        )
        for match in matches
    ]
    return DocumentTable(
        ("a - b", "a won", "b won", "neither", "adjusted p"), rows, left_aligned=FIRST, indent=0
    )


def _bias_sentence(preferences: PreferenceNumbers) -> str:
    """Return a sentence on whether position or length biases the choice."""
    if preferences.one_order and not preferences.complete:
        return "Position bias: not measured, since no pair was judged in both orders."
    if preferences.position.effect.value is None:
        return f"Position bias: undefined ({preferences.position.effect.undefined})."
    flip_clause = f"the order decides {number_text.statistic(preferences.position.flips)} of {counted(preferences.complete, 'comparison')}"
    position = (
        f"prefers what is shown {'first' if (preferences.position.effect.value or 0.0) > 0 else 'second'}"
        if preferences.position.found
        else "no position bias found"
    )
    length_clause = "; favours one length" if preferences.length.found else ""
    return f"{position[0].upper()}{position[1:]}; {flip_clause}{length_clause}."
