"""Append-only JSON Lines files that survive a kill at any byte, and reveal edits by hand.

`Journal` has records of any type; `VerdictJournal` also indexes verdicts, and seals its file.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

import msgspec

from ...errors import InputError, RecordError
from ...records import (
    MAX_LINE_BYTES,
    Author,
    Closing,
    InputPath,
    ItemKey,
    MemoryFile,
    Verdict,
    decode_record,
    encode_record,
    lines_of,
)
from ...records.json_text import DuplicateKeyDetector, line_too_long_error
from .journal_rows import JournalRow, StoredVerdict, VerdictKey, read_row
from .sealed_file import PIECE, DiskBytes, MemoryBytes, RunningHash, Seal
from .verdict_index import Settled, VerdictIndex

T = TypeVar("T")


class Journal(Closing, Generic[T]):
    """Records that are added one by one and never changed.

    A line counts once its newline is written. Opening the journal for writing cuts off a line that a kill left incomplete, and that
    work is repeated. The file is opened once, and never through a link.

    Args:
        path: The file; created if it does not exist. One in memory lasts as long as the process.
        writing: Open for appending; otherwise the file is not changed.

    Raises:
        InputError: The file cannot be opened, or is not a regular file.
        RecordError: The first line is not such a record; nothing is cut or written.
    """

    def __init__(self, path: InputPath, record_type: type[T], *, writing: bool = True) -> None:
        self.path = path
        self.record_type = record_type
        with self._naming_the_file():
            self._file = (
                MemoryBytes(path) if isinstance(path, MemoryFile) else DiskBytes(path, writing=writing)
            )
        try:
            self.size = self._file.end_of_lines()
            self._begin()
            if writing:
                with self._naming_the_file():
                    self._file.cut(self.size)
        except BaseException:
            self._file.close()
            raise

    def _begin(self) -> None:
        """Check the existing content before anything is cut."""
        # Without a complete line, only the first byte tells a line that a kill cut off from another kind of file.
        if not self.size and (first_byte := self._file.reader().read(1)) not in {b"", b"{"}:
            raise RecordError(f"expected a JSON object, got {first_byte!r}", path=self.path, line=1)
        next(iter(self), None)

    def append(self, record: T) -> None:
        """Add a record; it is written to the file by the next `flush`.

        Raises:
            InputError: The disk is full.
            RecordError: The record is longer than a line that can be read.
        """
        self._append(encode_record(record))

    def _append(self, raw: bytes) -> None:
        if len(raw) > MAX_LINE_BYTES:
            raise line_too_long_error(self.path)
        with self._naming_the_file():
            self._file.write(raw)
        self.size += len(raw)

    def flush(self) -> None:
        """Write all records to the file, so that a kill of this process loses none."""
        with self._naming_the_file():
            self._file.flush()

    def __iter__(self) -> Iterator[T]:
        """Yield the records written so far."""
        for line, raw in self.lines():
            yield decode_record(raw, self.record_type, path=self.path, line=line)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the file's lines with their numbers."""
        self.flush()
        return ((line, raw) for line, _, raw in self._lines())

    def _lines(self, hashed: RunningHash | None = None) -> Iterator[tuple[int, int, bytes]]:
        return lines_of(self._file.reader(self.size, hashed), self.path)

    def close(self) -> None:
        """Flush and close."""
        with self._naming_the_file():
            self._file.close()

    @contextmanager
    def _naming_the_file(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror or error}", path=self.path) from error


