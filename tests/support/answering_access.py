"""Access to a model that is a server's script, asked in the same process and not over HTTP."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec
from provider_server import Answer, Script, Seen

from fiducial.evaluation.judging.access import ModelAccess
from fiducial.judges import Provider, Reply, Request


class _Asked:
    """Hands each request to a script as if it had arrived at a server."""

    def __init__(self, script: Script, asked: Counter[bytes]) -> None:
        self._script, self._asked = script, asked

    async def complete(self, request: Request) -> Reply:
        body = request.body()
        raw = msgspec.json.encode(body)
        self._asked[raw] += 1
        answer = self._script(Seen("", {}, raw, body, self._asked[raw], 0.0))
        assert isinstance(answer, Answer), answer
        return Reply(
            text=answer.text or "", finish_reason=answer.finish_reason, prompt_tokens=100, completion_tokens=1
        )

    async def aclose(self) -> None:
        """Do nothing; no resource is open."""


class AnsweringAccess(ModelAccess, frozen=True, kw_only=True):
    """Replies are the answers of a script, which is that of a `ProviderServer`."""

    script: Script
    asked: Counter[bytes] = msgspec.field(default_factory=Counter[bytes])

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Provider]:  # pyright: ignore[reportIncompatibleMethodOverride] - a context manager all the same
        yield _Asked(self.script, self.asked)
