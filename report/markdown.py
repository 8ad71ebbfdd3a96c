"""Texts in GitHub's Markdown, in which nothing is obeyed."""

from __future__ import annotations

import re

from .text.safe_text import visible

_SPECIAL = re.compile(r"[\\`*_\[\]|<>~$&]")
"""What means something to Markdown wherever it stands."""

_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}

_LINKED = re.compile(r"[@#]|:(?=//)|(?<=[wW]{3})(?=\.)")
"""What GitHub makes links of, or tells people by: mentions, numbers, addresses."""

_LEADING = re.compile(r"\A(\d*)([-+=.)])(?=[-+=\s]|\Z)")
"""What makes a line a list or a heading."""


def escaped(text: str) -> str:
    """Escape a text for Markdown as one inert line.

    Markup, links, mentions, images and HTML have no effect.
    """
    line = " ".join(visible(text.strip()).split())
    line = _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), line)
    line = _LINKED.sub(lambda found: f"{found[0]}<!-- -->", line)
    return _LEADING.sub(r"\1\\\2", line)
