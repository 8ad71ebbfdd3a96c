"""Names in a report: names of item groups, addresses of items, and shortened names.

Groups are values of a filter, by which counts link to their items. Shortened names keep what tells them apart: words
of a name are separated by any of ``-_/.:@|`` and blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote, urlencode

from ..text.safe_text import columns_of, shortened

NAME_LIMIT = 200
"""Longest id, name or error type on a page, in characters."""

FAILED = "failed"
"""Group of outputs that a checker failed or, if no checker decided, a judge."""

FAILED_CHECK = "failed by a checker"
"""Group of outputs that a checker failed."""

FAILED_BY_SEVERAL = "failed by several judges"
"""Group of outputs that no checker decided and several judges failed."""

UNGRADED = "ungraded"
"""Group of outputs that neither a checker nor a judge graded; the rate of all outputs counts these as ungraded."""

NO_OUTPUT = "no output"
"""Group of cases for which a system has no output."""

CELLS = ("passed good", "rejected", "let through", "failed bad")
"""Cells of a judge's 2x2 table, as names of groups: two of good outputs, then two of bad ones."""


_SUPPORT_MARK = re.compile(r"\s{0,8}<P>\s{0,8}([0-9.]{1,8})\s{0,8}</P>", re.IGNORECASE)
_SUPPORT_WORDS = {"1": "supported", "0": "not supported"}


def marks_in_words(reason: str) -> str:
    """Spell out the marks of a judge's reply: ``<P>1</P>`` is ``supported``."""
    return _SUPPORT_MARK.sub(
        lambda match: f": {_SUPPORT_WORDS.get(match[1], match[1] + ' supported')}", reason
    )


def group_of(judge: str, cell: str) -> str:
    """Return the group of outputs in a cell of a judge's 2x2 table."""
    return f"{judge}: {cell}"


def failed_by(judge: str) -> str:
    """Return the group of outputs that no checker decided and a judge failed."""
    return f"failed by {judge}"


def failed_only_by(judge: str) -> str:
    """Return the group of outputs that no checker decided and only this judge failed."""
    return f"failed only by {judge}"


def items_at(**chosen: str) -> str:
    """Return the address of the items that a report's filters choose: ``items_at(group=...)``."""
    filters = {name: _as_listed(value) for name, value in chosen.items()}
    return f"#items?{urlencode(filters, errors='replace')}"


def item_at(item_id: str) -> str:
    """Return the address of an item by its id, ``case|system|trial``.

    Ids of other forms get the address of the disagreements.
    """
    parts = item_id.rsplit("|", 2)
    if len(parts) != 3:  # noqa: PLR2004 - case, system, trial
        return items_at(status="disagreement")
    return "#" + "/".join(quote(_as_listed(part), safe="", errors="replace") for part in parts)


def _as_listed(name: str) -> str:
    return shortened(name, NAME_LIMIT)


NAME = 24
"""Width of a name in a table, in columns of a terminal."""

_WORD_OR_SEPARATOR = re.compile(r"[^-_/.:@| ]+|[-_/.:@| ]")


_BETWEEN_NAMES = frozenset("/:@| ")
"""Separators of whole names within a name, such as of provider and model."""


def name_words(name: str) -> list[str]:
    """Split a name into words and separators, which joined are the name again."""
    return _WORD_OR_SEPARATOR.findall(name)


class ShortNames(NamedTuple):
    """Names without their shared part.

    Attributes:
        short: Short name by name.
        shared: The shared part that was cut, with ``...`` for what differs; empty if none was cut.
    """

    short: dict[str, str]
    shared: str

    def of(self, name: str) -> str:
        """Return the short name, or the name itself if it has none."""
        return self.short.get(name, name)

    def in_text(self, text: str) -> str:
        """Replace names in a sentence by short ones, if a shared part was cut."""
        if self.shared:
            # The longest first, since a name may be part of another.
            for name in sorted(self.short, key=len, reverse=True):
                text = text.replace(name, self.short[name])
        return text


def short_names(names: Iterable[str], *, columns: int = NAME) -> ShortNames:
    """Shorten names to a width.

    If one is too long, words that all share at their beginning or end are cut; then each is shortened by itself.
    """
    distinct = list(dict.fromkeys(names))
    words_by_name = [name_words(name) for name in distinct]
    shared_before = shared_after = 0
    if len(distinct) > 1 and any(columns_of(name) > columns for name in distinct):
        most_shared = min(map(len, words_by_name)) - 1  # a word must be left of each
        shared_before = _count_shared_words(words_by_name, most_shared)
        shared_after = _count_shared_words(
            [name_parts[shared_before:][::-1] for name_parts in words_by_name], most_shared - shared_before
        )
        shared_before, shared_after = _cut_leaving_letters(
            words_by_name, *_cut_at_separator(words_by_name[0], shared_before, shared_after)
        )
    cut = [
        "".join(name_parts[shared_before : len(name_parts) - shared_after]) for name_parts in words_by_name
    ]
    shortened_names = apart(cut, columns)
    words_of_first_name = words_by_name[0] if words_by_name else []
    ends = (
        "".join(words_of_first_name[:shared_before]),
        "".join(words_of_first_name[len(words_of_first_name) - shared_after :]),
    )
    return ShortNames(
        dict(zip(distinct, shortened_names, strict=True)), "...".join(ends) if any(ends) else ""
    )


