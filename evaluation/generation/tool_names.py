"""Names of tools as an endpoint takes them, and back: OpenAI's schema knows letters, digits, ``_`` and ``-`` alone, 64 at most."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_NOT_TAKEN = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64
_MARK = 8
"""Characters of a hash that keep two names apart that would become the same."""


class ToolNames:
    """The names of a case's tools, as they are sent and as the case has them.

    A dot becomes an underscore, as in BFCL; so does whatever else is not taken.

    Args:
        names: All names that are ever offered, so that a name is sent the same way in every turn.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._sent: dict[str, str] = {}
        self._own: dict[str, str] = {}
        known = list(dict.fromkeys(names))
        # Who needs no change comes first: a name that is right as it is must not make way for one that is not.
        for name in sorted(known, key=lambda name: _NOT_TAKEN.search(name) is not None):
            sent = _NOT_TAKEN.sub("_", name)
            if len(sent) > _LONGEST or sent in self._own:
                sent = f"{sent[: _LONGEST - _MARK - 1]}_{hashlib.sha256(name.encode()).hexdigest()[:_MARK]}"
            self._sent[name], self._own[sent] = sent, name

    def sent(self, name: str) -> str:
        """How a tool is offered."""
        return self._sent[name]

    def own(self, name: str) -> str:
        """Which tool a call means; a name that was not offered stays what it is."""
        return self._own.get(name, name)
