"""Record replies to a JSON Lines file, and replay them without a model.

`RecordingProvider` writes such a file, `ReplayProvider` answers from it. `CassetteProvider`, for tests, does both: it replays, and
records replies that are missing.
"""

from __future__ import annotations

import os
from contextlib import AsyncExitStack
from pathlib import Path
from typing import BinaryIO

import msgspec

from ...errors import InputError, MissingReplyError, RecordError, readable
from ...records import MAX_LINE_BYTES, decode_record, encode_record, open_regular_file, read_lines
from ...records.case import Record
from ...records.json_text import DuplicateKeyDetector
from .exchange import NotRecordedError, Provider, Reply, Request, WrappingProvider

_BLOCK_BYTES = 1 << 16
"""Size of the blocks in which the end of a file is read backwards."""
_LINE_PREFIX = b'{"key":'
"""Beginning of every line, by which an unfinished line is recognized."""


class Recorded(Record, frozen=True, kw_only=True):
    """One line of a recording: a request's key, its model, and the reply."""

    key: str
    model: str
    reply: Reply


class RecordingProvider(WrappingProvider):
    """Provider that appends every reply to a file, in whole lines.

    At the start, an unfinished last line is removed: an earlier process was killed while it wrote.
    """

    def __init__(self, inner: Provider, path: Path) -> None:
        super().__init__(inner)
        self._file = _open_to_append(path)
        self._written: set[tuple[str, bool]] = set()

    async def complete(self, request: Request) -> Reply:
        """Ask, and record the reply. See `Provider.complete`."""
        reply = await self._inner.complete(request)
        if (request.key, request.anew) not in self._written:
            # The reply to a question asked anew is a second line with its key: a replay takes the later one.
            self._written.add((request.key, request.anew))
            recorded = msgspec.structs.replace(reply, from_cache=False)
            line = encode_record(Recorded(key=request.key, model=request.model, reply=recorded))
            # Readers refuse longer lines, so a replay reports such a reply as missing.
            if len(line) <= MAX_LINE_BYTES:
                self._file.write(line)
                self._file.flush()
        return reply

    async def aclose(self) -> None:
        """Close the file and the inner provider."""
        self._file.close()
        await super().aclose()


class ReplayProvider:
    """Provider that answers only from a recording; other requests fail.

    The file is indexed once, and replies are read on demand, so that memory does not grow with their length. If a key was
    recorded twice, the later line counts. An unfinished last line is skipped.

    Raises:
        InputError: The file cannot be read.
        RecordError: A line is not a recorded reply.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._positions: dict[str, tuple[int, int]] = {}  # offset and line number, by key
        if path.exists() and not path.is_file():
            raise InputError("is not a plain file; expected a recording of replies", path=path)
        detector = DuplicateKeyDetector()
        for line, offset, raw in read_lines(path):
            recorded = _decode_line(raw, path, line, detector)
            if recorded is not None:
                self._positions[recorded.key] = (offset, line)
        self._file = path.open("rb")

    def __len__(self) -> int:
        return len(self._positions)

    def __contains__(self, key: str) -> bool:
        return key in self._positions

    async def complete(self, request: Request) -> Reply:
        """Look the reply up. See `Provider.complete`."""
        position = self._positions.get(request.key)
        if position is None:
            raise NotRecordedError(
                f"{self.path.name} holds no reply to this request: prompt, model, parameters or item differ from the recording"
            )
        offset, line = position
        self._file.seek(offset)
        recorded = decode_record(self._file.readline(), Recorded, path=self.path, line=line)
        return msgspec.structs.replace(recorded.reply, calls=0)  # a replay calls no model

    async def aclose(self) -> None:
        """Close the file. See `Provider.aclose`."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _decode_line(raw: bytes, path: Path, line: int, detector: DuplicateKeyDetector) -> Recorded | None:
    try:
        return decode_record(raw, Recorded, path=path, line=line, detector=detector)
    except RecordError:
        if raw.endswith(b"\n"):
            raise
        return None  # cut off when a process was killed


def _open_to_append(path: Path) -> BinaryIO:
    with readable(path, doing="written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.fdopen(open_regular_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT), "a+b")
        try:
            _require_own_file(file, path)
            _repair_end(file, path)
        except BaseException:
            file.close()
            raise
        return file


def _require_own_file(file: BinaryIO, path: Path) -> None:
    """Refuse a file that is not a recording, and leave it unchanged."""
    file.seek(0)
    first = file.readline(MAX_LINE_BYTES)
    # An empty file counts as cut off, before its first character.
    is_cut_off = not first.endswith(b"\n") and (
        first.startswith(_LINE_PREFIX) or _LINE_PREFIX.startswith(first)
    )
    if not is_cut_off:
        try:
            decode_record(first, Recorded, path=path, line=1)
        except RecordError as error:
            raise InputError("is no recording of replies; nothing was changed", path=path) from error
    file.seek(0, os.SEEK_END)


def _repair_end(file: BinaryIO, path: Path) -> None:
    """Remove an unfinished last line, or add the newline if only that is missing.

    The file is positioned at its end.
    """
    end = file.tell()
    start = end
    tail = b""
    while start > 0 and b"\n" not in tail:  # lines may be long; the end of the file is read block by block
        start = max(0, start - _BLOCK_BYTES)
        file.seek(start)
        tail = file.read(end - start)
    last_line = tail[tail.rfind(b"\n") + 1 :]
    if not last_line:
        return
    try:
        decode_record(last_line, Recorded, path=path)
    except RecordError as error:
        if not (last_line.startswith(_LINE_PREFIX) or _LINE_PREFIX.startswith(last_line)):
            raise InputError(
                "ends with something that is no recorded reply; nothing was changed", path=path
            ) from error
        file.truncate(end - len(last_line))
    else:
        file.write(b"\n")


class CassetteProvider:
    """Provider that answers from a recording, and asks an inner provider for missing replies.

    Without an inner provider, a missing reply is a `MissingReplyError`. (A `ReplayProvider` gives a failed verdict, which a test
    could overlook.) Several processes may add to one file: each line is written in one step, and of two lines for one request the
    later one counts.
    """

    def __init__(self, path: Path, inner: Provider | None = None) -> None:
        self.path = path
        self._recording = ReplayProvider(path) if path.exists() else None
        self._inner = None if inner is None else RecordingProvider(inner, path)
        self._added: dict[str, Reply] = {}

    async def complete(self, request: Request) -> Reply:
        """Look the reply up, or ask; see `Provider.complete`.

        Raises:
            MissingReplyError: The reply is missing, and there is no endpoint.
        """
        if request.key in self._added:
            return self._added[request.key]
        if self._recording is not None and request.key in self._recording:
            return await self._recording.complete(request)
        if self._inner is None:
            if self._recording is None:
                raise MissingReplyError(f"no cassette {self.path}")
            reason = "prompt, model, parameters or item are new"
            raise MissingReplyError(f"{self.path} holds no reply to this question: {reason}")
        reply = await self._inner.complete(request)
        self._added[request.key] = reply
        return reply

    async def aclose(self) -> None:
        """Close the files and the inner provider."""
        async with AsyncExitStack() as exits:
            for provider in (self._recording, self._inner):
                if provider is not None:
                    exits.push_async_callback(provider.aclose)