def pair_name(a: str, b: str) -> str:
    """Join two names with their common beginning once: ``rubric/reasons - direct``."""
    words = name_words(a), name_words(b)
    before, _ = _cut_at_separator(words[0], _count_shared_words(words, min(map(len, words)) - 1), 0)
    return f"{a} - {''.join(words[1][before:])}"


def _count_shared_words(words_by_name: Sequence[Sequence[str]], max_count: int) -> int:
    """Count the words with which all names begin, at most ``max_count``."""
    count = 0
    while count < max_count and len({word[count] for word in words_by_name}) == 1:
        count += 1
    return count


def _cut_at_separator(words: Sequence[str], words_before: int, words_after: int) -> tuple[int, int]:
    """Reduce the cut words so that the cut parts end, or begin, with a separator."""
    while words_before and words[words_before - 1].isalnum():
        words_before -= 1
    while words_after and words[len(words) - words_after].isalnum():
        words_after -= 1
    return words_before, words_after


def _cut_leaving_letters(
    words_by_name: Sequence[Sequence[str]], words_before: int, words_after: int
) -> tuple[int, int]:
    """Reduce the cut words if no letters would be left of a name, such as only a version."""

    def lacks_letters() -> bool:
        remainders = (
            "".join(name_parts[words_before : len(name_parts) - words_after]) for name_parts in words_by_name
        )
        return not all(any(map(str.isalpha, remainder)) for remainder in remainders)

    if not lacks_letters():
        return words_before, words_after
    words_of_first_name = words_by_name[0]
    while words_before and lacks_letters():
        words_before -= 1
        while words_before and words_of_first_name[words_before - 1] not in _BETWEEN_NAMES:
            words_before -= 1
    while words_after and words_of_first_name[len(words_of_first_name) - words_after] not in _BETWEEN_NAMES:
        words_after -= 1
    return words_before, words_after


def apart(names: Sequence[str], columns: int) -> list[str]:
    """Shorten names to a width so that different names stay different.

    The methods are tried in turn; if none succeeds, names may be longer than the width, or stay whole.
    """
    distinct = list(dict.fromkeys(names))
    for shorten in (_without_middle_words, _differing_words, _both_ends):
        short = shorten(distinct, columns)
        if len(set(short)) == len(distinct) and all(columns_of(name) <= columns for name in short):
            return [dict(zip(distinct, short, strict=True))[name] for name in names]
    # Too wide, but different.
    words = _differing_words(distinct, columns)
    shorter = dict(zip(distinct, words, strict=True)) if len(set(words)) == len(distinct) else {}
    return [shorter.get(name, name) for name in names]


def _without_middle_words(names: Sequence[str], columns: int) -> list[str]:
    return [fitted(name, columns) for name in names]


def _both_ends(names: Sequence[str], columns: int) -> list[str]:
    """Keep both ends of each name, cutting within words."""
    half = (columns - 3) // 2
    return [
        name if columns_of(name) <= columns else f"{name[:half]}...{name[len(name) - half :]}"
        for name in names
    ]


def _differing_words(names: Sequence[str], columns: int) -> list[str]:
    """Keep few words that tell all names apart, then as many others as fit."""
    words = [name_words(name) for name in names]
    longest = max(map(len, words), default=0)
    # Places of words counted from the beginning (0, 1, ...) and from the end (-1, -2, ...), the outer ones first.
    places = [place for n in range(longest) for place in (n, -n - 1)]
    kept: list[int] = []

    def count_distinct(by: Sequence[int]) -> int:
        return len({tuple(word[place] if -len(word) <= place < len(word) else "" for place in by) for word in words})  # fmt: skip

    while count_distinct(kept) < len(names) and len(kept) < len(places):
        kept.append(max(places, key=lambda place: count_distinct([*kept, place])))
    shown = _with_words_at(words, kept)
    for place in places:
        longer = _with_words_at(words, [*kept, place])
        if all(columns_of(name) <= columns for name in longer):
            kept.append(place)
            shown = longer
    return shown


def _with_words_at(words: Sequence[Sequence[str]], places: Sequence[int]) -> list[str]:
    return [_with_gaps(word, {place % len(word) for place in places if -len(word) <= place < len(word)}) for word in words if word]  # fmt: skip


def _with_gaps(words: Sequence[str], kept: set[int]) -> str:
    """Join the words at the kept places, and separators between them, with ``...`` for gaps."""
    last = len(words) - 1
    is_kept = [
        place in kept or (0 < place < last and place - 1 in kept and place + 1 in kept and not word.isalnum())
        for place, word in enumerate(words)
    ]
    runs = groupby(zip(words, is_kept, strict=True), key=lambda entry: entry[1])
    return "".join("".join(word for word, _ in run) if kept_run else "..." for kept_run, run in runs)


def fitted(name: str, columns: int) -> str:
    """Shorten a name to a width by leaving out words in its middle; a single word stays whole."""
    if columns_of(name) <= columns:
        return name
    words = name_words(name)
    beginning, end = [words[0]], [words[-1]] if len(words) > 1 else []
    omitted = words[1:-1]
    while omitted:
        room = columns - 3 - columns_of("".join([*beginning, *end]))
        if columns_of(omitted[-1]) <= room and len("".join(end)) <= len("".join(beginning)):
            end.insert(0, omitted.pop())
        elif columns_of(omitted[0]) <= room:
            beginning.append(omitted.pop(0))
        elif columns_of(omitted[-1]) <= room:
            end.insert(0, omitted.pop())
        else:
            break
    shown = "".join([*beginning, "...", *end])
    return shown if omitted and columns_of(shown) < columns_of(name) else name
