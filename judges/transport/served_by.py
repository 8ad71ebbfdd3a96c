"""Check which model answered, as the endpoint reports it."""

from __future__ import annotations

import re

from ...spelling import setting
from .exchange import CallError, Provider, Reply, Request, Wrapping

_VERSION = re.compile(r"(?:-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{6}|-\d{4}|-\d{3}|-latest)$")
"""Suffixes of releases of one model: dates and version numbers. A size (``-8b``, ``-mini``) is another model."""


def family(model: str) -> str:
    """Return a model's name without vendor and release.

    For example, ``gpt-4.1-mini`` for ``openai/gpt-4.1-mini-2025-04-14``.
    """
    name = model.rpartition("/")[2].lower().partition("@")[0].partition(":")[0]
    return _VERSION.sub("", name)


class ServedByCheck(Wrapping):
    """Provider that refuses replies of another model, as the endpoint reports it.

    Replies of other releases of the model are accepted, and those without a reported model.
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
            raise CallError(
                f"{reply.served_by!r} answered, not {self._expected!r} ({setting('expect_served_by')})"
            )
        return reply