class VerdictJournal(Journal[Verdict]):
    """Journal of verdicts with an index of the standing ones; the file is read when opened.

    Args:
        seal: Seal of the file when the manifest was written, or None if unknown.

    Attributes:
        edited: True if sealed lines changed, rather than lines being added or missing at the end.

    Raises:
        InputError: See `Journal`.
        RecordError: A line is not a verdict, or a second verdict for a key that has a score.
    """

    def __init__(self, path: InputPath, *, writing: bool = True, seal: Seal | None = None) -> None:
        self._hash = RunningHash(seal)
        self._detector = (
            DuplicateKeyDetector() if seal is None else None
        )  # sealed lines are ours, without duplicate keys
        self.standing = VerdictIndex()
        super().__init__(path, Verdict, writing=writing)

    def _begin(self) -> None:
        if not self.size:
            super()._begin()
        for line, offset, raw in self._lines(self._hash):
            try:
                self.standing.add(read_row(raw, path=self.path, line=line, detector=self._detector), offset)
            except (ValueError, msgspec.ValidationError) as error:
                # The full record's error explains better what is wrong with a score or a judge.
                decode_record(raw, Verdict, path=self.path, line=line)
                raise RecordError(str(error), path=self.path, line=line) from error
        self.edited = self._hash.differs
        self._changed = self._hash.changed
        self._opened_at = self.size

    @property
    def edited_lines(self) -> str:
        """The file, with the numbers of the first and last line that changed since it was sealed."""
        begin, end = self._changed
        lines = [line for line, offset, raw in self._lines() if offset < end and offset + len(raw) > begin]
        if not lines:
            return str(self.path)
        return f"{self.path}:{lines[0]}" + (f"-{lines[-1]}" if len(lines) > 1 else "")

    def line_number_at(self, offset: int) -> int | None:
        """Return the number of the first line from an offset on."""
        return next((line for line, line_offset, _ in self._lines() if line_offset >= offset), None)

    @property
    def seal(self) -> Seal:
        """Seal of the journal in its current state.

        It is computed from the file, since an interruption between writing a line and hashing it would look like an edit by hand.
        """
        self.flush()
        new_hash = self._hash.copy()
        file_reader = self._file.reader(self.size)
        file_reader.seek(new_hash.size)  # only the lines added since are read
        while piece := file_reader.read(PIECE):
            new_hash.update(piece)
        self._hash = new_hash
        return new_hash.seal

    def append(self, record: Verdict) -> None:
        """Add a verdict.

        Raises:
            ValueError: There is a verdict with a score already for its key.
        """
        self.append_line(encode_record(record), record)

    def append_line(self, raw: bytes, record: JournalRow | Verdict) -> None:
        """Add an encoded verdict."""
        self.standing.add(record, self.size)
        self._append(raw)

    def read(self, rows: Iterable[int] | None = None) -> Iterator[Verdict]:
        """Yield the standing verdicts of these rows, or of all, read from the file one by one.

        All rows are in the order of the first request.
        """
        self.flush()
        for row in range(len(self.standing)) if rows is None else rows:
            raw = self._file.line_at(self.standing.offset(row))
            try:
                yield decode_record(raw, Verdict, path=self.path)
            except RecordError:  # decoded again with the line's number, which is slow to find
                yield decode_record(raw, Verdict, path=self.path, line=self.line_number(row))

    def find(self, key: VerdictKey) -> Verdict | None:
        """Return the standing verdict for a key, or None if there is none."""
        row = self.standing.row_of(key)
        return None if row is None else next(self.read([row]))

    def summaries_on(self, item: ItemKey) -> list[StoredVerdict]:
        """Return summaries of the standing verdicts on one output, without reading them."""
        return [self.standing[row] for row in self.standing.rows_of(item)]

    def verdicts_on(self, item: ItemKey) -> list[Verdict]:
        """Return the standing verdicts on one output."""
        return list(self.read(self.standing.rows_of(item)))

    def line(self, row: int) -> bytes:
        """Return a row's line in the file; it must have been flushed."""
        return self._file.line_at(self.standing.offset(row))

    def line_number(self, row: int) -> int | None:
        """Return a row's line number, which is counted only if a message needs it."""
        return self.line_number_at(self.standing.offset(row))

    @property
    def settled(self) -> Settled:
        """Keys that need no more work, as a live view."""
        return Settled(self.standing)

    def settled_after(self, retries: int, *, next_command: bool = False) -> Settled:
        """Return the settled keys if ``retries`` later commands ask again after unreadable replies.

        Unreadable replies to the present command are left to the next one.
        """
        return Settled(self.standing, retries, self.size if next_command else self._opened_at)

    def retry_of(self, item: ItemKey, author: Author, repeat: int) -> int:
        """Return the number of a verdict's retry after unreadable replies; 0 for the first request."""
        row = self.standing.row_of(VerdictKey(item, author, repeat))
        if row is None:
            return 0
        verdict = self.standing[row]
        return (verdict.spent.retried if verdict.spent else 0) + (verdict.outcome == "unparsable")
