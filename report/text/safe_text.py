"""Make text safe to display: cut to size, invisible and reordering characters spelled out.

Texts come from data and may be hostile. Signs are what a reader sees as one letter (grapheme clusters); they are never
cut in half, and columns are those of a terminal.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from typing import Any, NamedTuple, cast

SCREEN, WIDTH = 24, 80
"""Lines and columns of a terminal's screen."""

# Spelled out by `visible`: characters without a shape of their own, and those that change the order of reading.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and newline
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero width, ends of lines, order of reading
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters without a shape
    "\ud800-\udfff\U000e0000-\U000e007f]"  # lone surrogates, which no file can carry; invisible tags
    # Selectors choose the shape of the sign before them; anywhere else they can spell a hidden text.
    "|(?<![0-9#*\u00a9\u00ae\u1800-\u18af\u2010-\u9fff\uf900-\ufaff\U0001f000-\U0003ffff])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)

_EMOJI = "[\u2600-\u27bf\U0001f000-\U0001faff]"
"""Blocks of emoji; U+200D between two of them joins them into one."""

_JOINED = re.compile(f"(?<={_EMOJI}|\ufe0f)\u200d(?={_EMOJI})")
"""Joiners between emoji, as in a family: the sign is visible, so they hide nothing and stay."""

# An emoji after a joiner; it takes no columns of its own.
_JOINED_PART = re.compile(f"(?<={_EMOJI}|\ufe0f)\u200d{_EMOJI}")
_NO_WIDTH, _SKIN_TONES = frozenset({"Mn", "Me"}), "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
"""Unicode categories without a column of their own, and skin tones, which have none either."""

_COMBINING = _NO_WIDTH | {"Mc"}
"""Unicode categories of marks that belong to the letter before them."""

_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
"""Regional indicators; each two of them are a flag."""

_TAGS = range(0xE0020, 0xE0080)
"""Tag characters, which spell a region after a flag."""
_MAX_SIGN_CHARS = 64
"""Longest sign, in characters; a longer one is hostile and is cut."""

_JSON = json.JSONEncoder(ensure_ascii=False, default=str)  # made once: `json.dumps` makes one a call
_LINE_WIDTH = 100
"""Longest JSON value on one line, in characters."""
_LAYOUT_FACTOR = 4
"""A JSON value this many times longer than the shown part is not laid out, to bound the cost."""


class Excerpt(NamedTuple):
    """Part of a text to show, and the number of characters that are hidden."""

    text: str
    hidden: int = 0


def excerpt(text: str, limit: int) -> Excerpt:
    r"""Return the first ``limit`` characters of a text, safe to display.

    Lone surrogates, controls and other invisible characters are spelled out as ``\u202e``.
    """
    shown = cut_at(text, limit)
    return Excerpt(visible(shown), len(text) - len(shown))


def cut_at(text: str, limit: int) -> str:
    """Return at most ``limit`` characters of a text, without half a sign at the end.

    A sign is what a reader sees as one: a letter with its accents, an emoji family, a flag.
    """
    if len(text) <= limit:
        return text
    end = max(limit, 0)
    least = max(0, end - _MAX_SIGN_CHARS)
    # Without a place to cut within the longest sign, a short text is one sign (dropped), a long one hostile (cut anywhere).
    fallback = 0 if least == 0 else end
    return text[: next((place for place in range(end, least, -1) if _ends_sign(text, place)), fallback)]


def cut_to_columns(text: str, columns: int) -> str:
    """Return the beginning of a text that takes at most ``columns``, without half a sign."""
    shown = cut_at(text, columns)  # at least a column each, except signs that take none
    while shown and columns_of(shown) > columns:
        shown = cut_at(shown, len(shown) - 1)
    return shown


def _ends_sign(text: str, place: int) -> bool:
    """Return whether a text may be cut before the character at ``place``."""
    if place >= len(text):
        return True
    after, before = text[place], text[place - 1]
    if "\u200d" in {after, before} or after in _SKIN_TONES or ord(after) in _TAGS:
        return False
    if ord(after) in _FLAG_LETTERS:
        return _flag_letters_before(text, place) % 2 == 0
    return unicodedata.category(after) not in _COMBINING


def _flag_letters_before(text: str, place: int) -> int:
    first = place
    while first > max(0, place - _MAX_SIGN_CHARS) and ord(text[first - 1]) in _FLAG_LETTERS:
        first -= 1
    return place - first


def shortened(text: str, limit: int) -> str:
    """Return an `excerpt` as one text: ``xxxx … (9,999,800 more characters)``."""
    if len(text) <= limit:  # as nearly all texts of a page are
        return visible(text)
    shown, hidden = excerpt(text, limit)
    return f"{shown} … ({hidden:,} more characters)"


def visible(text: str) -> str:
    r"""Spell out invisible characters as ``\u202e``; markup stays, to be escaped elsewhere."""
    if text.isascii() and (text.isprintable() or text.replace("\n", "").isprintable()):
        return text
    # Emoji joiners stay; the text is split at them.
    return "\u200d".join(_INVISIBLE.sub(_spelled_out, part) for part in _JOINED.split(text))


def columns_of(text: str) -> int:
    """Return the terminal width of a text.

    East Asian letters take two columns, combining marks none, and emoji that are joined as much as one.
    """
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(letter) in _NO_WIDTH or letter in _SKIN_TONES
        else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in _JOINED_PART.sub("", text)
    )


def json_excerpt(value: Any, limit: int) -> Excerpt:
    """Format a value as JSON for reading, cut to ``limit`` characters.

    Short values stay on one line. A value far larger than the limit does, too, to bound the cost.
    """
    try:
        flat = _flat(value)
        takes_lines = _LINE_WIDTH < len(flat) <= _LAYOUT_FACTOR * limit
        return excerpt(_laid_out(flat) if takes_lines else flat, limit)
    except RecursionError:
        return Excerpt("(nested too deeply to be shown)")


def any_excerpt(value: Any, limit: int) -> Excerpt:
    """Return an excerpt of any value: a text as it is, anything else as JSON."""
    if value == "":
        return Excerpt("(empty)")
    return excerpt(value, limit) if isinstance(value, str) else json_excerpt(value, limit)


@lru_cache(maxsize=128)  # neighbouring items mostly offer the same tools
def _laid_out(flat: str) -> str:
    return _json_lines(json.loads(flat), "")


def _json_lines(value: Any, indent: str) -> str:
    flat = _flat(value)
    if len(indent) + len(flat) <= _LINE_WIDTH or not value or not isinstance(value, dict | list):
        return flat
    inner_indent = indent + "  "
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value).items()
        parts = [f"{_flat(str(key))}: {_json_lines(item, inner_indent)}" for key, item in entries]
    else:
        parts = [_json_lines(item, inner_indent) for item in cast("list[Any]", value)]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner_indent}" + f",\n{inner_indent}".join(parts) + f"\n{indent}{closing}"


def _flat(value: Any) -> str:
    return _JSON.encode(value)


def _spelled_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the last of four hex digits
