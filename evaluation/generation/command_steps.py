"""Command that calls a case's tools as it works.

It exchanges JSON Lines on standard input and output, a line each way in turn.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ...deterministic.sandbox.running import CommandResult
from ...records import Case, ToolCall
from ...records.json_text import encode_json
from .commands import CommandAgent, case_for_agent
from .printed_answer import MOST_OUTPUT, TOO_MUCH, json_line, printed_start, read_answer

_STREAMS = 'exec "$0" "$@" < "$FIDUCIAL_STREAMS/in" > "$FIDUCIAL_STREAMS/out"'
_PAUSE = 0.05
_PIECE = 1 << 16


class CommandSteps(CommandAgent):
    """A command as a generator of steps, for `CallableAgent`.

    Its first line of input is the case. It may print ``{"call": {"name", "arguments"}}`` and is given ``{"result": text}``, ``{"calls": [...]}``
    and is given ``{"results": [...]}``, or ``{"say": text}``, which ends a turn, and is given ``{"messages": [...]}`` of the next one. The first
    other line of JSON is its answer: an output as of a command that makes no calls. Other lines are passed over; those after its last step are
    its answer if no JSON comes. One that ends without any has said all in steps.
    """

    def __call__(self, case: Case, trial: int) -> Generator[Any, Any, Any]:
        """Work on a case; see the class."""
        with self._attempt() as (folder, reins), ThreadPoolExecutor(1) as thread:
            streams = _Streams(Path(folder))
            running = thread.submit(self._run, _STREAMS, reins, trial, FIDUCIAL_STREAMS=folder)
            try:
                return (yield from self._steps(_Line(streams, running), case))
            finally:
                reins.end_all()
                streams.close()

    def _steps(self, line: _Line, case: Case) -> Generator[Any, Any, Any]:
        line.write(case_for_agent(case))
        begun, loose = False, list[bytes]()
        while (raw := line.read()) is not None:
            if json_line(raw) is None:
                loose.append(raw)
                continue
            request = _request(raw)
            if isinstance(request.get("say"), str):
                line.write({"messages": (yield request["say"])})
            elif "call" in request or "calls" in request:
                calls = _calls(request)
                if calls is None:
                    return {"error": f"it printed what is no call: {printed_start(raw)}"}
                results = yield calls
                line.write({"result": results[0]} if "call" in request else {"results": results})
            else:
                return read_answer(raw, case)
            begun, loose = True, []
        if line.too_long:
            return TOO_MUCH
        if (failure := self._failure(line.run)) is not None:
            return failure
        if loose:
            return read_answer(b"\n".join(loose), case)
        return None if begun else {"error": "it ended without an answer"}


def _request(raw: bytes) -> dict[str, Any]:
    """Parse a line as an object; any other line asks for nothing and gives an empty object."""
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}


def _calls(request: Mapping[str, Any]) -> list[ToolCall] | None:
    calls = request["calls"] if "calls" in request else [request["call"]]
    try:
        return msgspec.convert(calls, list[ToolCall]) or None
    except msgspec.ValidationError:
        return None


class _Streams:
    """Two pipes with names, which a shell lays for a command; ours never wait."""

    def __init__(self, folder: Path) -> None:
        for name in ("in", "out"):
            os.mkfifo(folder / name)
        # Open both ways, so that there is always a reader, and no writer gets SIGPIPE.
        self.into = os.open(folder / "in", os.O_RDWR | os.O_NONBLOCK)
        self.out = os.open(folder / "out", os.O_RDONLY | os.O_NONBLOCK)

    def close(self) -> None:
        """Close both."""
        os.close(self.into)
        os.close(self.out)


class _Line:
    """A conversation with a command, line by line, as long as it runs."""

    def __init__(self, streams: _Streams, running: Future[CommandResult]) -> None:
        self._streams = streams
        self._running = running
        self._unread = bytearray()
        self._read = 0

    @property
    def run(self) -> CommandResult:
        """Result of the command's run."""
        return self._running.result()

    @property
    def too_long(self) -> bool:
        """True if the command printed more than the limit."""
        return self._read > MOST_OUTPUT

    def write(self, value: Any) -> None:
        """Say a line; what a command that has ended does not read is dropped."""
        rest = memoryview(encode_json(value) + b"\n")
        while rest and not self._running.done():
            _ready(self._streams.into, select.POLLOUT)
            with suppress(BlockingIOError):
                rest = rest[os.write(self._streams.into, rest[:_PIECE]) :]

    def read(self) -> bytes | None:
        """Return the next non-empty line; None at the end."""
        while not self.too_long:
            line, newline, after = self._unread.partition(b"\n")
            if newline:
                self._unread = after
            elif self._more():
                continue
            else:
                self._unread = bytearray()
            if line.strip():
                return bytes(line)
            if not newline:
                return None
        return None

    def _more(self) -> bool:
        """Wait for more of its output; False when there will be none."""
        while True:
            over = self._running.done()
            try:
                piece = os.read(self._streams.out, _PIECE)
            except BlockingIOError:
                piece = b""
            if piece:
                self._read += len(piece)
                self._unread += piece
                return True
            if over:
                return False
            if not _ready(self._streams.out, select.POLLIN):
                time.sleep(_PAUSE / 10)  # it is not open anywhere


def _ready(descriptor: int, event: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, event)
    return any(happened & event for _, happened in poll.poll(_PAUSE * 1000))
