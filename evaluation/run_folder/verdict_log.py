"""The verdicts of a run folder as they stand: a later row replaces an earlier one that failed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from ...errors import RecordError
from ...records import Author, InputPath, ItemKey, JudgeId, Outcome, Verdict, decode_record, read_lines
from .journal import Journal


class VerdictKey(NamedTuple):
    """What at most one standing verdict exists for."""

    item: ItemKey
    author: Author
    repeat: int


class _Head(msgspec.Struct, frozen=True):
    """What of a row says whose it is and whether it counts; the rest of the line is passed over, which takes half the time."""

    case_id: str
    system: str
    by: str
    outcome: Outcome
    trial: int = 0
    repeat: int = 0
    judge: JudgeId | None = None

    @property
    def key(self) -> ItemKey:
        return ItemKey(self.case_id, self.system, self.trial)

    @property
    def author(self) -> Author:
        return self.by if self.judge is None else self.judge


def key_of(verdict: Verdict | _Head) -> VerdictKey:
    """The key of a verdict."""
    return VerdictKey(verdict.key, verdict.author, verdict.repeat)


def rows_with_standing(journal: Journal[Verdict]) -> Iterator[tuple[Verdict, bool]]:
    """Read every row, with whether it counts.

    A call that failed is asked again when a run is resumed, and its new verdict is appended; the failed row stays in
    the file, because the file is append-only, but no longer counts. Only the keys of failed rows are kept in memory.

    Args:
        journal: The run's verdicts.

    Yields:
        Each row; of those for the same output, author and repeat one counts.
    """
    last: dict[VerdictKey, int] = {}
    for row, head in enumerate(journal.read_as(_Head)):
        if head.outcome == "failed" or (last and key_of(head) in last):
            last[key_of(head)] = row
    for row, verdict in enumerate(journal):
        yield verdict, not last or last.get(key_of(verdict), row) == row


def standing_verdicts(journal: Journal[Verdict]) -> Iterator[Verdict]:
    """The verdicts that count: one for each output, author and repeat.

    Args:
        journal: The run's verdicts.

    Yields:
        Those rows, in order.
    """
    return (verdict for verdict, stands in rows_with_standing(journal) if stands)


def standing_in(path: InputPath) -> Iterator[Verdict]:
    """The verdicts of a finished run that count, all held in memory.

    Args:
        path: The verdicts file of a run folder.

    Yields:
        One for each output, author and repeat, in the order in which they were first asked for.
    """
    rows = (decode_record(raw, Verdict, path=path, line=line) for line, _, raw in read_lines(path))
    yield from {key_of(verdict): verdict for verdict in rows}.values()


def settled(journal: Journal[Verdict]) -> set[VerdictKey]:
    """The keys that need no more work: everything but what failed.

    Args:
        journal: The run's verdicts.

    Returns:
        Their keys.
    """
    authors: dict[Author, Author] = {}  # each once, and not once a row
    return {
        VerdictKey(head.key, authors.setdefault(head.author, head.author), head.repeat)
        for head in journal.read_as(_Head)
        if head.outcome != "failed"
    }


class VerdictIndex:
    """The verdicts of each output as they stand, read when they are asked for; in memory is one key an output, one offset a row.

    Args:
        path: The verdicts file of a run folder.
    """

    def __init__(self, path: InputPath) -> None:
        self._path = path
        self._offsets: dict[ItemKey, tuple[int, ...]] = {}
        for line, offset, raw in read_lines(path):
            key = decode_record(raw, _Head, path=path, line=line).key
            self._offsets[key] = (*self._offsets.get(key, ()), offset)
        self._file = path.open("rb")

    def __getitem__(self, key: ItemKey) -> list[Verdict]:
        """The verdicts on an output, in order of appearance; empty when there is none."""
        rows = map(self._read, self._offsets.get(key, ()))
        return list({(verdict.author, verdict.repeat): verdict for verdict in rows}.values())

    def _read(self, offset: int) -> Verdict:
        self._file.seek(offset)
        raw = self._file.readline()
        try:
            return decode_record(raw, Verdict, path=self._path)
        except RecordError:
            # Lines are counted only now: a number for each row would be kept for nothing.
            line = next((line for line, at, _ in read_lines(self._path) if at == offset), None)
            return decode_record(raw, Verdict, path=self._path, line=line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
