"""Check that the model that answered is the expected one, by its name in the reply."""

from __future__ import annotations

import re

from ...spelling import setting
from .exchange import CallError, Provider, Reply, Request, WrappingProvider

_RELEASE_SUFFIX = re.compile(r"(?:-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{6}|-\d{4}|-\d{3}|-latest)$")
"""Date or version number at the end of a release's name. A size (``-8b``, ``-mini``) is part of the model's name."""


def family(model: str) -> str:
    """Return a model's name without vendor and release.

    ``openai/gpt-4.1-mini-2025-04-14`` becomes ``gpt-4.1-mini``.
    """
    # vendor/name@revision and name:tag, as gateways and ollama write.
    name = model.rpartition("/")[2].lower().partition("@")[0].partition(":")[0]
    return _RELEASE_SUFFIX.sub("", name)


class ServedByCheck(WrappingProvider):
    """Provider that refuses replies of other models, as the endpoint names them.

    It accepts other releases of the model, and replies that do not name a model.
    """

    def __init__(self, inner: Provider, expected: str) -> None:
        super().__init__(inner)
        self._expected = expected

    async def complete(self, request: Request) -> Reply:
        """Ask, and check which model answered; see `Provider.complete`.

        Raises:
            CallError: Another model answered.
        """
        reply = await self._inner.complete(request)
        if reply.served_by is not None and family(reply.served_by) != family(self._expected):
            error = CallError(
                f"{reply.served_by!r} answered, not {self._expected!r} ({setting('expect_served_by')})"
            )
            error.calls, error.tokens = reply.calls, reply.usage.paid
            raise error
        return reply
