"""Coalesce identical requests in flight."""

from __future__ import annotations

import asyncio
from copy import copy

import msgspec

from .exchange import CallError, Provider, Reply, Request, Wrapping


class CoalescingProvider(Wrapping):
    """Lets a request that is already in flight wait for that reply instead of asking again.

    The asking runs in a task of its own, so that the one who came first may be cancelled without failing the others.
    """

    def __init__(self, inner: Provider) -> None:
        super().__init__(inner)
        self._in_flight: dict[str, asyncio.Task[Reply]] = {}

    async def complete(self, request: Request) -> Reply:
        """Ask, or wait for the reply or failure of the same request; see `Provider.complete`.

        Waiting counts no call.
        """
        task = self._in_flight.get(request.key)
        if task is not None:
            return await _shared(task)
        task = asyncio.get_running_loop().create_task(self._inner.complete(request))
        self._in_flight[request.key] = task
        task.add_done_callback(lambda _: self._in_flight.pop(request.key, None))
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """Stop what is in flight and close the inner provider."""
        tasks = list(self._in_flight.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await super().aclose()


async def _shared(task: asyncio.Task[Reply]) -> Reply:
    try:
        return msgspec.structs.replace(await asyncio.shield(task), calls=0)
    except CallError as error:
        told = copy(error)
        told.calls = 0
        raise told from error
