"""Escape text for spreadsheets, which run cells that begin like a formula."""

from __future__ import annotations

_BEGINS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings of formulas. The last four are the full-width forms, which some spreadsheets accept, too."""


def as_text_cell(text: str) -> str:
    """Return a cell that a spreadsheet shows as text, not as a formula.

    Text that would begin a formula gets a leading apostrophe.
    """
    return f"'{text}" if text.startswith(_BEGINS_FORMULA) else text
