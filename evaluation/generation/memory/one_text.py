"""MemoryAPI_rec_sum: one text, which the agent rewrites to keep it short."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .parts import problem

_MAX_TEXT_LENGTH = 10_000
"""Number of characters that the memory takes; see docs/generate.md."""


class TextMemory:
    """Environment with the methods of BFCL's ``memory_rec_sum``."""

    def load(self, config: Mapping[str, Any]) -> None:
        """Start from a snapshot that `state` returned, or from an empty memory."""
        text = config.get("text", "")
        if not isinstance(text, str):
            raise TypeError("text: expected a text")
        self._text = text

    def state(self) -> dict[str, Any]:
        """Return a snapshot."""
        return {"text": self._text}

    def at_hand(self) -> str:
        """Return the part of the memory that an agent sees without a call: the whole text."""
        return self._text

    def memory_append(self, text: str) -> dict[str, Any]:
        """Add a text as a new line at the end."""
        return self._set_text(f"{self._text}\n{text}" if self._text else str(text), "Text appended.")

    def memory_update(self, text: str) -> dict[str, Any]:
        """Replace the whole text."""
        return self._set_text(str(text), "Memory updated.")

    def memory_replace(self, old_text: str, new_text: str) -> dict[str, Any]:
        """Replace every occurrence of a part of the text."""
        if not old_text or str(old_text) not in self._text:
            return problem("The memory holds no such text.")
        old, new = str(old_text), str(new_text)
        # The length is computed before the text, which might be too long for the computer's memory.
        length = len(self._text) + self._text.count(old) * (len(new) - len(old))
        return _too_long(length) or self._set_text(self._text.replace(old, new), "Text replaced.")

    def memory_clear(self) -> dict[str, Any]:
        """Forget everything."""
        return self._set_text("", "Memory cleared.")

    def memory_retrieve(self) -> dict[str, Any]:
        """Return the whole text."""
        return {"memory_content": self._text}

    def _set_text(self, text: str, status: str) -> dict[str, Any]:
        error = _too_long(len(text))
        if error is None:
            self._text = text
        return error or {"status": status}


def _too_long(length: int) -> dict[str, Any] | None:
    if length <= _MAX_TEXT_LENGTH:
        return None
    return problem(
        f"The memory would have {length} characters; it takes {_MAX_TEXT_LENGTH}. Write it shorter."
    )
