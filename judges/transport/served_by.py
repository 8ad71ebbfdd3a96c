"""Check which model answered, as the endpoint reports it.

An answer of another model is not an answer of the judge.
"""

from __future__ import annotations

import re

from .exchange import CallError, Provider, Reply, Request, Wrapping

_VERSION = re.compile(r"(?:-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{6}|-\d{4}|-\d{3}|-latest)$")
"""Parts of names that distinguish releases of one model: dates, numbers of releases. A size (``-8b``, ``-mini``) is another model."""


def family(model: str) -> str:
    """Return a model's name without maker and release.

    For example, ``gpt-4.1-mini`` of ``openai/gpt-4.1-mini-2025-04-14``.
    """
    name = model.rpartition("/")[2].lower().partition("@")[0].partition(":")[0]
    return _VERSION.sub("", name)


class ServedByCheck(Wrapping):
    """Provider that refuses replies which the endpoint says came from another model.

    Replies of other releases of the model pass, and those whose model the endpoint does not name.
    """

    def __init__(self, inner: Provider, expected: str) -> None:
        super().__init__(inner)
        self._expected = expected

    async def complete(self, request: Request) -> Reply:
        """Ask, and check which model answered; see `Provider.complete`.

        Raise a `CallError` if that was another model.
        """
        reply = await self._inner.complete(request)
        if reply.served_by is not None and family(reply.served_by) != family(self._expected):
            raise CallError(f"{reply.served_by!r} answered, not {self._expected!r} (--expect-served-by)")
        return reply
