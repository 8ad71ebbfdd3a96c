"""What readers of foreign files give, and what they are told: records, and what could not be one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from ..errors import InputError, RecordError
from ..records import Case, ItemKey, Output, Record, Verdict, encode_record
from ..records.grades import PLAIN, GradeScale

if TYPE_CHECKING:
    from .example import Example

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


ImportedRecord: TypeAlias = Case | Output | Verdict | Skipped
"""What a file is read as, piece by piece; a case comes before its outputs, these before their verdicts."""


class SeenKeys:
    """Hashes of the cases, outputs and verdicts read so far.

    A case may come again with another output; it still counts as one case.
    """

    def __init__(self) -> None:
        self._cases: dict[int, tuple[int, int]] = {}
        self._outputs = set[int]()
        self._said = set[int]()
        self._files: dict[Path, int] = {}

    def made_up(self, prefix: str, path: Path, number: int) -> str:
        """Return an id for a row that has none, unused by any earlier case.

        It holds the number of its file, except for the first file.
        """
        file = self._files.setdefault(path, len(self._files) + 1)
        name = f"{prefix}-{number:06d}" if file == 1 else f"{prefix}-{file}-{number:06d}"
        names = (name if again == 1 else f"{name}-{again}" for again in count(1))
        return next(each for each in names if hash(each) not in self._cases)

    def is_new(self, case: Case, *, failed: bool = False) -> bool:
        """Return whether a case is new; a `RecordError` where its id is that of another case.

        Tags and clusters may differ. After a failure only the question has to be the same: no answer shows of which kind the case is.
        """
        asked = hash(msgspec.json.encode(case.messages))
        content = hash(encode_record(msgspec.structs.replace(case, tags={}, cluster=None)))
        known = self._cases.get(hash(case.id))
        if known is None:
            self._cases[hash(case.id)] = asked, content
            return True
        if known[0 if failed else 1] != (asked if failed else content):
            raise RecordError(f"another case has the id {case.id!r}", field="id")
        return False

    def free_trial(self, case_id: str, system: str, trial: int) -> int:
        """Return the first trial of a system at a case, from one on, that no output has."""
        trials = count(trial)
        return next(each for each in trials if hash(ItemKey(case_id, system, each)) not in self._outputs)

    def has_output(self, case_id: str, system: str) -> bool:
        """Return whether a system answered a case."""
        return hash(ItemKey(case_id, system, 0)) in self._outputs

    def refuse_again(self, output: Output) -> None:
        """Refuse an output that was there before."""
        key = hash(output.key)
        if key in self._outputs:
            raise RecordError(
                f"an answer of {output.system!r} to {output.case_id!r}, trial {output.trial}, was there before"
            )
        self._outputs.add(key)

    def is_said_again(self, verdict: Verdict) -> bool:
        """Return whether the same judge already graded this output in the same repetition."""
        key = hash((verdict.key, verdict.by, verdict.repeat))
        again = key in self._said
        self._said.add(key)
        return again


class Held:
    """Lines that can be read only at the end: exchanges of sessions, and failed calls."""

    def __init__(self) -> None:
        self.sessions: dict[str, list[tuple[bytes, FilePosition, str, int]]] = {}
        self.failures: list[tuple[Example, FilePosition]] = []
        self.systems = set[str]()


def _nothing(_example: Example) -> None:
    """Add nothing to an example."""


Unit: TypeAlias = Literal["session", "turn", "last"]
"""What of a conversation is a case: all of it, each turn, or what follows the last message of a user."""


@dataclass(frozen=True)
class Options:
    """Import options from the user, and the state of reading.

    Attributes:
        columns: Names of our fields by names in the file, or the other way round (``answer=response``); for tables.
        criterion: What a good answer achieves, for cases that have nothing else to be graded by.
        system: Who answered, where the file does not say.
        joined: Who answered, whatever the file says.
        unit: What of a conversation is a case.
        answers: ``accepted`` grades by accepted answers where there are some, ``open`` by a context before them, and by a criterion.
        complete: Adds the references that a joined table has for an example.
        known: What was read so far.
        held: What can be read only when all lines are known.
        grades: The meaning of people's grades in tables.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    criterion: str | None = None
    system: str = LOGGED
    joined: str | None = None
    unit: Unit = "session"
    answers: Literal["accepted", "open"] = "accepted"
    complete: Callable[[Example], None] = _nothing
    known: SeenKeys = field(default_factory=SeenKeys)
    held: Held = field(default_factory=Held)
    grades: GradeScale = PLAIN


class FilePosition(NamedTuple):
    """Where something stands in a file."""

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

    def passed_over(self, field: str, reason: str) -> Skipped:
        """Return the entry for a part that has no place among records."""
        return Skipped(file=str(self.path), line=self.line, field=field, reason=reason)


UNREADABLE = (RecordError, msgspec.ValidationError)
"""What is raised of something in a file that is not what it should be."""

_BEYOND = (ValueError, ArithmeticError, RecursionError)
"""What Python raises of values beyond its bounds: numbers of thousands of digits, dates after the year 9999."""


def converted(
    items: Iterable[T | Skipped],
    convert: Callable[[T], Iterable[ImportedRecord]],
    place: Callable[[T], FilePosition],
) -> Iterator[ImportedRecord]:
    """Convert items, and list the reason for each that is invalid; keep skipped ones."""
    for item in items:
        if isinstance(item, Skipped):
            yield item
            continue
        try:
            found = list(convert(item))
        except UNREADABLE as error:
            yield place(item).skipped(error)
        except _BEYOND as error:
            yield place(item).skipped(RecordError(f"cannot be read: {error}"))
        else:
            yield from found


class TrialCounter:
    """Counter of a system's attempts at a case, for files that repeat rows unnumbered."""

    def __init__(self) -> None:
        self._seen = Counter[tuple[str, str]]()

    def next(self, case_id: str, system: str) -> int:
        """Return the number of the next attempt, from 0; always 0 for a case without an id."""
        if not case_id:
            return 0
        self._seen[case_id, system] += 1
        return self._seen[case_id, system] - 1


def only_records(found: Iterator[ImportedRecord]) -> Iterator[Case | Output | Verdict]:
    """Yield all records of a file, or fail on the first that was skipped.

    Raises:
        RecordError: Something was skipped.
    """
    for each in found:
        if isinstance(each, Skipped):
            raise RecordError(each.reason, path=each.file, line=each.line, field=each.field)
        yield each
