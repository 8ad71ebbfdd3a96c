"""Worker processes on one machine: run pieces in parallel, and yield results in order.

Workers are forks of this process, so that nothing has to be sent to them. Worker ``k`` of ``n`` does pieces ``k``, ``k + n``, ... and writes
each result to its pipe, which blocks it until the result is read. A worker without a parent ends at its next result.
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
from ...spelling import setting

_SIZE_BYTES = 8
"""Number of bytes in which a result's size is written before it."""

_RAISED = (1 << 8 * _SIZE_BYTES) - 1
"""Written instead of a size if the piece raised an error; no result is that long."""

_STDERR = 2
"""The last of the standard descriptors, which workers keep."""

_PIPE_BYTES = 1 << 20
"""Capacity of a pipe: a result or two, so that workers need not wait for each other."""


class _Worker(NamedTuple):
    """Worker process and the pipe with its results."""

    process: int
    results: BinaryIO


def cores() -> int:
    """Return the number of cores that forks may use; 1 if this process cannot be forked safely.

    A lock that another thread holds would stay locked in a fork, so a process with several threads works alone by default.
    """
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_ordered(
    work: Callable[[int], bytes], pieces: int, workers: int, begin: Callable[[], object]
) -> Iterator[bytes]:
    """Do pieces of work in worker processes.

    A piece that raises is repeated in this process, so that the error looks as it would without workers.

    Args:
        work: Function that does the piece of a number.
        pieces: Number of pieces.
        workers: Number of processes.
        begin: Function that each worker calls first, to reopen files that it must not share with the parent.

    Yields:
        The results, in the order of the pieces.

    Raises:
        WorkerError: A worker was killed.
    """
    workers = min(workers, pieces)
    processes: list[_Worker] = []
    try:
        for number in range(workers):
            processes.append(_fork(work, range(number, pieces, workers), begin))  # noqa: PERF401 - if one fails, the earlier ones are ended, too
        for piece in range(pieces):
            result = _read_result(processes[piece % workers])
            yield work(piece) if result is None else result
    finally:
        for worker in processes:
            _end_worker(worker)


def _fork(work: Callable[[int], bytes], pieces: Iterable[int], begin: Callable[[], object]) -> _Worker:
    reading, writing = os.pipe()
    with suppress(ImportError, AttributeError, OSError):  # not on every system, and with limits
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    process = os.fork()
    if not process:
        _run_worker(work, pieces, begin, writing)
    os.close(writing)
    return _Worker(process, open(reading, "rb"))  # noqa: PTH123 - a descriptor, closed by `_end_worker`


def _run_worker(
    work: Callable[[int], bytes], pieces: Iterable[int], begin: Callable[[], object], writing: int
) -> None:
    """Do a worker's pieces and end the process, without returning into the parent's code."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it, too, and ends the worker
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _release_all_but(writing)
        gc.freeze()  # a collection would write to existing objects, and unshare their memory with the parent
        begin()
        results = io.FileIO(writing, "wb")
        for piece in pieces:
            _write_result(results, _result_of(work, piece))
        code = 0
    except BrokenPipeError:
        pass  # the parent reads no more results
    finally:
        os._exit(code)


def _release_all_but(descriptor: int) -> None:
    """Release the parent's locks and pipes except ``descriptor``.

    Otherwise they would outlive the parent. Their descriptor numbers stay in use, because objects of the parent will close them.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for number in [int(path.name) for path in Path("/dev/fd").iterdir()]:
        if number > _STDERR and number != descriptor:
            with suppress(OSError):  # the descriptor of the listing itself
                os.fstat(number)
                os.dup2(null, number)


def _result_of(work: Callable[[int], bytes], piece: int) -> bytes | None:
    """Return the result of a piece, or None if it raises, so that the parent repeats it."""
    try:
        return work(piece)
    except Exception:  # noqa: BLE001 - the parent raises it
        return None


def _write_result(file: io.FileIO, result: bytes | None) -> None:
    size = _RAISED if result is None else len(result)
    unwritten = memoryview(size.to_bytes(_SIZE_BYTES) + (result or b""))
    while unwritten:
        unwritten = unwritten[file.write(unwritten) :]


def _read_result(worker: _Worker) -> bytes | None:
    """Return a worker's next result, or None for a piece that raised.

    Raises:
        WorkerError: The worker ended before it had written the result.
    """
    head = worker.results.read(_SIZE_BYTES)
    size = int.from_bytes(head)
    if len(head) == _SIZE_BYTES and size == _RAISED:
        return None
    result = worker.results.read(size)
    if len(head) < _SIZE_BYTES or len(result) < size:
        _, status = os.waitpid(worker.process, 0)
        raise WorkerError(
            f"a worker process {_how_it_ended(status)} before its work was done; finished work is saved, rerun with {setting('workers', '1')}"
        )
    return result


def _how_it_ended(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def _end_worker(worker: _Worker) -> None:
    worker.results.close()
    with suppress(ProcessLookupError):  # it has ended already
        os.kill(worker.process, signal.SIGKILL)
    with suppress(ChildProcessError):  # `_read_result` waited for it already
        os.waitpid(worker.process, 0)
