"""Scores on BFCL, the Berkeley Function-Calling Leaderboard, as a table for each system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...evaluation.bfcl.aggregation import SUMMARIES, SystemScore, missing_categories, rate
from ..document import Piece, document
from ..document_parts import ENDS, DocumentTable
from .number_text import count


@document
def scores_document(systems: Iterable[SystemScore]) -> Iterator[Piece]:
    """Build the document of BFCL scores: per system a row per category, then the summaries."""
    head = ("category", "valid", "of", "accuracy", "95% interval")
    for system in systems:
        yield ""
        yield f"{system.name} ({_answer_forms(system)})"
        yield DocumentTable(head, [*_category_rows(system), *_summary_rows(system)], left_aligned=ENDS)
        if missing := missing_categories(system):
            yield f"  * counts as 0, having no results: {', '.join(missing)}"
        if undecided := [name for name, score in system.scores.items() if score.undecided]:
            yield f"  * counts with its lower bound, having undecided answers: {', '.join(undecided)}"


def _answer_forms(system: SystemScore) -> str:
    form_words = {"fc": "as native calls", "prompt": "as text"}
    counts = ", ".join(f"{answers:,} {form_words[mode]}" for mode, answers in sorted(system.modes.items()))
    return f"answers read: {counts}; names {system.names}"


def _category_rows(system: SystemScore) -> Iterator[tuple[str, ...]]:
    for name, score in system.scores.items():
        statistic = rate(score)
        interval = "" if statistic.low is None else f"[{statistic.low:.1%}, {statistic.high:.1%}]"
        if score.undecided:
            low, high = score.bounds
            interval += f" {score.undecided:,} undecided, so {low:.1%} to {high:.1%} of {score.count:,}"
        accuracy = "undecided" if statistic.value is None else f"{statistic.value:.2%}"
        yield name, count(score.tally.correct), count(score.tally.total), accuracy, interval.strip()


def _summary_rows(system: SystemScore) -> Iterator[tuple[str, ...]]:
    summary = system.summary
    for name in SUMMARIES:  # aggregates as the leaderboard defines them
        accuracy = getattr(summary, name)
        mark = "" if accuracy.available else "*"
        yield f"= {name.replace('_', ' ')}", "", count(accuracy.count), f"{accuracy.value:.2%}{mark}", ""
