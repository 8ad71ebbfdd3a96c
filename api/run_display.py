"""Results of `run` and `reparse` as documents; loaded only to show results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..evaluation.conclusion.run_summary import RunSummary
from ..evaluation.run_plan import Plan
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
from .gates import UngradedRule, gate_notes, run_gate_failures

if TYPE_CHECKING:
    from ..evaluation.past_runs.reparsing import Reparsed


class RunResults(Result, frozen=True, kw_only=True):
    """Results of a run.

    Attributes:
        plan: The run's settings.
        summary: The run's results.
        report: The report's file.
    """

    plan: Plan
    summary: RunSummary
    report: Path

    def to_dict(self) -> dict[str, Any]:
        """Return the result as `fiducial.api.run.Run` has it."""
        from .run import Run  # noqa: PLC0415 - asked for with --json alone

        return Run(self.plan.out).to_dict()

    def document(self) -> Document:
        """Return a one-screen summary, with the first sentence of each note."""
        # Cut after the first full stop that a blank follows.
        notes = [re.sub(r"(?<=\.) .*", "", note) for note in self.plan.notes]
        note_lines = sum(1 for _ in as_lines(notes, width=WIDTH))
        return [*run_document(self.summary, SCREEN - 1 - note_lines), *notes]

    def in_full(self) -> Document:
        """Return the complete results."""
        notes = [*self.plan.notes, *([""] if self.plan.notes else [])]
        next_step = next_pieces(answers(self.summary).next)
        with RunStore(self.plan.out) as store:
            failures = worst_failures(store)
        return [*notes, *summary_document(self.summary), *failures, *next_step, ""]

    def closing(self) -> Iterator[str]:
        """Yield the paths of the report and the records."""
        out = self.plan.out
        yield f"report: {self.report}"
        all_statistics = command("calibrate", out)
        yield f"records: {out} (the same command resumes; `{all_statistics}` for every statistic)"

    def gate_failures(
        self, gates: Mapping[str, float], min_graded: float | None, ungraded: UngradedRule = "fail"
    ) -> list[str]:
        """Return one line per gate that the run fails."""
        return run_gate_failures(gates, min_graded, self.summary, ungraded, self.plan.out)

    def gate_notes(self, gates: Mapping[str, float]) -> list[str]:
        """Return a line per system, if a pass_rate gate counts only a part of its outputs."""
        return list(gate_notes(gates, self.summary))


def worst_of(folder: FolderPath, most: int, *, markdown: bool = False) -> list[str]:
    """Return lines on the worst failures of a run."""
    with RunStore(folder) as store:
        return list((as_markdown if markdown else as_lines)(worst_failures(store, most)))


class Reparsing(Result, frozen=True, kw_only=True):
    """Changes from reparsing a run's replies, and its results unless it holds preferences."""

    judges: list[Reparsed]
    summary: RunSummary | None
    report: Path | None

    def document(self) -> Document:
        """Return the changes as a document."""
        changes = [*map(_changes, self.judges)]
        if self.summary is None:
            return [*changes, "preferences.json: repeat the command of the run to update it, without calls"]
        return [*summary_document(self.summary), *changes, f"report: {self.report}"]


def _changes(entry: Reparsed) -> Piece:
    unchanged = f"; {entry.without:,} without a stored reply, left as they are" if entry.without else ""
    replies = number_text.counted(entry.replies, "reply")
    changed = number_text.counted(entry.changed, "verdict")
    return f"{entry.by}: {replies} read again, {changed} changed{unchanged}"
