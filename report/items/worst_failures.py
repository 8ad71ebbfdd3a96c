"""Worst failures of a run for a terminal: question, answer, reference, and who failed it."""

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
"""Failures that are printed after all results of a run."""

_INDENT, _LABEL_COLUMNS = 4, len("question")
_TEXT_COLUMNS = WIDTH - _INDENT - _LABEL_COLUMNS - 2
"""Columns after the longest label and two blanks."""
_MAX_TEXT_CHARS = 1_000
"""Part of a text that is made safe to display; a line shows less."""


@document
def worst_failures(store: RunStore, most: int = WORST) -> Iterator[Piece]:
    """Build the document of a run's worst failures, each a small table of a terminal's width.

    They are sorted by whether a label fails them (first) or passes them (last), then by whether a checker fails them, then by
    the lowest score.
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
            yield _failure_table(item, item.read(item.offset, False), thresholds)
    yield ""


class _Failures:
    """Iterator over the failed items of a run that counts them in ``n``."""

    def __init__(self, items: RunItems, thresholds: Mapping[Author, PassThreshold]) -> None:
        self.n = 0
        self._items, self._thresholds = items, thresholds

    def __iter__(self) -> Iterator[ListedItem]:
        for item in self._items:
            if FAILED in groups_of(item.verdicts, self._thresholds):
                self.n += 1
                yield item


def _rank(item: ListedItem, thresholds: Mapping[Author, PassThreshold]) -> tuple[int, bool, float, str]:
    """Return the sort key of a failure, the worst lowest; see `worst_failures`."""
    failing = failing_verdicts(item.verdicts, thresholds)
    label = item.verdicts.label
    has_label = label is not None and label.score is not None
    label_rank = 0 if any(role == "label" for role, _ in failing) else 2 if has_label else 1
    lowest_score = min((verdict.score for _, verdict in failing if verdict.score is not None), default=1.0)
    return label_rank, all(role != "checker" for role, _ in failing), lowest_score, str(item.key)


def _failure_table(
    item: ListedItem, item_with_texts: ReportItem, thresholds: Mapping[Author, PassThreshold]
) -> DocumentTable:
    case_id, system, trial = item.key
    name = f"{case_id}, {system}{f', trial {trial}' if trial else ''}"
    texts = {
        "question": item.query,
        "answer": first_line(item_with_texts.output),
        "expected": expected_line(item_with_texts),
        "failed by": _failed_by(item_with_texts, thresholds),
        "why": next(
            filter(None, (_reason(verdict) for _, verdict in failing_verdicts(item_with_texts, thresholds))),
            "",
        ),
    }
    return DocumentTable(
        (),
        [(label, _one_line(text, _TEXT_COLUMNS)) for label, text in texts.items() if text],
        caption=f"  {_one_line(name, WIDTH - 2)}",
        left_aligned=frozenset({0, 1}),
        indent=_INDENT,
    )


def _failed_by(item: ReportItem, thresholds: Mapping[Author, PassThreshold]) -> str:
    """Return who failed an output, the label's author first; several judges are counted."""
    failing = failing_verdicts(item, thresholds)
    judges = [verdict.by for role, verdict in failing if role == "judge"]
    names = [verdict.by for role, verdict in failing if role != "judge"]
    names += judges if len(judges) == 1 else [counted(len(judges), "judge")] if judges else []
    is_passed = item.label is not None and item.label.score is not None and "label" not in dict(failing)
    return f"{listed(names)}{f', but {item.label.by} passes it' if is_passed and item.label else ''}"


def _reason(verdict: Verdict | StoredVerdict) -> str:
    parts = [in_words(verdict.error_type) if verdict.error_type else "", marks_in_words(verdict.reason or "")]
    return "; ".join(filter(None, parts))


def _one_line(text: str, columns: int) -> str:
    """Cut a text to one line of a width, with hidden characters spelled out."""
    line = clipped(excerpt(" ".join(text.split()), _MAX_TEXT_CHARS).text, columns)
    return line if columns_of(line) <= columns else clipped(line[: columns // 2], columns)
