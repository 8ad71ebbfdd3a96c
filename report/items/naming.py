"""Names in a report: short names, addresses and groups of items, marks of a reply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote, urlencode

from ..text.safe_text import columns_of, shortened

NAME_LIMIT = 200
"""Longest id, name or error type, in characters."""

FAILED = "failed"
"""The group of outputs that a checker failed or, if none decided, a judge."""

FAILED_CHECK = "failed by a checker"
"""The group of outputs that a checker failed."""

FAILED_BY_SEVERAL = "failed by several judges"
"""The group of outputs that no checker decided and two judges or more failed."""

UNGRADED = "ungraded"
"""The group of outputs that neither a checker nor a judge graded, as the rate of all outputs counts them."""

NO_OUTPUT = "no output"
"""The group of cases that a system has no output for."""

CELLS = ("passed good", "rejected", "let through", "failed bad")
"""Cells of a judge's 2x2 table: what it did with good outputs, and with bad ones."""


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


def failed_only_by(judge: str) -> str:
    """Return the name of the group of outputs that only this judge failed."""
    return f"failed only by {judge}"


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


NAME = 24
"""Longest name in a table, in columns."""

_WORD = re.compile(r"[^-_/.:@| ]+|[-_/.:@| ]")


_BETWEEN_NAMES = frozenset("/:@| ")
"""Separators of whole names, such as a model's from its provider's."""


def name_words(name: str) -> list[str]:
    """Split a name into words and the separators between them."""
    return _WORD.findall(name)


class ShortNames(NamedTuple):
    """Names without their shared part.

    Attributes:
        short: Short name by name.
        shared: The part that was cut, with ``...`` in place of the differences; empty if none was.
    """

    short: dict[str, str]
    shared: str

    def of(self, name: str) -> str:
        """Return the short name, or the name itself if it has none."""
        return self.short.get(name, name)

    def in_text(self, text: str) -> str:
        """Return a sentence with short names, if a shared part was cut."""
        if self.shared:
            for name in sorted(self.short, key=len, reverse=True):
                text = text.replace(name, self.short[name])
        return text


def short_names(names: Iterable[str], *, columns: int = NAME) -> ShortNames:
    """Cut the words that all names share if one is too long, then shorten each to a width.

    Shared words are cut at the beginning or the end.
    """
    whole = list(dict.fromkeys(names))
    words = [name_words(name) for name in whole]
    before = after = 0
    if len(whole) > 1 and any(columns_of(name) > columns for name in whole):
        least = min(map(len, words)) - 1
        before = _shared(words, least)
        after = _shared([word[before:][::-1] for word in words], least - before)
        before, after = _with_letters(words, *_at_separator(words[0], before, after))
    cut = ["".join(word[before : len(word) - after]) for word in words]
    shown = apart(cut, columns)
    first = words[0] if words else []
    ends = "".join(first[:before]), "".join(first[len(first) - after :])
    return ShortNames(dict(zip(whole, shown, strict=True)), "...".join(ends) if any(ends) else "")


def pair_name(a: str, b: str) -> str:
    """Join two names with their common beginning once: ``rubric/reasons - direct``."""
    words = name_words(a), name_words(b)
    before, _ = _at_separator(words[0], _shared(words, min(map(len, words)) - 1), 0)
    return f"{a} - {''.join(words[1][before:])}"


def _shared(words: Sequence[Sequence[str]], most: int) -> int:
    """Count the words with which all names begin, at most so many."""
    count = 0
    while count < most and len({word[count] for word in words}) == 1:
        count += 1
    return count


def _at_separator(words: Sequence[str], before: int, after: int) -> tuple[int, int]:
    """Cut only whole groups of words: the cut part ends or begins with a separator."""
    while before and words[before - 1].isalnum():
        before -= 1
    while after and words[len(words) - after].isalnum():
        after -= 1
    return before, after


