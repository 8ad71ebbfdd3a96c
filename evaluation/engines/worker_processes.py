"""Worker processes on one machine: run pieces in parallel, and yield results in order.

Workers are forks of this process: they have what it has read, and nothing is sent to them. Worker ``k`` of ``n`` does pieces ``k``,
``k + n``, ... and writes each result to a pipe of its own, which blocks it until it is read. One whose parent is gone ends at its next result.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ...errors import WorkerError

_SIZE = 8
"""Bytes in which a result's size is written."""

_RAISED = (1 << 8 * _SIZE) - 1
"""In place of a size: the worker raised an error."""

_STANDARD = 2
"""The last descriptor of those that every process has."""

_PIPE = 1 << 20
"""What a pipe should hold: a result or two, so that workers need not wait for each other."""


class _Worker(NamedTuple):
    """A process, and what it writes."""

    process: int
    results: BinaryIO


def cores() -> int:
    """Return how many cores forks of this process may use; 1 if it cannot be forked safely.

    A fork keeps a lock that another thread held for ever, so that a process of several threads does its work by itself unless it is told
    a number of workers.
    """
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_ordered(
    work: Callable[[int], bytes], pieces: int, workers: int, begin: Callable[[], object]
) -> Iterator[bytes]:
    """Do pieces of work in processes of their own.

    A piece that raises is done once more in this process, so that the error comes as it would without workers.

    Args:
        work: Does the piece of a number.
        pieces: How many there are.
        workers: How many processes.
        begin: Called first in each process: what parent and child must not read together is opened anew.

    Yields:
        The results, in the order of the pieces.

    Raises:
        WorkerError: A worker was killed.
    """
    workers = min(workers, pieces)
    started: list[_Worker] = []
    try:
        for number in range(workers):
            started.append(_fork(work, range(number, pieces, workers), begin))  # noqa: PERF401 - those before one that fails are ended, too
        for piece in range(pieces):
            result = _read(started[piece % workers])
            yield work(piece) if result is None else result
    finally:
        for worker in started:
            _end(worker)


def _fork(work: Callable[[int], bytes], pieces: Iterable[int], begin: Callable[[], object]) -> _Worker:
    reading, writing = os.pipe()
    with suppress(ImportError, AttributeError, OSError):  # not on every system, and with limits
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE)
    process = os.fork()
    if not process:
        _live(work, pieces, begin, writing)
    os.close(writing)
    return _Worker(process, open(reading, "rb"))  # noqa: PTH123 - a descriptor, closed by `_end`


def _live(
    work: Callable[[int], bytes], pieces: Iterable[int], begin: Callable[[], object], writing: int
) -> None:
    """Run a worker to its end, without returning into the parent's code."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent, which is told as well, ends it
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _let_go_of_all_but(writing)
        gc.freeze()  # existing objects stay shared with the parent
        begin()
        results = io.FileIO(writing, "wb")
        for piece in pieces:
            _write(results, _done(work, piece))
        code = 0
    except BrokenPipeError:
        pass  # no more results are wanted
    finally:
        os._exit(code)


def _let_go_of_all_but(descriptor: int) -> None:
    """Release the parent's locks and pipes except ``descriptor``.

    Held here, they would outlive the parent. Their descriptor numbers stay taken, since objects of the parent will close them.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in [int(each.name) for each in Path("/dev/fd").iterdir()]:
        if number > _STANDARD and number != descriptor:
            with suppress(OSError):  # it was the listing's own
                os.fstat(number)
                os.dup2(nothing, number)


def _done(work: Callable[[int], bytes], piece: int) -> bytes | None:
    try:
        return work(piece)
    except Exception:  # noqa: BLE001 - the parent will see it
        return None


def _write(file: io.FileIO, result: bytes | None) -> None:
    size = _RAISED if result is None else len(result)
    rest = memoryview(size.to_bytes(_SIZE) + (result or b""))
    while rest:
        rest = rest[file.write(rest) :]


def _read(worker: _Worker) -> bytes | None:
    """Return the next result; None for a piece that raised."""
    head = worker.results.read(_SIZE)
    size = int.from_bytes(head)
    if len(head) == _SIZE and size == _RAISED:
        return None
    result = worker.results.read(size)
    if len(head) < _SIZE or len(result) < size:
        _, status = os.waitpid(worker.process, 0)
        raise WorkerError(
            f"a worker process {_ended(status)} before its work was done; finished work is saved, rerun with --workers 1"
        )
    return result


def _ended(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def _end(worker: _Worker) -> None:
    worker.results.close()
    with suppress(ProcessLookupError):
        os.kill(worker.process, signal.SIGKILL)
    with suppress(ChildProcessError):  # it was waited for
        os.waitpid(worker.process, 0)
