"""The verdicts of a run folder as they stand: a later row replaces an earlier one that failed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...records import ItemKey, Verdict, decode_record, read_lines
from .journal import Journal


class VerdictKey(NamedTuple):
    """What at most one standing verdict exists for."""

    item: ItemKey
    by: str
    repeat: int


def key_of(verdict: Verdict) -> VerdictKey:
    """The key of a verdict."""
    return VerdictKey(verdict.key, verdict.by, verdict.repeat)


def standing_verdicts(journal: Journal[Verdict]) -> Iterator[Verdict]:
    """Read the verdicts that count.

    A call that failed is asked again when a run is resumed, and its new verdict is appended; the failed row stays in
    the file, because the file is append-only, but no longer counts. Only the keys of failed rows are kept in memory.

    Args:
        journal: The run's verdicts.

    Yields:
        One verdict for each output, author and repeat.
    """
    last: dict[VerdictKey, int] = {}
    for row, verdict in enumerate(journal):
        key = key_of(verdict)
        if verdict.outcome == "failed" or key in last:
            last[key] = row
    for row, verdict in enumerate(journal):
        if last.get(key_of(verdict), row) == row:
            yield verdict


def settled(journal: Journal[Verdict]) -> set[VerdictKey]:
    """The keys that need no more work: everything but what failed.

    Args:
        journal: The run's verdicts.

    Returns:
        Their keys.
    """
    return {key_of(verdict) for verdict in journal if verdict.outcome != "failed"}


class VerdictIndex:
    """The standing verdicts of each output, read when they are asked for; in memory is one key and offset a verdict.

    Args:
        path: The verdicts file of a run folder.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[ItemKey, dict[tuple[str, int], tuple[int, int]]] = {}
        for line, offset, raw in read_lines(path):
            verdict = decode_record(raw, Verdict, path=path, line=line)
            self._places.setdefault(verdict.key, {})[verdict.by, verdict.repeat] = (offset, line)
        self._file = path.open("rb")

    def __getitem__(self, key: ItemKey) -> list[Verdict]:
        """The verdicts on an output, in order of appearance; empty when there is none."""
        return [self._read(offset, line) for offset, line in self._places.get(key, {}).values()]

    def _read(self, offset: int, line: int) -> Verdict:
        self._file.seek(offset)
        return decode_record(self._file.readline(), Verdict, path=self._path, line=line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
