"""Escape text in files for spreadsheets."""

from __future__ import annotations

_BEGINS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The last four are full-width letters, which some spreadsheets treat like the others."""


def as_text_cell(text: str) -> str:
    """Return a cell that a spreadsheet shows as text, not as a formula.

    Text that would begin a formula gets a leading apostrophe.
    """
    return f"'{text}" if text.startswith(_BEGINS_FORMULA) else text
