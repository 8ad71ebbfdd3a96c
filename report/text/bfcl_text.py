"""BFCL scores in tables: every rate with its denominator and interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...evaluation.bfcl.aggregation import SUMMARIES, SystemScore, missing_categories, rate
from ..document import Piece, document
from ..document_parts import ENDS, DocumentTable
from .number_text import count


@document
def scores_document(systems: Iterable[SystemScore]) -> Iterator[Piece]:
    """Yield the scores of every system."""
    head = ("category", "valid", "of", "accuracy", "95% interval")
    for system in systems:
        yield ""
        yield f"{system.name} ({_how_read(system)})"
        yield DocumentTable(head, [*_scores(system), *_summary(system)], left_aligned=ENDS)
        if missing := missing_categories(system):
            yield f"  * counts as 0, having no results: {', '.join(missing)}"
        if undecided := [name for name, score in system.scores.items() if score.undecided]:
            yield f"  * counts with its lower bound, having undecided answers: {', '.join(undecided)}"


def _how_read(system: SystemScore) -> str:
    read = {"fc": "as native calls", "prompt": "as text"}
    counts = ", ".join(f"{answers:,} {read[mode]}" for mode, answers in sorted(system.modes.items()))
    return f"answers read: {counts}; names {system.names}"


def _scores(system: SystemScore) -> Iterator[tuple[str, ...]]:
    for name, score in system.scores.items():
        measured = rate(score)
        interval = "" if measured.low is None else f"[{measured.low:.1%}, {measured.high:.1%}]"
        if score.undecided:
            low, high = score.bounds
            interval += f" {score.undecided:,} undecided, so {low:.1%} to {high:.1%} of {score.count:,}"
        accuracy = "undecided" if measured.value is None else f"{measured.value:.2%}"
        yield name, count(score.tally.correct), count(score.tally.total), accuracy, interval.strip()


def _summary(system: SystemScore) -> Iterator[tuple[str, ...]]:
    summary = system.summary
    for name in SUMMARIES:
        accuracy = getattr(summary, name)
        mark = "" if accuracy.available else "*"
        yield f"= {name.replace('_', ' ')}", "", count(accuracy.count), f"{accuracy.value:.2%}{mark}", ""
