"""What readers of foreign files give, and what they are told: records, and what could not be one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from ..errors import InputError, RecordError
from ..records import Case, Output, Record, Verdict, encode_record

T = TypeVar("T")

LOGGED = "logged"
"""The system of an answer of which nobody wrote down who gave it."""


class Skipped(Record, frozen=True, kw_only=True):
    """Something in a file that became no record, or part of one that did not.

    Attributes:
        file: The file.
        reason: Why.
        line: 1-based, where the file has one record a line.
        field: Where in the line or document.
    """

    file: str
    reason: str
    line: int | None = None
    field: str | None = None


Found: TypeAlias = Case | Output | Verdict | Skipped
"""What a file is read as, piece by piece; a case comes before its outputs, these before their verdicts."""


class Known:
    """The cases and outputs that were read so far, by their hashes: a case may come again with another output, and is one."""

    def __init__(self) -> None:
        self._cases: dict[int, int] = {}
        self._outputs = set[int]()
        self._said = set[int]()
        self._files: dict[Path, int] = {}

    def made_up(self, prefix: str, path: Path, number: int) -> str:
        """An id for a row that has none; of every file but the first with the file's number in it; refused where a case before has it."""
        file = self._files.setdefault(path, len(self._files) + 1)
        name = f"{prefix}-{number:06d}" if file == 1 else f"{prefix}-{file}-{number:06d}"
        if self._cases and hash(name) in self._cases:
            raise RecordError(f"a row without id would be called {name!r}, as another case is", field="id")
        return name

    def is_new(self, case: Case) -> bool:
        """Whether a case was not there before; another one under its id is refused."""
        key, content = hash(case.id), hash(encode_record(case))
        known = self._cases.get(key)
        if known is None:
            self._cases[key] = content
        elif known != content:
            raise RecordError(f"another case has the id {case.id!r}", field="id")
        return known is None

    def refuse_again(self, output: Output) -> None:
        """Refuse an output that was there before."""
        key = hash(output.key)
        if key in self._outputs:
            raise RecordError(
                f"an answer of {output.system!r} to {output.case_id!r}, trial {output.trial}, was there before"
            )
        self._outputs.add(key)

    def is_said_again(self, verdict: Verdict) -> bool:
        """Whether the same judge said something of the same output before, as the same repetition."""
        key = hash((verdict.key, verdict.by, verdict.repeat))
        again = key in self._said
        self._said.add(key)
        return again


@dataclass(frozen=True)
class Options:
    """What a user says beside the path, and what was read so far.

    Attributes:
        columns: Names of our fields by names in the file, or the other way round (``answer=response``); for tables.
        criterion: What a good answer achieves, for cases that have nothing else to be graded by.
        system: Who answered, where the file does not say.
        answers: ``accepted`` grades by accepted answers where there are some, ``open`` by a context before them, and by a criterion.
        known: What was read so far.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    criterion: str | None = None
    system: str = LOGGED
    answers: Literal["accepted", "open"] = "accepted"
    known: Known = field(default_factory=Known)


class Place(NamedTuple):
    """Where something stands in a file."""

    path: Path
    line: int | None = None

    def skipped(self, error: Exception) -> Skipped:
        """What is listed of something that cannot be read."""
        if isinstance(error, InputError):
            return Skipped(file=str(self.path), line=self.line, field=error.field, reason=error.message)
        problem, _, field = str(error).partition(" - at `$")
        return Skipped(
            file=str(self.path), line=self.line, field=field.rstrip("`").lstrip(".") or None, reason=problem
        )

    def passed_over(self, field: str, reason: str) -> Skipped:
        """What is listed of a part that has no place among records."""
        return Skipped(file=str(self.path), line=self.line, field=field, reason=reason)


UNREADABLE = (RecordError, msgspec.ValidationError)
"""What is raised of something in a file that is not what it should be."""


def converted(
    items: Iterable[T | Skipped], convert: Callable[[T], Iterable[Found]], place: Callable[[T], Place]
) -> Iterator[Found]:
    """What items are converted to; of one that is not what it should be, it is listed why; what is skipped already stays so."""
    for item in items:
        if isinstance(item, Skipped):
            yield item
            continue
        try:
            found = list(convert(item))
        except UNREADABLE as error:
            yield place(item).skipped(error)
        else:
            yield from found


class Trials:
    """Numbers the attempts of a system at a case, where a file repeats rows and does not number them."""

    def __init__(self) -> None:
        self._seen = Counter[tuple[str, str]]()

    def next(self, case_id: str, system: str) -> int:
        """The number of the next attempt, from 0; a case without an id of its own is attempted once."""
        if not case_id:
            return 0
        self._seen[case_id, system] += 1
        return self._seen[case_id, system] - 1


def only_records(found: Iterator[Found]) -> Iterator[Case | Output | Verdict]:
    """What was found, for who wants all of a file or nothing.

    Raises:
        RecordError: Something was skipped.
    """
    for each in found:
        if isinstance(each, Skipped):
            raise RecordError(each.reason, path=each.file, line=each.line, field=each.field)
        yield each
