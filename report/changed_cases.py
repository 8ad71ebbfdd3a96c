"""Cases whose verdict changed between two runs: both answers side by side, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..deterministic.finding import in_words
from ..errors import FiducialError
from ..evaluation.past_runs.changed_verdicts import ChangedVerdict
from ..evaluation.store.run_store import RunStore
from ..records import ItemKey
from .document import CautionLine, Columns, Details, Piece
from .items.blocks import answer_blocks, request_blocks
from .items.run_items import RunItems
from .model import ListedItem, ReportItem
from .text import number_text
from .text.safe_text import shortened

MAX_CASES = 100
"""Most changed cases that a page shows with their answers; others are counted."""

_MAX_REASON_CHARS = 600
"""Longest reason shown."""


def changed_cases(before: RunStore, after: RunStore, changed: Sequence[ChangedVerdict]) -> Iterator[Piece]:
    """Yield each changed case, folded but for the first: request, both answers, and reasons."""
    shown_changes = changed[:MAX_CASES]
    try:
        with RunItems(before) as before_items, RunItems(after) as after_items:
            before_by_key, after_by_key = _by_key(before_items), _by_key(after_items)
            earlier_systems = {key.system for key in before_by_key}
            for change in shown_changes:
                key = ItemKey(change.case_id, change.system, change.trial)
                before_item, after_item = before_by_key.get(key), after_by_key.get(key)
                if before_item is None and len(earlier_systems) == 1:
                    # If each run has one system, these two are compared whatever their names.
                    before_item = before_by_key.get(key._replace(system=next(iter(earlier_systems))))
                if before_item is not None and after_item is not None:
                    both_items = (
                        before_item.read(before_item.offset, False),
                        after_item.read(after_item.offset, False),
                    )
                    yield _case_details(change, *both_items, is_open=change is shown_changes[0])
    except FiducialError as error:
        yield CautionLine(f"The answers cannot be shown: {error}")
    if hidden := len(changed) - len(shown_changes):
        yield f"{number_text.counted(hidden, 'more changed case')}; {number_text.whole_list()} has all."


def _by_key(items: RunItems) -> dict[ItemKey, ListedItem]:
    return {item.key: item for item in items}


def _case_details(
    changed: ChangedVerdict, earlier: ReportItem, later: ReportItem, *, is_open: bool
) -> Details:
    fault = "" if changed.error_type is None else f": {in_words(changed.error_type)}"
    trial = f", trial {changed.trial}" if changed.trial else ""
    verdicts = f"{number_text.outcome(changed.before)} -> {number_text.outcome(changed.after)}"
    columns_by_run = [
        Columns([*answer_blocks(item, f"{when} ({verdict})"), *_reason_lines(item, changed.by)])
        for when, verdict, item in (("Before", changed.before, earlier), ("After", changed.after, later))
    ]
    title = f"{changed.case_id}, {changed.system}{trial}: {verdicts}{fault}"
    return Details(title, [Columns(columns_by_run), *request_blocks(later)], is_open)


def _reason_lines(item: ReportItem, by: str) -> Iterator[str]:
    """Yield the reason of the verdict that changed, or of the first verdict if it is not there."""
    verdicts = [judge for judge in (item.checker, *item.judges) if judge is not None]
    changed_verdicts = [verdict for verdict in verdicts if verdict.by == by] or verdicts[:1]
    for verdict in changed_verdicts:
        code = f"{in_words(verdict.error_type)}: " if verdict.error_type else ""
        if reason := f"{code}{verdict.reason or ''}".rstrip(": "):
            yield f"{verdict.by}: {shortened(reason, _MAX_REASON_CHARS)}"
