"""Commands that call a case's tools, exchanging JSON Lines on standard input and output."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import msgspec

from ...deterministic.sandbox.running import CommandResult
from ...records import Case, ToolCall
from ...records.json_text import encode_json
from ...records.typed_values import convert
from .commands import CommandAgent, case_for_agent
from .printed_answer import MAX_OUTPUT, TOO_MUCH, json_line, printed_start, read_answer

_RUN_WITH_PIPES = 'exec "$0" "$@" < "$FIDUCIAL_STREAMS/in" > "$FIDUCIAL_STREAMS/out"'
"""Shell script that runs its arguments as a command, reading and writing named pipes."""
_POLL_SECONDS = 0.05
"""Longest wait for a pipe before the command is asked whether it has ended."""
_PIECE_BYTES = 1 << 16


class CommandSteps(CommandAgent):
    """A command as a generator of steps, for `CallableAgent`.

    Its first line of input is the case. It prints a line for each step, and reads a line in return:

    * ``{"call": {"name", "arguments"}}``: ``{"result": text}``
    * ``{"calls": [...]}``: ``{"results": [...]}``
    * ``{"say": text}``, which ends a turn: ``{"messages": [...]}`` of the next turn

    Any other line of JSON is its answer, in the same form as that of a command without calls. Lines that are not JSON are skipped. If there
    is no JSON answer, the lines after the last step are the answer; if there are none, the steps are the whole output.
    """

    def __call__(self, case: Case, trial: int) -> Generator[Any, Any, Any]:
        """Work on a case, as a generator of steps."""
        with self._attempt() as (folder, stopper), ThreadPoolExecutor(1) as thread:
            streams = _Streams(Path(folder))
            running = thread.submit(self._run, _RUN_WITH_PIPES, stopper, trial, FIDUCIAL_STREAMS=folder)
            try:
                return (yield from self._steps(_LineExchange(streams, running), case))
            finally:
                stopper.stop()
                streams.close()

    def _steps(self, lines: _LineExchange, case: Case) -> Generator[Any, Any, Any]:
        lines.write(case_for_agent(case))
        has_steps, text_lines = False, list[bytes]()
        while (raw := lines.read()) is not None:
            value = json_line(raw)
            if value is None:
                text_lines.append(raw)
                continue
            request = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            if isinstance(request.get("say"), str):
                lines.write({"messages": (yield request["say"])})
            elif "call" in request or "calls" in request:
                calls = _requested_calls(request)
                if calls is None:
                    return {"error": f"it printed what is no call: {printed_start(raw)}"}
                results = yield calls
                lines.write({"result": results[0]} if "call" in request else {"results": results})
            else:
                return read_answer(raw, case)
            has_steps, text_lines = True, []
        if lines.too_long:
            return TOO_MUCH
        if (failure := self._failure(lines.run)) is not None:
            return failure
        if text_lines:
            return read_answer(b"\n".join(text_lines), case)
        return None if has_steps else {"error": "it ended without an answer"}


def _requested_calls(request: Mapping[str, Any]) -> list[ToolCall] | None:
    calls = request["calls"] if "calls" in request else [request["call"]]
    try:
        return convert(calls, list[ToolCall]) or None
    except msgspec.ValidationError:
        return None


class _Streams:
    """Named pipes for a command's standard input and output; our ends never block."""

    def __init__(self, folder: Path) -> None:
        for name in ("in", "out"):
            os.mkfifo(folder / name)
        # Opened for reading, too, so that writing never raises SIGPIPE.
        self.stdin = os.open(folder / "in", os.O_RDWR | os.O_NONBLOCK)
        self.stdout = os.open(folder / "out", os.O_RDONLY | os.O_NONBLOCK)

    def close(self) -> None:
        os.close(self.stdin)
        os.close(self.stdout)


class _LineExchange:
    """Lines written to a running command, and read from it."""

    def __init__(self, streams: _Streams, running: Future[CommandResult]) -> None:
        self._streams = streams
        self._running = running
        self._unread = bytearray()
        self._bytes_read = 0

    @property
    def run(self) -> CommandResult:
        return self._running.result()

    @property
    def too_long(self) -> bool:
        return self._bytes_read > MAX_OUTPUT

    def write(self, value: Any) -> None:
        """Write a line; drop it if the command ends first."""
        unwritten = memoryview(encode_json(value) + b"\n")
        while unwritten and not self._running.done():
            _wait_until_ready(self._streams.stdin, select.POLLOUT)
            with suppress(BlockingIOError):  # the pipe is still full
                unwritten = unwritten[os.write(self._streams.stdin, unwritten[:_PIECE_BYTES]) :]

    def read(self) -> bytes | None:
        """Return the next non-empty line; None at the end."""
        while not self.too_long:
            line, newline, remaining = self._unread.partition(b"\n")
            if newline:
                self._unread = remaining
            elif self._read_more():
                continue
            else:
                self._unread = bytearray()
            if line.strip():
                return bytes(line)
            if not newline:
                return None
        return None

    def _read_more(self) -> bool:
        """Read more of the command's output, waiting for it; return False at its end."""
        while True:
            ended = self._running.done()  # asked first: output may still come before the end
            try:
                piece = os.read(self._streams.stdout, _PIECE_BYTES)
            except BlockingIOError:
                piece = b""
            if piece:
                self._bytes_read += len(piece)
                self._unread += piece
                return True
            if ended:
                return False
            if not _wait_until_ready(self._streams.stdout, select.POLLIN):
                time.sleep(_POLL_SECONDS / 10)  # polling returns at once while no process has opened the pipe


def _wait_until_ready(descriptor: int, event: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, event)
    return any(occurred & event for _, occurred in poll.poll(_POLL_SECONDS * 1000))
