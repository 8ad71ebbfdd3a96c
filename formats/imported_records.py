"""Imported records, and rows that are not valid records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec

from ..errors import InputError, RecordError
from ..records import MAX_LINE_BYTES, Case, ItemKey, Output, Record, Verdict
from ..records.json_text import encode_json

T = TypeVar("T")

LOGGED = "logged"
"""System of an answer whose author is not recorded."""


class Skipped(Record, frozen=True, kw_only=True):
    """A part of a file that became no record, or was lost from one.

    Attributes:
        file: The file.
        reason: The reason.
        line: Line from 1, if the file has one record per line.
        field: Path in the line or document.
    """

    file: str
    reason: str
    line: int | None = None
    field: str | None = None


class RevisedCase(Record, frozen=True, kw_only=True):
    """An earlier case whose kind changed because of another answer to it."""

    case: Case


ImportedRecord: TypeAlias = Case | RevisedCase | Output | Verdict | Skipped
"""Any imported record; a case precedes its outputs, these their verdicts."""


def revised(case: Case, revisions: Mapping[str, Case]) -> Case:
    """Return a case's revision with the case's own question, tags and cluster."""
    revision = revisions.get(case.id)
    if revision is None:
        return case
    return msgspec.structs.replace(revision, messages=case.messages, tags=case.tags, cluster=case.cluster)


class FilePosition(msgspec.Struct, frozen=True):
    """Place in a file."""

    path: Path
    line: int | None = None

    def skipped(self, error: Exception) -> Skipped:
        """Return the entry for a record that cannot be read."""
        if isinstance(error, InputError):
            return Skipped(file=str(self.path), line=self.line, field=error.field, reason=error.message)
        problem, _, field = str(error).partition(" - at `$")
        return Skipped(
            file=str(self.path), line=self.line, field=field.rstrip("`").lstrip(".") or None, reason=problem
        )

    def skipped_part(self, field: str, reason: str) -> Skipped:
        """Return the entry for a part that has no place in a record."""
        return Skipped(file=str(self.path), line=self.line, field=field, reason=reason)


class RecordLists(NamedTuple):
    """Records by type."""

    cases: list[Case]
    outputs: list[Output]
    verdicts: list[Verdict]
    skipped: list[Skipped]


def lists_of(records: Iterable[ImportedRecord]) -> RecordLists:
    """Return records by type, with cases as revised."""
    revisions: dict[str, Case] = {}
    lists = RecordLists([], [], [], [])
    by_type: dict[type, list[Any]] = dict(zip((Case, Output, Verdict, Skipped), lists, strict=True))
    for record in records:
        if isinstance(record, RevisedCase):
            revisions[record.case.id] = record.case
        else:
            by_type[type(record)].append(record)
    return lists._replace(cases=[revised(case, revisions) for case in lists.cases])


UNREADABLE = (RecordError, msgspec.ValidationError)
"""Errors raised for invalid content of a file."""

_OUT_OF_BOUNDS_ERRORS = (ValueError, ArithmeticError, RecursionError)
"""Python's errors for values out of bounds: numbers with thousands of digits, dates after the year 9999."""


def converted(
    items: Iterable[T | Skipped],
    convert: Callable[[T], Iterable[ImportedRecord]],
    position: Callable[[T], FilePosition],
) -> Iterator[ImportedRecord]:
    """Convert items; yield a skipped entry for each invalid one, and skipped ones unchanged."""
    for item in items:
        if isinstance(item, Skipped):
            yield item
            continue
        try:
            found = list(convert(item))
        except UNREADABLE as error:
            yield position(item).skipped(error)
        except _OUT_OF_BOUNDS_ERRORS as error:
            yield position(item).skipped(RecordError(f"cannot be read: {error}"))
        else:
            yield from found


class TrialCounter:
    """Counter of a system's attempts at a case, for files that repeat rows unnumbered."""

    def __init__(self) -> None:
        self._counts = Counter[tuple[str, str]]()

    def next(self, case_id: str, system: str) -> int:
        """Return the number of the next attempt, from 0; always 0 for a case without an id."""
        if not case_id:
            return 0
        self._counts[case_id, system] += 1
        return self._counts[case_id, system] - 1


def only_records(records: Iterator[ImportedRecord]) -> Iterator[Case | RevisedCase | Output | Verdict]:
    """Yield all records of a file, or fail on the first that was skipped.

    Raises:
        RecordError: Something was skipped.
    """
    for record in records:
        if isinstance(record, Skipped):
            raise RecordError(record.reason, path=record.file, line=record.line, field=record.field)
        yield record


def within_size_limit(records: Iterable[ImportedRecord], path: Path) -> Iterator[ImportedRecord]:
    """Skip records that are too large for a line of a file, and what refers to them."""
    too_large = set[str | ItemKey]()  # ids of cases and keys of outputs
    problem = f"larger than {MAX_LINE_BYTES >> 20} MiB"
    for record in records:
        if isinstance(record, RevisedCase):
            if record.case.id not in too_large and len(encode_json(record.case)) < MAX_LINE_BYTES:
                yield record
            continue
        name = type(record).__name__.lower()
        if too_large and isinstance(record, Output | Verdict) and {record.case_id, record.key} & too_large:
            yield Skipped(file=str(path), reason=f"the {name} is of a case or output that is {problem}")
        elif len(encode_json(record)) < MAX_LINE_BYTES:
            yield record
        else:
            if isinstance(record, Case):
                too_large.add(record.id)
            elif isinstance(record, Output):
                too_large.add(record.key)
            yield Skipped(file=str(path), reason=f"the {name} is {problem}")
