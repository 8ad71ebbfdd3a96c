"""Event loop whose clock jumps to the next timer, so that waiting takes no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    """Never waits; adds up what it should have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("everything waits for something that never comes")
        self.now += max(0.0, timeout)
        return super().select(0)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Event loop for code that waits for timers only, not for sockets, threads or processes."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        """Seconds that would have gone by."""
        return self._virtual.now


def run_virtually(main: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """Run a coroutine in virtual time.

    Args:
        main: What to run.

    Returns:
        Its result, and how many seconds it would have taken.
    """
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        result = runner.run(main)
        return result, runner.get_loop().time()


def virtually(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """A test that is a coroutine function, run in virtual time."""

    @wraps(test)
    def run(*args: P.args, **given: P.kwargs) -> None:
        run_virtually(test(*args, **given))

    return run
