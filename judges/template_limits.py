"""Limits of every template, whether jinja renders it or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import FiducialError

FREE_CHARACTERS = 1 << 26
"""Characters that any rendering may process, whatever its values."""
_CHARACTERS_PER_VALUE_CHARACTER = 32
"""Characters that a rendering may process in addition, for each character of its values."""

TOO_LONG = "the template makes far more text than it is given"


class TemplateLimitError(FiducialError):
    """A template uses a forbidden feature, or exceeds a limit.

    ``line`` is the line in the template, or 1 if it is not known.
    """

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def allowed_characters(values: Mapping[str, Any]) -> int:
    """Return the number of characters that a rendering of these values may process."""
    return FREE_CHARACTERS + _CHARACTERS_PER_VALUE_CHARACTER * sum(
        len(str(value)) for value in values.values()
    )
