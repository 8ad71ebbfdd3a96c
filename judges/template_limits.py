"""Limits of every template, with jinja or without."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import FiducialError

FREE_CHARACTERS, _TIMES = 1 << 26, 32
"""Limit of characters that one rendering processes: a constant, plus a multiple of the values' length."""

TOO_LONG = "the template makes far more text than it is given"


class TemplateLimitError(FiducialError):
    """A template uses a forbidden feature, or exceeds a limit; ``line`` is 1 if unknown."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def allowed_characters(values: Mapping[str, Any]) -> int:
    """Return the number of characters that a rendering of these values may process."""
    return FREE_CHARACTERS + _TIMES * sum(len(str(value)) for value in values.values())
