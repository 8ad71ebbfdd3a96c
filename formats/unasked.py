"""Tables without questions, which neither an agent can answer nor a judge can grade."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..errors import ColumnsError
from ..records import Case, Output, Verdict, kind_spec
from ..spelling import setting
from ..tables.named_columns import map_options, shown_columns
from .example_records import DEFAULT_CRITERION, EMPTY
from .imported_records import ImportedRecord


class UnaskedCases:
    """Track whether any row of a table has a question, or a grade instead.

    Attributes:
        pending: Whether no row has had a question or a grade so far.
    """

    def __init__(self) -> None:
        self.pending = True
        self._cases = self._outputs = self._gradable = 0

    def note(self, records: Iterable[ImportedRecord]) -> None:
        """Note the records of a row."""
        for record in records:
            if isinstance(record, Case):
                self._cases += 1
                self._gradable += _is_gradable(record)
                self.pending &= not record.messages
            elif isinstance(record, Output):
                self._outputs += record.error != EMPTY
            elif isinstance(record, Verdict):
                self.pending = False

    def refuse(
        self, fields: Mapping[str, str], guesses: Mapping[str, str], header: Iterable[str], path: Path
    ) -> None:
        """Refuse a table without questions, unless its records are of use without them.

        Answers can be graded alone by a reference, a context or the user's criterion; grades need no question.

        Args:
            fields: The column of each field.
            guesses: Fields without a column, each with one that may hold it.
            header: All columns.
            path: The table.

        Raises:
            ColumnsError: No row has a question, and the records are of no use without.
        """
        if not self._cases or not self.pending or (self._outputs and self._gradable):
            return
        column = fields.get("query") or fields.get("messages")
        problem = "no question column found" if column is None else f"no row has a question in {column!r}"
        if "query" not in guesses:
            problem += f"; the columns are {shown_columns(sorted(header))}"
        alone = f"grade the answers alone with {setting('criterion', 'TEXT')}, or " if self._outputs else ""
        options = map_options(guesses if "query" in guesses else {"query": "COLUMN"})
        error = ColumnsError(f"{problem}; {alone}name it: {options}", path=path)
        error.options = options if "query" in guesses else ""
        raise error


def _is_gradable(case: Case) -> bool:
    """Return whether a case's answers can be graded without its question."""
    spec = kind_spec(case.kind)
    is_checked = spec.checked_by is not None and spec.call != "any"
    criterion = case.reference.get("criterion", DEFAULT_CRITERION)
    return is_checked or bool(case.context) or criterion != DEFAULT_CRITERION
