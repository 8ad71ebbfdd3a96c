"""Results of `run` and `reparse` as documents; loaded only to show results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..evaluation.conclusion.run_summary import RunSummary
from ..evaluation.run_plan import Plan
from ..evaluation.store.file_names import REPORT
from ..evaluation.store.run_store import RunStore
from ..records import FolderPath
from ..report.document import Piece, as_lines, as_markdown
from ..report.first_answers import answers, next_pieces, run_document
from ..report.items.worst_failures import worst_failures
from ..report.text import number_text
from ..report.text.safe_text import SCREEN, WIDTH
from ..report.text.summary_text import summary_document
from ..spelling import command
from .display import Document, Result

if TYPE_CHECKING:
    from ..evaluation.past_runs.reparsing import Reparsed


def screen_of_run(plan: Plan, summary: RunSummary) -> Document:
    """Return a run's results on one screen, with the first sentence of each note."""
    notes = [re.sub(r"(?<=\.) .*", "", note) for note in plan.notes]
    lines_of_notes = sum(1 for _ in as_lines(notes, width=WIDTH))
    # The last line of the screen is left to the terminal's prompt.
    return [*run_document(summary, SCREEN - 1 - lines_of_notes), *notes]


def full_document(plan: Plan, summary: RunSummary) -> Document:
    """Return a run's complete results."""
    notes = [*plan.notes, *([""] if plan.notes else [])]
    proposed = next_pieces(answers(summary).next)
    with RunStore(plan.out) as store:
        worst = worst_failures(store)
    return [*notes, *summary_document(summary), *worst, *proposed, ""]


def closing_lines(plan: Plan) -> Iterator[str]:
    """Yield the paths of a run's report and records."""
    yield f"report: {plan.out / REPORT}"
    all_statistics = command("calibrate", plan.out)
    yield f"records: {plan.out} (the same command resumes; `{all_statistics}` for every statistic)"


def worst_of(folder: FolderPath, most: int, *, markdown: bool = False) -> list[str]:
    """Return lines on the worst failures of a run."""
    with RunStore(folder) as store:
        return list((as_markdown if markdown else as_lines)(worst_failures(store, most)))


class Reparsing(Result, frozen=True, kw_only=True):
    """Changes from reparsing a run's replies, and its results, except for runs of preferences."""

    judges: list[Reparsed]
    summary: RunSummary | None
    report: Path | None

    def document(self) -> Document:
        """Return the changes as a document."""
        changes = [*map(_changes_of_judge, self.judges)]
        if self.summary is None:
            return [*changes, "preferences.json: repeat the command of the run to update it, without calls"]
        return [*summary_document(self.summary), *changes, f"report: {self.report}"]


def _changes_of_judge(entry: Reparsed) -> Piece:
    unchanged = f"; {entry.without:,} without a stored reply, left as they are" if entry.without else ""
    replies = number_text.counted(entry.replies, "reply")
    changed = number_text.counted(entry.changed, "verdict")
    return f"{entry.by}: {replies} read again, {changed} changed{unchanged}"
