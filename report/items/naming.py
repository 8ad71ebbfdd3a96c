"""Names in a report: addresses of items (after #), groups of items, marks of a reply."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

from ..text.safe_text import shortened

NAME_LIMIT = 200
"""Longest id, name or error type, in characters."""

UNGRADED = "ungraded"
"""The group of outputs that neither a checker nor a judge graded, as the rate of all outputs counts them."""

CELLS = ("passed good", "failed good", "passed bad", "failed bad")
"""Cells of a judge's 2x2 table."""


_SHARE = re.compile(r"\s{0,8}<P>\s{0,8}([0-9.]{1,8})\s{0,8}</P>", re.IGNORECASE)
_SUPPORTED = {"1": "supported", "0": "not supported"}


def marks_in_words(reason: str) -> str:
    """Spell out the marks of a judge's reply: ``<P>1</P>`` is ``supported``."""
    return _SHARE.sub(lambda match: f": {_SUPPORTED.get(match[1], match[1] + ' supported')}", reason)


def group_of(judge: str, cell: str) -> str:
    """Return the name of the group of outputs in one cell of a judge's 2x2 table."""
    return f"{judge}: {cell}"


def failed_by(judge: str) -> str:
    """Return the name of the group of outputs that a judge failed and no checker decided."""
    return f"failed by {judge}"


def items_at(**chosen: str) -> str:
    """Return the address of the items that a report's filters choose."""
    named = {name: _named(value) for name, value in chosen.items()}
    return f"#items?{urlencode(named, errors='replace')}"


def item_at(item_id: str) -> str:
    """Return the address of an item, ``case|system|trial``; the disagreements for another id."""
    parts = item_id.rsplit("|", 2)
    if len(parts) != 3:  # noqa: PLR2004 - case, system, trial
        return items_at(status="disagreement")
    return "#" + "/".join(quote(_named(part), safe="", errors="replace") for part in parts)


def _named(name: str) -> str:
    """Return a name as the list of items has it."""
    return shortened(name, NAME_LIMIT)