def _with_letters(words: Sequence[Sequence[str]], before: int, after: int) -> tuple[int, int]:
    """Cut less if only a number would be left of a name: no version without its model."""

    def is_bare() -> bool:
        rests = ("".join(word[before : len(word) - after]) for word in words)
        return not all(any(map(str.isalpha, rest)) for rest in rests)

    if not is_bare():
        return before, after
    first = words[0]
    while before and is_bare():
        before -= 1
        while before and first[before - 1] not in _BETWEEN_NAMES:
            before -= 1
    while after and first[len(first) - after] not in _BETWEEN_NAMES:
        after -= 1
    return before, after


def apart(names: Sequence[str], columns: int) -> list[str]:
    """Shorten names to a width, keeping the words that tell them apart.

    Names that cannot be told apart within the width stay as they are.
    """
    whole = list(dict.fromkeys(names))
    for shorten in (_each_fitted, _differing_words, _both_ends):
        short = shorten(whole, columns)
        if len(set(short)) == len(whole) and all(columns_of(name) <= columns for name in short):
            return [dict(zip(whole, short, strict=True))[name] for name in names]
    words = _differing_words(whole, columns)
    shorter = dict(zip(whole, words, strict=True)) if len(set(words)) == len(whole) else {}
    return [shorter.get(name, name) for name in names]


def _each_fitted(names: Sequence[str], columns: int) -> list[str]:
    return [fitted(name, columns) for name in names]


def _both_ends(names: Sequence[str], columns: int) -> list[str]:
    """Cut names in the middle, though within a word."""
    half = (columns - 3) // 2
    return [
        name if columns_of(name) <= columns else f"{name[:half]}...{name[len(name) - half :]}"
        for name in names
    ]


def _differing_words(names: Sequence[str], columns: int) -> list[str]:
    """Keep the fewest words that tell names apart, and others as they fit."""
    words = [name_words(name) for name in names]
    most = max(map(len, words), default=0)
    places = [place for n in range(most) for place in (n, -n - 1)]
    kept: list[int] = []

    def told_apart(by: Sequence[int]) -> int:
        return len({tuple(word[place] if -len(word) <= place < len(word) else "" for place in by) for word in words})  # fmt: skip

    while told_apart(kept) < len(names) and len(kept) < len(places):
        kept.append(max(places, key=lambda place: told_apart([*kept, place])))
    shown = _only(words, kept)
    for place in places:
        longer = _only(words, [*kept, place])
        if all(columns_of(name) <= columns for name in longer):
            kept.append(place)
            shown = longer
    return shown


def _only(words: Sequence[Sequence[str]], places: Sequence[int]) -> list[str]:
    """Return names with the words at these places, and ``...`` for the others."""
    return [_with_gaps(word, {place % len(word) for place in places if -len(word) <= place < len(word)}) for word in words if word]  # fmt: skip


def _with_gaps(words: Sequence[str], kept: set[int]) -> str:
    """Return the words at the kept places; a separator stays with kept words on both its sides."""
    last = len(words) - 1
    shown = [
        at in kept or (0 < at < last and at - 1 in kept and at + 1 in kept and not word.isalnum())
        for at, word in enumerate(words)
    ]
    runs = groupby(zip(words, shown, strict=True), key=lambda each: each[1])
    return "".join("".join(word for word, _ in run) if is_shown else "..." for is_shown, run in runs)


def fitted(name: str, columns: int) -> str:
    """Shorten a name to a width by omitting words in its middle; keep single long words."""
    if columns_of(name) <= columns:
        return name
    words = name_words(name)
    first, last = [words[0]], [words[-1]] if len(words) > 1 else []
    omitted = words[1:-1]
    while omitted:
        room = columns - 3 - columns_of("".join([*first, *last]))
        if columns_of(omitted[-1]) <= room and len("".join(last)) <= len("".join(first)):
            last.insert(0, omitted.pop())
        elif columns_of(omitted[0]) <= room:
            first.append(omitted.pop(0))
        elif columns_of(omitted[-1]) <= room:
            last.insert(0, omitted.pop())
        else:
            break
    shown = "".join([*first, "...", *last])
    return shown if omitted and columns_of(shown) < columns_of(name) else name
