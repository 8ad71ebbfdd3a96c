"""One screen of two runs: what changed in each system, regressions, and other changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...calibration.comparison.comparison_results import ComparedPair, Strata
from ...deterministic.finding import in_words
from ...evaluation.past_runs.changed_verdicts import ChangedVerdict
from ...evaluation.past_runs.compare_runs import AFTER, BEFORE, Difference
from ..document import Document, Piece
from ..document_parts import FIRST, DocumentTable
from ..items.naming import short_names
from ..ranking import deciding
from . import number_text
from .difference_text import (
    after_before,
    carried_pieces,
    change_verdict,
    changed_pieces,
    fixes,
    nothing_compared,
    repeated_sentence,
    repeated_table,
    system_of,
    tried_once,
    uncompared_lines,
)
from .number_text import counted
from .one_screen import statistic_text
from .ranking_text import largest_possible
from .safe_text import WIDTH, columns_of

_SAME = "no significant change"

_SENTENCES = 2
"""Most systems with a sentence each; more are counted."""


def difference_screen(runs: Difference) -> Document:
    """Say which systems changed, and which cases."""
    return _pieces(runs)


def _pieces(runs: Difference) -> Iterator[Piece]:
    if not any(after_before(deciding(strata)[0]) for strata in runs.systems.values()):
        yield nothing_compared(runs)
        yield from uncompared_lines(runs)
        yield from changed_pieces(runs.changed)
        return
    yield from _answer(runs)
    yield from carried_pieces(runs)
    broke, better = tried_once(runs, runs.broke), tried_once(runs, runs.better)
    if runs.compared_once or not runs.repeated:
        yield (
            f"{counted(len(broke), 'regression')} (pass to fail), {fixes(len(better))} (fail to pass) "
            f"among {counted(runs.compared_once, 'compared output')}."
        )
    if runs.repeated:
        yield repeated_sentence(runs)
    yield ""
    yield _systems(runs)
    for title, changes in (("regression", broke), ("fix", better)):
        if changes:
            yield ""
            yield _changes_table(title, changes)
    if changed := [case for case in runs.repeated if case.before != case.after]:
        yield ""
        yield repeated_table(changed)
    yield ""
    yield from changed_pieces(runs.changed)
    yield from uncompared_lines(runs)


def _answer(runs: Difference) -> Iterator[str]:
    """Yield a sentence per system; of many, a count per verdict."""
    if len(runs.systems) <= _SENTENCES:
        yield from (change_verdict(system, strata) for system, strata in runs.systems.items())
        return
    kinds: dict[str, list[str]] = {"worse": [], "better": [], _SAME: []}
    pairs = {system: after_before(deciding(strata)[0]) for system, strata in runs.systems.items()}
    for system, pair in pairs.items():
        kinds[_word(pair)].append(system)
    largest = largest_possible(pair.difference for name in kinds[_SAME] if (pair := pairs[name]) is not None)
    possible = f"; a change of {largest} could still be there" if largest else ""
    kinds_changed = [f"{len(names):,} {word} ({', '.join(names)})" for word, names in kinds.items() if names]
    same = len(runs.systems) == len(kinds[_SAME])
    yield (
        f"No significant change in {len(runs.systems):,} systems{possible}."
        if same
        else f"{runs.after} against {runs.before}: {'; '.join(kinds_changed)}{possible}."
    )


def _word(pair: ComparedPair | None) -> str:
    better = None if pair is None else pair.better
    return {AFTER: "better", BEFORE: "worse"}.get(better or "", _SAME)


def _systems(runs: Difference) -> DocumentTable:
    """Return rates before and after; the earlier one has its interval if there is room."""
    whole, short = (_table(runs, intervals=each) for each in (True, False))
    return whole if max(map(columns_of, whole.lines())) <= WIDTH else short


def _table(runs: Difference, *, intervals: bool) -> DocumentTable:
    names = short_names(runs.systems)
    rows = [_row(names.of(system), strata, intervals=intervals) for system, strata in runs.systems.items()]
    return DocumentTable(("", "before", "after", "change", "n", ""), rows, left_aligned=FIRST | {5}, indent=0)


def _row(name: str, strata: Strata, *, intervals: bool) -> tuple[str, ...]:
    pair = after_before(deciding(strata)[0])
    if pair is None:
        return name, "-", "-", "-", "0", ""
    before = statistic_text(pair.rate_b)
    if not intervals and pair.rate_b is not None and pair.rate_b.value is not None:
        before = number_text.decimal(pair.rate_b.value)
    word = _word(pair)
    return (
        name,
        before,
        statistic_text(pair.rate_a),
        statistic_text(pair.difference),
        f"{pair.n:,}",
        "" if word == _SAME else word,
    )


def _changes_table(title: str, changes: Sequence[ChangedVerdict]) -> DocumentTable:
    rows = [
        (
            change.case_id,
            system_of(change),
            "" if change.error_type is None else in_words(change.error_type),
        )
        for change in changes
    ]
    return DocumentTable((title, "system", "fault"), rows, left_aligned=frozenset(range(3)), indent=0)
