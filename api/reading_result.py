"""Records that `fiducial.read` returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..formats.folder import ImportSummary, write_folder
from ..formats.imported_records import ImportedRecord, lists_of
from ..formats.imported_scores import ScoreConverter
from ..report.text.import_text import grade_hints
from ..report.text.number_text import counted
from ..tables.column_guesses import TableColumns
from ..tables.named_columns import shown_columns
from .display import verdicts_frame
from .paths import FilePath, written_path

if TYPE_CHECKING:
    import pandas as pd


class Reading:
    """Records read from another tool's data.

    Args:
        name: The format that it was read as.
        records: The records, in any order.
        table: The columns of the tables that were read.
        converter: The scales of scores. Verdicts of an author whose scale stays unknown at the end move to ``skipped``.
        source: The file, for entries of ``skipped``.

    Attributes:
        format: The format.
        cases: The cases.
        outputs: The outputs.
        verdicts: Verdicts of the tool's own scorers and of people.
        skipped: Rows that became no record, with file, line, field and reason.
        tags: Columns of a table that became tags, since they are not fields.
    """

    def __init__(
        self,
        name: str,
        records: Iterable[ImportedRecord],
        table: TableColumns | None = None,
        converter: ScoreConverter | None = None,
        source: object = None,
    ) -> None:
        self.format = name
        self.cases, self.outputs, self.verdicts, self.skipped = lists_of(records)
        if converter is not None:
            graded_counts = Counter(verdict.by for verdict in self.verdicts if verdict.graded)
            withdrawn = [*converter.withdrawn(graded_counts, source)]
            authors = {entry.field for entry in withdrawn}  # `withdrawn` names the author as the field
            self.skipped += withdrawn
            self.verdicts[:] = [
                verdict for verdict in self.verdicts if not (verdict.graded and verdict.by in authors)
            ]
        self._table = table or TableColumns()
        self.tags = self._table.tags

    @property
    def found(self) -> Iterator[ImportedRecord]:
        """All records, cases first."""
        yield from self.cases
        yield from self.outputs
        yield from self.verdicts
        yield from self.skipped

    def save(self, folder: FilePath) -> ImportSummary:
        """Write the records as ``fiducial import`` does.

        Args:
            folder: Folder to write, created if missing.

        Raises:
            InputError: There are no records, or the folder cannot be written.
            UsageError: The folder holds a run.
        """
        return write_folder(self.found, written_path(folder), self.format)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per verdict."""
        return verdicts_frame(self.verdicts)

    def __repr__(self) -> str:
        kinds = ", ".join(
            f"{count} {kind}" for kind, count in Counter(case.kind for case in self.cases).items()
        )
        return (
            f"<read as {self.format}: {counted(len(self.cases), 'case')} ({kinds or 'none'}), {counted(len(self.outputs), 'output')}, "
            f"{counted(len(self.verdicts), 'verdict')}, {len(self.skipped):,} skipped{self._limits()}>"
        )

    def _limits(self) -> str:
        """Say why nothing was read, or what was only partly read."""
        only_skipped = self.skipped and not self.cases
        why = f", the first: {self.skipped[0].reason.partition(';')[0]}" if only_skipped else ""
        own_count = self._table.own_folders
        folders = f"; skipped {counted(own_count, 'folder')} made by fiducial" if own_count else ""
        return f"{why}{folders}{self._tagged()}{self._unread()}"

    def _unread(self) -> str:
        names = self._table.unread
        return f"; not read, though grades or references by name: {shown_columns(names)}" if names else ""

    def _tagged(self) -> str:
        """Name the columns that became tags, and the argument that makes fields of them."""
        if not self.tags:
            return ""
        guesses = f"; name those that are fields: map={self._table.guesses!r}" if self._table.guesses else ""
        hints = grade_hints(self._table.asked, self._table.ratings, self._table.raters)
        grades = "".join(f"; {hint}" for hint in hints)
        return f"; read as tags: {shown_columns(self.tags)}{guesses}{grades}"
