"""Rows of a journal: parsed lines, and their summaries in memory."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import msgspec

from ...errors import RecordError
from ...records import Author, InputPath, ItemKey, JudgeId, Outcome, Source, Usage, Verdict, decode_record
from ...records.json_text import DuplicateKeyDetector
from ...records.typed_values import decode_json


class VerdictKey(NamedTuple):
    """Key of a verdict: at most one verdict stands for it."""

    item: ItemKey
    author: Author
    repeat: int


SERVED_BY = "served_by"
"""Key in evidence: the model that the server named in its reply."""

_NULL = msgspec.Raw(b"null")


class JournalRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Journal line as far as an index needs it; the rest stays unparsed.

    Values that many lines share are parsed once.
    """

    case_id: str
    system: str
    by: str
    source: Source
    outcome: Outcome
    trial: int = 0
    score: float | None = None
    error_type: str | None = None
    reason: str | None = None
    evidence: msgspec.Raw = msgspec.Raw(b"{}")
    repeat: int = 0
    usage: msgspec.Raw = _NULL
    raw: msgspec.Raw = _NULL
    judge: msgspec.Raw = _NULL

    @property
    def author(self) -> Author:
        """Author of the verdict.

        Raises:
            msgspec.ValidationError: The line does not name its author.
        """
        return _judge_of(bytes(self.judge)) or self.by

    @property
    def key(self) -> ItemKey:
        """The output it is about."""
        return ItemKey(self.case_id, self.system, self.trial)


class StoredVerdict(NamedTuple):
    """Summary of a standing verdict, available without reading it again.

    Attributes:
        reason: Why a judge gave no score, or a checker failed; None for all others, whose reasons would fill the memory.
        spent: Usage for the verdict over all commands, including failed calls, or None if unknown.
        row: Number of the verdict in the journal's index.
        served_by: The model that the server named, or None if the verdict does not record it.
    """

    key: ItemKey
    by: str
    author: Author
    source: Source
    repeat: int
    outcome: Outcome
    error_type: str | None
    reason: str | None
    score: float | None
    spent: Usage | None
    row: int
    served_by: str | None = None

    @property
    def graded(self) -> bool:
        """True if there is a score."""
        return self.score is not None

    @property
    def system(self) -> str:
        """Name of the system that produced the output."""
        return self.key.system


def is_baseline(author: Author) -> bool:
    """Return whether the author is the baseline, which compares words and counts as no judge."""
    return isinstance(author, JudgeId) and author.kind == "baseline"


def read_row(
    raw: bytes,
    *,
    path: InputPath | None = None,
    line: int | None = None,
    detector: DuplicateKeyDetector | None = None,
) -> JournalRow | Verdict:
    """Parse a line as far as an index needs it.

    Raises:
        RecordError: The line is not a verdict.
    """
    if detector is not None:  # it compares all fields
        return decode_record(raw, Verdict, path=path, line=line, detector=detector)
    try:
        return decode_record(raw, JournalRow, path=path, line=line)
    except RecordError:  # the full parser raises a better error, or accepts a lone surrogate
        return decode_record(raw, Verdict, path=path, line=line)


def spent_on(row: JournalRow | Verdict) -> Usage | None:
    """Return what asking for a verdict cost.

    Raises:
        msgspec.ValidationError: The row's usage is invalid.
    """
    if isinstance(row, Verdict):
        return row.usage
    return None if row.usage is _NULL else _spent_of(bytes(row.usage))


class _Served(msgspec.Struct, frozen=True):
    served_by: str | None = None


def served_by(row: JournalRow | Verdict) -> str | None:
    """Return the model that the server named, or None if the verdict does not record it."""
    if row.source != "judge":
        return None
    if isinstance(row, Verdict):
        name = row.evidence.get(SERVED_BY)
        return name if isinstance(name, str) else None
    evidence = bytes(row.evidence)
    if SERVED_BY.encode() not in evidence:  # a fast test: most evidence need not be parsed
        return None
    try:
        return decode_json(evidence, _Served).served_by
    except ValueError:  # evidence of a plugin that has something else under this name
        return None


_MAX_REMEMBERED = 4096
"""Number of judges, and of costs, whose parsed form is remembered; a run has few different ones."""


@lru_cache(_MAX_REMEMBERED)
def _judge_of(raw: bytes) -> JudgeId | None:
    return decode_json(raw, JudgeId | None)


@lru_cache(_MAX_REMEMBERED)
def _spent_of(raw: bytes) -> Usage | None:
    return decode_json(raw, Usage | None)
