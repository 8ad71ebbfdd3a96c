"""Supervise one command under its limits: start, watch, keep bounded output, clean up."""

from __future__ import annotations

import json
import os
import secrets
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO, NamedTuple

from .kernel import come_first
from .limits import Limits
from .processes import end_all, usage

_LOOK_EVERY = 0.02
_CHUNK = 64 * 1024


class Ended(NamedTuple):
    """End of a command, as in `running.CommandResult`, without third-party libraries."""

    by: str
    code: int
    out: bytes
    err: bytes
    cut: bool
    seconds: float
    proven: bool = False


def execute(
    argv: list[str],
    folder: str,
    environment: dict[str, str],
    limits: Limits,
    prepare: Callable[[], None],
    *,
    own_namespace: bool,
    exam: str | None = None,
) -> Ended:
    """Run a command to its end, and end everything it started.

    With an exam, the command has to prove that it ran the tests there to their end.

    ``prepare`` is called in the new process before the command takes its place.
    """
    begin = time.monotonic()
    proof = None if exam is None else Proof(exam)
    try:
        process = subprocess.Popen(  # noqa: S603 - running what is not trusted is what this is for
            argv,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL if proof is None else proof.order,
            pass_fds=() if proof is None else (proof.written,),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=prepare,  # noqa: PLW1509 - the launcher has one thread
        )
    except (OSError, subprocess.SubprocessError) as error:
        end_all(own_namespace=own_namespace)
        _ = proof and proof.confirmed()
        return Ended("start", 127, b"", str(error).encode(), cut=False, seconds=time.monotonic() - begin)
    assert process.stdout is not None
    assert process.stderr is not None
    with suppress(OSError, AttributeError):  # not allowed, or not on Linux
        come_first()
    out, err = _Kept(process.stdout, limits.output_bytes), _Kept(process.stderr, limits.output_bytes)
    by = _watch(process, [out, err], limits, begin + limits.wall_seconds)
    seconds = time.monotonic() - begin
    code = process.returncode = -signal.SIGKILL if process.returncode is None else process.returncode
    end_all(own_namespace=own_namespace)
    out.read_rest()
    err.read_rest()
    proven = proof is not None and proof.confirmed()
    return Ended(by, code, bytes(out.content), bytes(err.content), out.cut or err.cut, seconds, proven)


class Proof:
    """Secret word by which a command proves that it ran to its end.

    The command gets it on standard input, and writes it back to a pipe.
    """

    def __init__(self, exam: str) -> None:
        self._word = secrets.token_hex(32)
        self._read, self.written = os.pipe()
        self.order, tell = os.pipe()
        os.write(tell, json.dumps({"exam": exam, "place": self.written, "word": self._word}).encode("ascii"))
        os.close(tell)
        os.set_blocking(self._read, False)

    def confirmed(self) -> bool:
        """Return whether exactly the word was written back; call once, after everything ended."""
        os.close(self.order)
        os.close(self.written)
        try:
            return os.read(self._read, 2 * len(self._word)) == self._word.encode("ascii")
        finally:
            os.close(self._read)


class _Kept:
    """Kept output of a stream."""

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        self.stream = stream
        self.limit = limit
        self.content = bytearray()
        self.cut = False
        os.set_blocking(stream.fileno(), False)

    def read(self) -> bool:
        """Read what is there; False when there is nothing and will be nothing."""
        data = os.read(self.stream.fileno(), _CHUNK)
        room = self.limit - len(self.content)
        self.content += data[:room]
        self.cut = self.cut or len(data) > room
        return bool(data)

    def read_rest(self) -> None:
        """Read what is left in the pipe, when everybody who could write to it was ended."""
        with suppress(BlockingIOError):
            while self.read():
                pass
        self.stream.close()


def _watch(process: subprocess.Popen[bytes], streams: list[_Kept], limits: Limits, deadline: float) -> str:
    """Read the command's output until it ends or must be ended; by what."""
    look = time.monotonic() + _LOOK_EVERY
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream.stream, selectors.EVENT_READ, stream)
        while True:
            for key, _ in selector.select(_LOOK_EVERY):
                if not key.data.read():
                    selector.unregister(key.fileobj)
            if process.poll() is not None:
                return "exit"
            now = time.monotonic()
            if now >= deadline:
                return "time"
            if now >= look:
                look = now + _LOOK_EVERY
                used = usage()
                if used.memory_bytes > limits.memory_bytes:
                    return "memory"
                if used.processes > limits.processes:
                    return "processes"
