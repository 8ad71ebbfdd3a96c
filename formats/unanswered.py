"""Empty answers of a table, which count only if other rows have answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..records import Output, Verdict
from .example_records import EMPTY
from .imported_records import ImportedRecord, Skipped


class Unanswered:
    """Buffer for empty answers of a table.

    They become outputs once a row of the table has an answer; otherwise the table has only questions.
    """

    def __init__(self) -> None:
        self._empty: list[Output] = []
        self._answered = False

    def take(self, records: list[ImportedRecord]) -> Iterable[ImportedRecord]:
        """Return a row's records; an empty answer waits until its meaning is known."""
        return records if self._answered else self._until_answered(records)

    def _until_answered(self, records: list[ImportedRecord]) -> Iterator[ImportedRecord]:
        outputs = [record for record in records if isinstance(record, Output)]
        is_empty = outputs and all(output.error == EMPTY for output in outputs)
        # A grade shows that the empty answer is an answer.
        if is_empty and not any(isinstance(record, Verdict) for record in records):
            self._empty += outputs
            yield from (record for record in records if not isinstance(record, Output))
            return
        self._answered = bool(outputs)
        yield from records
        if self._answered:
            yield from self._empty
            self._empty = []

    def left(self, path: Path) -> Iterator[ImportedRecord]:
        """Yield a note on the answers if they are empty in every row."""
        if self._empty:
            reason = f"the answer is empty in every row ({len(self._empty):,}), so they are read as questions"
            yield Skipped(file=str(path), field="response", reason=reason)
