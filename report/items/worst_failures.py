"""Worst failures of a run: the question, the answer, what was expected, and who says so."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping

from ...calibration.pass_threshold import PassThreshold
from ...deterministic.finding import in_words
from ...evaluation.store.journal_rows import StoredVerdict
from ...evaluation.store.run_store import RunStore
from ...records import Author, Verdict
from ..document import Piece, document
from ..document_parts import DocumentTable
from ..model import ListedItem, ReportItem
from ..text.number_text import counted, listed
from ..text.one_screen import clipped
from ..text.safe_text import WIDTH, columns_of, excerpt
from .blocks import expected_line, first_line
from .naming import FAILED, marks_in_words
from .run_items import RunItems
from .view import failing_verdicts, groups_of

WORST = 10
"""Failures that are printed with all results."""

_INDENT, _LABEL = 4, len("question")
_ROOM = WIDTH - _INDENT - _LABEL - 2
_LONGEST = 1_000
"""Characters that are read of a text, of which a line shows fewer."""


@document
def worst_failures(store: RunStore, most: int = WORST) -> Iterator[Piece]:
    """Describe the worst failures of a run, each in a small table cut to a terminal's width.

    Those with a label that fails them come first, those with one that passes them last; of these what a checker failed, then
    the lowest scores.
    """
    thresholds = store.roster.thresholds
    with RunItems(store) as items:
        failed = _Failures(items, thresholds)
        worst = heapq.nsmallest(most, failed, key=lambda item: _rank(item, thresholds))
        if not worst:
            yield "No output failed."
            yield ""
            return
        yield f"Worst failures ({len(worst):,} of {failed.n:,}):"
        for item in worst:
            yield _table(item, item.read(item.offset, False), thresholds)
    yield ""


class _Failures:
    """Failed items of a run, counted as they pass."""

    def __init__(self, items: RunItems, thresholds: Mapping[Author, PassThreshold]) -> None:
        self.n = 0
        self._items, self._thresholds = items, thresholds

    def __iter__(self) -> Iterator[ListedItem]:
        for item in self._items:
            if FAILED in groups_of(item.verdicts, self._thresholds):
                self.n += 1
                yield item


def _rank(item: ListedItem, thresholds: Mapping[Author, PassThreshold]) -> tuple[int, bool, float, str]:
    found = failing_verdicts(item.verdicts, thresholds)
    label = item.verdicts.label
    judged_good = label is not None and label.score is not None
    by_label = 0 if any(role == "label" for role, _ in found) else 2 if judged_good else 1
    lowest = min((each.score for _, each in found if each.score is not None), default=1.0)
    return by_label, all(role != "checker" for role, _ in found), lowest, str(item.key)


def _table(item: ListedItem, whole: ReportItem, thresholds: Mapping[Author, PassThreshold]) -> DocumentTable:
    case_id, system, trial = item.key
    name = f"{case_id}, {system}{f', trial {trial}' if trial else ''}"
    texts = {
        "question": item.query,
        "answer": first_line(whole.output),
        "expected": expected_line(whole),
        "failed by": _who(whole, thresholds),
        "why": next(filter(None, (_reason(each) for _, each in failing_verdicts(whole, thresholds))), ""),
    }
    return DocumentTable(
        (),
        [(label, _line(text, _ROOM)) for label, text in texts.items() if text],
        caption=f"  {_line(name, WIDTH - 2)}",
        left_aligned=frozenset({0, 1}),
        indent=_INDENT,
    )


def _who(item: ReportItem, thresholds: Mapping[Author, PassThreshold]) -> str:
    """Name who fails an output, the label first; several judges are counted."""
    found = failing_verdicts(item, thresholds)
    judges = [verdict.by for role, verdict in found if role == "judge"]
    names = [verdict.by for role, verdict in found if role != "judge"]
    names += judges if len(judges) == 1 else [counted(len(judges), "judge")] if judges else []
    is_passed = item.label is not None and item.label.score is not None and "label" not in dict(found)
    return f"{listed(names)}{f', but {item.label.by} passes it' if is_passed and item.label else ''}"


def _reason(verdict: Verdict | StoredVerdict) -> str:
    parts = [in_words(verdict.error_type) if verdict.error_type else "", marks_in_words(verdict.reason or "")]
    return "; ".join(filter(None, parts))


def _line(text: str, columns: int) -> str:
    """Cut a text to one line of a width; hidden characters are spelled out."""
    line = clipped(excerpt(" ".join(text.split()), _LONGEST).text, columns)
    return line if columns_of(line) <= columns else clipped(line[: columns // 2], columns)
