"""A command that calls the tools of a case as it works: JSON Lines on its standard input and output, a line each way in turn."""

from __future__ import annotations

import os
import select
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import msgspec

from ...deterministic.sandbox.running import Reins, Run
from ...errors import RecordError, UsageError
from ...records import Case, ToolCall
from .attempt import Attempt
from .commands import MOST_OUTPUT, ended_by, shown, started, told_of
from .own_agents import answer_fields, output_of

_STREAMS = 'exec "$0" "$@" < "$FIDUCIAL_STREAMS/in" > "$FIDUCIAL_STREAMS/out"'
_PAUSE = 0.05
_PIECE = 1 << 16


class CommandSteps:
    """A command as a generator of steps, for `CallableAgent`.

    Its first line of input is the case. It may print ``{"call": {"name", "arguments"}}`` and is given ``{"result": text}``, ``{"calls": [...]}``
    and is given ``{"results": [...]}``, or ``{"say": text}``, which ends a turn, and is given ``{"messages": [...]}`` of the next one. The first
    other line is its answer: an output as of a command that makes no calls. One that ends without any has said all in steps.

    Args:
        command: Its words.
        environment: All of its environment.
        seconds: How long it may take, each time.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], *, seconds: float) -> None:
        self._command = list(command)
        self._environment = environment
        self._seconds = seconds
        self._working = set[Reins]()

    def __call__(self, case: Case, trial: int) -> Generator[Any, Any, Any]:
        """Work on a case; see the class."""
        reins = Reins()
        self._working.add(reins)
        with tempfile.TemporaryDirectory(prefix="fiducial-") as folder, ThreadPoolExecutor(1) as thread:
            streams = _Streams(Path(folder))
            environment = {**self._environment, "FIDUCIAL_STREAMS": folder, "FIDUCIAL_TRIAL": str(trial)}
            running = thread.submit(started, _STREAMS, self._command, environment, self._seconds, reins)
            try:
                return (yield from self._steps(_Line(streams, running), case))
            finally:
                reins.end_all()
                streams.close()
                self._working.discard(reins)

    def _steps(self, line: _Line, case: Case) -> Generator[Any, Any, Any]:
        line.write(told_of(case))
        begun = False
        while (raw := line.read()) is not None:
            try:
                said: Any = msgspec.json.decode(raw)
            except msgspec.DecodeError:
                return {"error": f"it printed what is no JSON: {shown(raw)}"}
            asked = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
            if "say" in asked and isinstance(asked["say"], str):
                line.write({"messages": (yield asked["say"])})
            elif "call" in asked or "calls" in asked:
                calls = _calls(asked)
                if calls is None:
                    return {"error": f"it printed what is no call: {shown(raw)}"}
                results = yield calls
                line.write({"result": results[0]} if "call" in asked else {"results": results})
            else:
                return _answer(said, raw, case)
            begun = True
        if line.too_long:
            return {"error": f"it printed more than {MOST_OUTPUT >> 20} MiB"}
        run = line.run
        if not run.ended_well:
            return {"error": ended_by(run, self._seconds)}
        return None if begun else {"error": "it ended without an answer"}

    def end(self) -> None:
        """End the commands that are at work."""
        for reins in [*self._working]:
            reins.end_all()


def _calls(asked: Mapping[str, Any]) -> list[ToolCall] | None:
    given = asked["calls"] if "calls" in asked else [asked["call"]]
    try:
        return msgspec.convert(given, list[ToolCall]) or None
    except msgspec.ValidationError:
        return None


def _answer(said: Any, raw: bytes, case: Case) -> Any:
    """What was said last, where it is an output; else how that failed."""
    if answer_fields(said) is None:
        return {"error": f"it printed what is no output: {shown(raw)}"}
    try:
        output_of(said, Attempt(case=case), "", 0, turned=False)
    except (RecordError, UsageError) as error:
        return {"error": f"it printed what is no output: {error}"}
    return said


class _Streams:
    """Two pipes with names, which a shell lays for a command; ours never wait."""

    def __init__(self, folder: Path) -> None:
        for name in ("in", "out"):
            os.mkfifo(folder / name)
        # Open both ways, so that there is one who reads, and nobody is told that there is none any more.
        self.into = os.open(folder / "in", os.O_RDWR | os.O_NONBLOCK)
        self.out = os.open(folder / "out", os.O_RDONLY | os.O_NONBLOCK)

    def close(self) -> None:
        """Close both."""
        os.close(self.into)
        os.close(self.out)


class _Line:
    """A conversation with a command, line by line, as long as it runs."""

    def __init__(self, streams: _Streams, running: Future[Run]) -> None:
        self._streams = streams
        self._running = running
        self._unread = bytearray()
        self._read = 0

    @property
    def run(self) -> Run:
        """How it ended."""
        return self._running.result()

    @property
    def too_long(self) -> bool:
        """Whether it printed more than is read."""
        return self._read > MOST_OUTPUT

    def write(self, said: Any) -> None:
        """Say a line; what a command that has ended does not read is dropped."""
        rest = memoryview(msgspec.json.encode(said) + b"\n")
        while rest and not self._running.done():
            _ready(self._streams.into, select.POLLOUT)
            with suppress(BlockingIOError):
                rest = rest[os.write(self._streams.into, rest[:_PIECE]) :]

    def read(self) -> bytes | None:
        """The next line that is not empty; None when there is none any more."""
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
                time.sleep(_PAUSE / 10)  # nobody has it open


def _ready(descriptor: int, event: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, event)
    return any(happened & event for _, happened in poll.poll(_PAUSE * 1000))
