"""The way of a judge that is called to its model: opened when it is called first, and kept."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from ..evaluation.judging.access import ModelAccess
from ..judges import Provider
from ..judges.loop_thread import is_loop_thread, submit

_CLOSING = 5.0
"""Seconds that closing connections may take."""


class Connection:
    """This process's way to the model; one that came with a fork belongs to a loop that is not here.

    Args:
        access: How the model is reached.
    """

    def __init__(self, access: ModelAccess) -> None:
        self._access = access
        self._open: tuple[int, Provider, AsyncExitStack] | None = None

    @property
    def concurrency(self) -> int:
        """How many calls may be in flight."""
        return self._access.concurrency

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Provider]:
        """Who answers requests, from call to call; opened in the loop that all requests are made in."""
        if self._open is None or self._open[0] != os.getpid():
            exits = AsyncExitStack()
            # Nothing is awaited in here, so that calls made at once do not open two.
            provider = await exits.enter_async_context(self._access.open())
            self._open = (os.getpid(), provider, exits)
        yield self._open[1]

    def close(self) -> None:
        """Close it, if it is open in this process."""
        if self._open is None or self._open[0] != os.getpid():
            return
        _, _, exits = self._open
        self._open = None
        closed = submit(exits.aclose())
        if not is_loop_thread():  # garbage may be looked for in any thread
            closed.result(_CLOSING)
