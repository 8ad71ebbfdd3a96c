"""Names side by side: what all of them share is cut once, and no word of theirs is broken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .text.safe_text import columns_of

NAME = 24
"""Columns of a name in a table."""

_WORD = re.compile(r"[^-_/.:@| ]+|[-_/.:@| ]")


_LONG = 12
"""Columns that are not left empty for the sake of a whole word."""


class ShortNames(NamedTuple):
    """Names without what they share.

    Attributes:
        short: The short name of each.
        shared: What was cut, with ``...`` where the names differ; empty where nothing was.
    """

    short: dict[str, str]
    shared: str

    def of(self, name: str) -> str:
        """Return the short name, or the name itself where it is none of them."""
        return self.short.get(name, name)


def short_names(names: Iterable[str], *, columns: int = NAME) -> ShortNames:
    """Cut the words that all names share if one is too long, then shorten each to a width.

    Shared words are cut at the beginning or the end.
    """
    whole = list(dict.fromkeys(names))
    words = [_WORD.findall(name) for name in whole]
    before = after = 0
    if len(whole) > 1 and any(columns_of(name) > columns for name in whole):
        least = min(map(len, words)) - 1
        before = _shared(words, least)
        after = _shared([each[before:][::-1] for each in words], least - before)
        before, after = _at_separator(words[0], before, after)
    cut = ["".join(each[before : len(each) - after]) for each in words]
    shown = [fitted(name, columns) for name in cut]
    if len(set(shown)) < len(shown):
        shown = cut
    first = words[0] if words else []
    ends = "".join(first[:before]), "".join(first[len(first) - after :])
    return ShortNames(dict(zip(whole, shown, strict=True)), "...".join(ends) if any(ends) else "")


def _shared(words: Sequence[Sequence[str]], most: int) -> int:
    """Count the words that all begin with."""
    count = 0
    while count < most and len({each[count] for each in words}) == 1:
        count += 1
    return count


def _at_separator(words: Sequence[str], before: int, after: int) -> tuple[int, int]:
    """Keep whole groups of words: what is cut ends, or begins, with a separator."""
    while before and words[before - 1].isalnum():
        before -= 1
    while after and words[len(words) - after].isalnum():
        after -= 1
    return before, after


def fitted(name: str, columns: int) -> str:
    """Shorten a name to a width by leaving out words in its middle; keep single long words."""
    if columns_of(name) <= columns:
        return name
    words = _WORD.findall(name)
    first, last = [words[0]], [words[-1]] if len(words) > 1 else []
    left = words[1:-1]
    while left:
        room = columns - 3 - columns_of("".join([*first, *last]))
        if columns_of(left[-1]) <= room and len("".join(last)) <= len("".join(first)):
            last.insert(0, left.pop())
        elif columns_of(left[0]) <= room:
            first.append(left.pop(0))
        elif columns_of(left[-1]) <= room:
            last.insert(0, left.pop())
        else:
            break
    shown = "".join([*first, "...", *last])
    return shown if left and columns_of(shown) < columns_of(name) else name


def clipped(text: str, columns: int) -> str:
    """Cut a text to a width after a word, with ``...`` where something is missing."""
    line = " ".join(text.split())
    if columns_of(line) <= columns:
        return line
    kept = ""
    for word in line.split(" "):
        longer = f"{kept} {word}".lstrip()
        if columns_of(longer) > columns - 4:
            room = columns - 3 - columns_of(kept)
            return f"{kept} {word[: room - 1]}...".lstrip() if room > _LONG else f"{kept.rstrip(',;:')} ..."
        kept = longer
    return f"{kept.rstrip(',;:')} ..."
