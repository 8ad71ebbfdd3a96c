"""Run coroutines for callers with and without a running event loop.

Each process has one event loop, which runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_lock = threading.Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}
"""Loop by process id, since a forked worker inherits the dictionary, but not the thread of its parent's loop."""


def thread_safe_call(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function safe to call in a thread: a StopIteration becomes a RuntimeError.

    A future cannot store a StopIteration (raised by one `next` too many), so its result would be awaited forever.
    """

    @wraps(function)
    def safe(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except StopIteration as error:
            raise RuntimeError("StopIteration") from error

    return safe


def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine in the loop of this process.

    Wait with the future's `result` in another thread, or with `asyncio.wrap_future` in a loop. Since the loop is always the
    same, a client with its connections can be used for many calls.
    """
    return asyncio.run_coroutine_threadsafe(work, _loop())


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine, wait for its end, and return its result.

    The caller's thread may have a running loop. The coroutine is cancelled if the wait is interrupted.
    """
    if is_loop_thread():
        # Waiting for the loop in its own thread would deadlock.
        return run_apart(partial(asyncio.run, work))
    future = submit(work)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def waiting(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return a blocking version of a coroutine function, named without the leading "a"."""

    @wraps(work)
    def wait(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_sync(work(*args, **kwargs))

    wait.__name__ = wait.__qualname__ = work.__name__.removeprefix("a")
    return wait


def run_apart(work: Callable[[], T]) -> T:
    """Call a function that starts an event loop, in a new thread if a loop already runs here."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1, thread_name_prefix="fiducial") as thread:
        return thread.submit(copy_context().run, work).result()


def is_loop_thread() -> bool:
    """Return whether the caller runs in the loop of this process.

    Waiting there for other work of the loop would never end.
    """
    try:
        return asyncio.get_running_loop() is _loops.get(os.getpid())
    except RuntimeError:
        return False


def _loop() -> asyncio.AbstractEventLoop:
    """Return the loop of this process; start it in a thread if there is none."""
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = asyncio.new_event_loop()
            threading.Thread(target=_serve, args=(loop,), name="fiducial-judges", daemon=True).start()
            _loops.clear()
            _loops[os.getpid()] = loop
        return loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop forever.

    A `SystemExit` in a caller's code ends only that caller's task.
    """
    while True:
        with suppress(SystemExit):
            return loop.run_forever()


def _forget_after_fork() -> None:
    global _lock  # noqa: PLW0603 - the parent may have held it at the moment of the fork
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
