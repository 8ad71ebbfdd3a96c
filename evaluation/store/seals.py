"""Seals: hashes of journals and their prefixes, to tell edits by hand from kills."""

from __future__ import annotations

import hashlib
from copy import copy

import msgspec

_FIRST_MARK, _MOST_MARKS = 256, 64
"""Bytes after which a journal is marked, as long as it is short; and marks, from which on every other is given up."""


class Seal(msgspec.Struct, frozen=True):
    """State of a journal when the manifest was written.

    A kill may leave lines behind it, which are kept, and a power cut may take some from its end, whose work is done again. What
    differs before is no such thing: it was changed by hand.

    Attributes:
        bytes: How long it was.
        sha256: Of all of it.
        marks: The same of its beginnings, at even distances, so that a journal that was cut off can be told from one that was changed.
    """

    bytes: int
    sha256: str
    marks: list[tuple[int, str]] = []

    def __post_init__(self) -> None:
        """Refuse marks that are in no order, or outside of the journal: whoever reads up to one would never get there."""
        before = 0
        for mark, _ in self.marks:
            if not before < mark <= self.bytes:
                raise ValueError(f"expected ascending marks from 1 to {self.bytes:,}, got {mark:,}")
            before = mark
        if self.bytes < 0:
            raise ValueError(f"expected a number of bytes, got {self.bytes:,}")


def seal_of(content: bytes) -> Seal:
    """Return the seal of a file that is written whole, so that prefixes are not hashed."""
    return Seal(len(content), hashlib.sha256(content).hexdigest())


class RunningHash:
    """Growing SHA-256 with marks of its prefixes.

    Attributes:
        differs: Whether a prefix does not match the marks of the expected seal.
        changed: The bytes between which the first such prefix was changed.
    """

    def __init__(self, seal: Seal | None) -> None:
        self._hash = hashlib.sha256()
        self._expected = {} if seal is None else {seal.bytes: seal.sha256, **dict(seal.marks)}
        self._stops = sorted(self._expected, reverse=True)
        self._step = _FIRST_MARK
        self.size = 0
        self._marks: list[tuple[int, str]] = []
        self.differs = False
        self.changed = (0, 0)
        self._matched = 0

    def copy(self) -> RunningHash:
        """Return an independent copy."""
        other = copy(self)
        vars(other).update(_hash=self._hash.copy(), _stops=[*self._stops], _marks=[*self._marks])
        return other

    def update(self, data: bytes) -> None:
        """Take in what comes next."""
        rest = memoryview(data)
        while rest:
            stop = self.size - self.size % self._step + self._step
            if self._stops:
                stop = min(stop, self._stops[-1])
            piece, rest = rest[: stop - self.size], rest[stop - self.size :]
            self._hash.update(piece)
            self.size += len(piece)
            if self.size == stop:
                self._stop()

    def _stop(self) -> None:
        now = self._hash.hexdigest()
        if self._stops and self._stops[-1] == self.size:
            if self._expected[self._stops.pop()] == now:
                self._matched = self.size
            elif not self.differs:
                self.differs, self.changed = True, (self._matched, self.size)
        if self.size % self._step == 0:
            self._marks.append((self.size, now))
            if len(self._marks) == _MOST_MARKS:
                self._marks = self._marks[1::2]
                self._step *= 2

    @property
    def seal(self) -> Seal:
        """Of all that came so far."""
        return Seal(self.size, self._hash.hexdigest(), list(self._marks))
