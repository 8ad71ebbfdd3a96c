"""Replies kept beside the tests that rest on them: a question that is not among them is an error, or is asked and added."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

from ...errors import MissingReplyError
from .exchange import Provider, Reply, Request
from .recording import RecordingProvider, ReplayProvider


class CassetteProvider:
    """Answers from a recording; what is not in it is asked for and added, or stops everything.

    A failed verdict, which a replayed run has for what was not recorded, could be overlooked in a test. Several processes may add to
    one file: each line is written at once, and where two have the same question the later line counts.

    Args:
        path: The recording.
        inner: Asked for what is missing; None where nobody may be asked.
    """

    def __init__(self, path: Path, inner: Provider | None = None) -> None:
        self.path = path
        self._known = ReplayProvider(path) if path.exists() else None
        self._inner = None if inner is None else RecordingProvider(inner, path)
        self._added: dict[str, Reply] = {}

    async def complete(self, request: Request) -> Reply:
        """Look the reply up, or ask. See `Provider.complete`.

        Raises:
            MissingReplyError: It is not there, and nobody may be asked.
        """
        if request.key in self._added:
            return self._added[request.key]
        if self._known is not None and request.key in self._known:
            return await self._known.complete(request)
        if self._inner is None:
            why = "prompt, model, parameters or item are new" if self._known else "there is no such file"
            raise MissingReplyError(f"{self.path} holds no reply to this question: {why}")
        reply = await self._inner.complete(request)
        self._added[request.key] = reply
        return reply

    async def aclose(self) -> None:
        """Close the files and the inner provider."""
        async with AsyncExitStack() as exits:
            for each in (self._known, self._inner):
                if each is not None:
                    exits.push_async_callback(each.aclose)
