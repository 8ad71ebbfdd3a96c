"""One event loop in a thread of its own, for each process: whoever calls may have a running loop, or none."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}
"""Process id to its loop: a forked worker inherits the entry of its parent, whose thread it does not have."""


def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine in this process's own loop.

    Everything that belongs to a loop (a client with its connections) may be kept from call to call, since it is always the same
    loop, whatever loop the callers have.

    Args:
        work: The coroutine.

    Returns:
        Its future: `result` waits in any thread but the loop's own, `asyncio.wrap_future` in any loop.
    """
    return asyncio.run_coroutine_threadsafe(work, _loop())


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end for a caller that waits, whether or not the caller's thread has a running loop.

    Args:
        work: The coroutine; cancelled when waiting is interrupted.

    Returns:
        What it returns.
    """
    if is_loop_thread():
        # Waiting for the loop in its own thread would be for ever.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, work).result()
    future = submit(work)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def is_loop_thread() -> bool:
    """Whether the caller runs in that loop, where waiting for what runs in it would be for ever."""
    try:
        return asyncio.get_running_loop() is _loops.get(os.getpid())
    except RuntimeError:
        return False


def _loop() -> asyncio.AbstractEventLoop:
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="fiducial-judges", daemon=True).start()
            _loops.clear()
            _loops[os.getpid()] = loop
        return loop


def _forget_after_fork() -> None:
    global _lock  # noqa: PLW0603 - the parent may have held it at the moment of the fork
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
