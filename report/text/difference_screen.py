"""One screen of two runs: each system's change, regressions, fixes and changed settings.

`difference_text` shows the same in full.
"""

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

_NO_CHANGE = "no significant change"

_MAX_SENTENCES = 2
"""Most systems with a sentence each; more are counted."""


def difference_screen(runs: Difference) -> Document:
    """Build the screen of two runs."""
    return _screen_pieces(runs)


def _screen_pieces(runs: Difference) -> Iterator[Piece]:
    if not any(after_before(deciding(strata)[0]) for strata in runs.systems.values()):
        yield nothing_compared(runs)
        yield from uncompared_lines(runs)
        yield from changed_pieces(runs.changed)
        return
    yield from _change_sentences(runs)
    yield from carried_pieces(runs)
    regressions, fixed = tried_once(runs, runs.broke), tried_once(runs, runs.better)
    if runs.compared_once or not runs.repeated:
        yield (
            f"{counted(len(regressions), 'regression')} (pass to fail), {fixes(len(fixed))} (fail to pass) "
            f"among {counted(runs.compared_once, 'compared output')}."
        )
    if runs.repeated:
        yield repeated_sentence(runs)
    yield ""
    yield _system_table(runs)
    for title, changes in (("regression", regressions), ("fix", fixed)):
        if changes:
            yield ""
            yield _changes_table(title, changes)
    if changed_cases := [case for case in runs.repeated if case.before != case.after]:
        yield ""
        yield repeated_table(changed_cases)
    yield ""
    yield from changed_pieces(runs.changed)
    yield from uncompared_lines(runs)


def _change_sentences(runs: Difference) -> Iterator[str]:
    """Yield a sentence per system; for many systems, one that counts them by kind of change."""
    if len(runs.systems) <= _MAX_SENTENCES:
        yield from (change_verdict(system, strata) for system, strata in runs.systems.items())
        return
    systems_by_change: dict[str, list[str]] = {"worse": [], "better": [], _NO_CHANGE: []}
    pairs = {system: after_before(deciding(strata)[0]) for system, strata in runs.systems.items()}
    for system, pair in pairs.items():
        systems_by_change[_change_word(pair)].append(system)
    unchanged_pairs = [pairs[system] for system in systems_by_change[_NO_CHANGE]]
    largest = largest_possible(pair.difference for pair in unchanged_pairs if pair is not None)
    possible = f"; a change of {largest} could still be there" if largest else ""
    clauses = [
        f"{len(names):,} {word} ({', '.join(names)})" for word, names in systems_by_change.items() if names
    ]
    none_changed = len(runs.systems) == len(systems_by_change[_NO_CHANGE])
    yield (
        f"No significant change in {len(runs.systems):,} systems{possible}."
        if none_changed
        else f"{runs.after} against {runs.before}: {'; '.join(clauses)}{possible}."
    )


def _change_word(pair: ComparedPair | None) -> str:
    better = None if pair is None else pair.better
    return {AFTER: "better", BEFORE: "worse"}.get(better or "", _NO_CHANGE)


def _system_table(runs: Difference) -> DocumentTable:
    """Return a table of rates before and after, with intervals of the earlier ones if they fit."""
    wide, narrow = (_system_table_with(runs, intervals=intervals) for intervals in (True, False))
    return wide if max(map(columns_of, wide.lines())) <= WIDTH else narrow


def _system_table_with(runs: Difference, *, intervals: bool) -> DocumentTable:
    names = short_names(runs.systems)
    rows = [_row(names.of(system), strata, intervals=intervals) for system, strata in runs.systems.items()]
    return DocumentTable(("", "before", "after", "change", "n", ""), rows, left_aligned=FIRST | {5}, indent=0)


def _row(name: str, strata: Strata, *, intervals: bool) -> tuple[str, ...]:
    """Return a system's row; ``intervals`` is about the rate before alone."""
    pair = after_before(deciding(strata)[0])
    if pair is None:
        return name, "-", "-", "-", "0", ""
    before = statistic_text(pair.rate_b)  # `b` is the earlier run, see `after_before`
    if not intervals and pair.rate_b is not None and pair.rate_b.value is not None:
        before = number_text.decimal(pair.rate_b.value)
    change = _change_word(pair)
    return (
        name,
        before,
        statistic_text(pair.rate_a),
        statistic_text(pair.difference),
        f"{pair.n:,}",
        "" if change == _NO_CHANGE else change,
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
