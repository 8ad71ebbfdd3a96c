"""Access to a model that is a function, to simulate worlds without a server."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fiducial.evaluation.judging.access import ModelAccess
from fiducial.judges import Provider, Reply, Request


@dataclass
class _Function:
    said: Callable[[str], str]

    async def complete(self, request: Request) -> Reply:
        return Reply(
            text=self.said(str(request.messages[-1]["content"])), prompt_tokens=100, completion_tokens=1
        )

    async def aclose(self) -> None:
        """Do nothing; no resource is open."""


class ScriptedAccess(ModelAccess, frozen=True, kw_only=True):
    """Replies are what a function makes of the last message."""

    said: Callable[[str], str]

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Provider]:  # pyright: ignore[reportIncompatibleMethodOverride] - a context manager all the same
        yield _Function(self.said)
