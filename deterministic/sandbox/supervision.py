"""Supervise one command: start it, watch its limits, keep its output, clean up."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO, NamedTuple

from .kernel import take_priority
from .limits import Limits
from .processes import end_all, measure_usage

# Usage is measured this often: it takes time, and a command can exceed its limits in between.
_CHECK_SECONDS = 0.02
_CHUNK_BYTES = 64 * 1024


class CommandEnd(NamedTuple):
    """End of a command; fields as in `running.CommandResult`."""

    ended_by: str
    code: int
    out: bytes
    err: bytes
    truncated: bool
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
) -> CommandEnd:
    """Run a command to its end, and end everything that it started.

    Args:
        argv: The command.
        folder: Its working folder.
        environment: Its whole environment.
        limits: Its limits.
        prepare: Function that the new process calls before it becomes the command.
        own_namespace: Whether this process is the first of a process namespace.
        exam: A folder of hidden tests, or None. The command has to prove that it ran them to their end.
    """
    start = time.monotonic()
    proof = None if exam is None else Proof(exam)
    try:
        process = _start(argv, folder, environment, prepare, proof)
    except (OSError, subprocess.SubprocessError) as error:
        end_all(own_namespace=own_namespace)
        if proof is not None:
            proof.confirmed()  # closes its pipes
        # 127 is a shell's exit code for a command that cannot be found.
        return CommandEnd(
            "start", 127, b"", str(error).encode(), truncated=False, seconds=time.monotonic() - start
        )
    # Code that uses all processors must not keep this process from ending it.
    with suppress(OSError, AttributeError):  # not allowed, or not on Linux
        take_priority()
    out = _BoundedOutput(process.stdout, limits.output_bytes)
    err = _BoundedOutput(process.stderr, limits.output_bytes)
    ended_by = _watch(process, [out, err], limits, start + limits.wall_seconds)
    seconds = time.monotonic() - start
    # A command at a limit still runs. `end_all` kills and reaps it, so `Popen` must not wait for it.
    code = process.returncode = -signal.SIGKILL if process.returncode is None else process.returncode
    end_all(own_namespace=own_namespace)
    # Only now the pipes are complete: processes that the command started could still write to them.
    out.read_rest()
    err.read_rest()
    proven = proof is not None and proof.confirmed()
    return CommandEnd(
        ended_by,
        code,
        bytes(out.content),
        bytes(err.content),
        out.truncated or err.truncated,
        seconds,
        proven,
    )


def _start(
    argv: list[str],
    folder: str,
    environment: dict[str, str],
    prepare: Callable[[], None],
    proof: Proof | None,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - it is confined
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL if proof is None else proof.assignment,
        pass_fds=() if proof is None else (proof.write_end,),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=prepare,  # noqa: PLW1509 - the launcher has one thread
    )


class Proof:
    """Secret word with which a command proves that it ran to its end.

    The command gets the word on standard input, and writes it to a pipe when it is done. Code under test could end the process early
    with exit code 0, but does not know the word.
    """

    def __init__(self, exam: str) -> None:
        self._word = os.urandom(32).hex()
        self._read_end, self.write_end = os.pipe()
        self.assignment, assignment_write_end = os.pipe()
        assignment = {"exam": exam, "descriptor": self.write_end, "word": self._word}
        os.write(assignment_write_end, json.dumps(assignment).encode("ascii"))
        os.close(assignment_write_end)
        os.set_blocking(self._read_end, False)

    def confirmed(self) -> bool:
        """Return whether exactly the word was written; call it once, after all processes have ended."""
        os.close(self.assignment)
        os.close(self.write_end)
        try:
            return os.read(self._read_end, 2 * len(self._word)) == self._word.encode("ascii")
        finally:
            os.close(self._read_end)


class _BoundedOutput:
    """Output of a stream, kept up to a limit."""

    def __init__(self, stream: IO[bytes] | None, limit: int) -> None:
        assert stream is not None  # it is a pipe
        self.stream = stream
        self.limit = limit
        self.content = bytearray()
        self.truncated = False
        os.set_blocking(stream.fileno(), False)

    def read(self) -> bool:
        """Read what is available, and return False at the end of the stream."""
        data = os.read(self.stream.fileno(), _CHUNK_BYTES)
        room = self.limit - len(self.content)
        self.content += data[:room]
        self.truncated = self.truncated or len(data) > room
        return bool(data)

    def read_rest(self) -> None:
        """Read what is left in the pipe, after all processes that could write to it have ended."""
        with suppress(BlockingIOError):
            while self.read():
                pass
        self.stream.close()


def _watch(
    process: subprocess.Popen[bytes], streams: list[_BoundedOutput], limits: Limits, deadline: float
) -> str:
    """Read the command's output until it ends or hits a limit, and return ``exit`` or the limit."""
    next_check = time.monotonic() + _CHECK_SECONDS
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream.stream, selectors.EVENT_READ, stream)
        while True:
            for key, _ in selector.select(_CHECK_SECONDS):
                if not key.data.read():
                    selector.unregister(key.fileobj)
            if process.poll() is not None:
                return "exit"
            now = time.monotonic()
            if now >= deadline:
                return "time"
            if now >= next_check:
                next_check = now + _CHECK_SECONDS
                usage = measure_usage()
                if usage.memory_bytes > limits.memory_bytes:
                    return "memory"
                if usage.processes > limits.processes:
                    return "processes"
