"""Display-safe text: cut to size, without invisible or reordering characters.

Texts may be hostile.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from typing import Any, NamedTuple, cast

SCREEN, WIDTH = 24, 80
"""Lines and columns of a screen."""

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and newline
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero width, ends of lines, order of reading
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters without a shape
    "\ud800-\udfff\U000e0000-\U000e007f]"  # lone surrogates, which no file can carry; invisible tags
    # Selectors choose the shape of the sign before them; anywhere else they can spell a hidden text.
    "|(?<![0-9#*\u00a9\u00ae\u1800-\u18af\u2010-\u9fff\uf900-\ufaff\U0001f000-\U0003ffff])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)

_EMOJI = "[\u2600-\u27bf\U0001f000-\U0001faff]"

_JOINED = re.compile(f"(?<={_EMOJI}|\ufe0f)\u200d(?={_EMOJI})")
"""Joiners of emoji, as in a family; visible as one sign, they hide nothing."""

_JOINED_PART = re.compile(f"(?<={_EMOJI}|\ufe0f)\u200d{_EMOJI}")
_NO_WIDTH, _SKIN_TONES = frozenset({"Mn", "Me"}), "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
"""Categories and signs that take no column of their own."""

_JOINING = _NO_WIDTH | {"Mc"}

_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
"""Regional indicators; two of them are a flag."""

_TAGS = range(0xE0020, 0xE0080)
_MAX_JOINED = 64
"""Longest sign in characters; longer ones are hostile, and cut."""

_JSON = json.JSONEncoder(ensure_ascii=False, default=str)  # made once: `json.dumps` makes one a call
_LINE_WIDTH = 100
_LAYOUT_FACTOR = 4
"""A value this many times longer than the shown part is not laid out."""


class Excerpt(NamedTuple):
    """The shown part of a text, and the number of hidden characters."""

    text: str
    hidden: int = 0


def excerpt(text: str, limit: int) -> Excerpt:
    r"""Return the first characters of a text, with hidden ones spelled out.

    The text may hold lone surrogates and controls that change the order of reading.

    Invisible characters are spelled out as ``\u202e``.
    """
    shown = cut_at(text, limit)
    return Excerpt(visible(shown), len(text) - len(shown))


def cut_at(text: str, limit: int) -> str:
    """Return the first characters of a text, at most so many, without half a sign at the end.

    A sign is what a reader sees as one: a letter with its accents, an emoji family, a flag.
    """
    if len(text) <= limit:
        return text
    end = max(limit, 0)
    least = max(0, end - _MAX_JOINED)
    whole = 0 if least == 0 else end
    return text[: next((place for place in range(end, least, -1) if _ends_sign(text, place)), whole)]


def cut_to_columns(text: str, columns: int) -> str:
    """Return the beginning of a text that takes at most so many columns, without half a sign."""
    shown = cut_at(text, columns)  # at least a column each, except signs that take none
    while shown and columns_of(shown) > columns:
        shown = cut_at(shown, len(shown) - 1)
    return shown


def _ends_sign(text: str, place: int) -> bool:
    """Return whether a text may be cut before the character at a place."""
    if place >= len(text):
        return True
    after, before = text[place], text[place - 1]
    if "\u200d" in {after, before} or after in _SKIN_TONES or ord(after) in _TAGS:
        return False
    if ord(after) in _FLAG_LETTERS:
        return _flag_letters_before(text, place) % 2 == 0
    return unicodedata.category(after) not in _JOINING


def _flag_letters_before(text: str, place: int) -> int:
    first = place
    while first > max(0, place - _MAX_JOINED) and ord(text[first - 1]) in _FLAG_LETTERS:
        first -= 1
    return place - first


def shortened(text: str, limit: int) -> str:
    """Return an excerpt with the note on what was cut in the text itself.

    Example: ``xxxx … (9,999,800 more characters)``. See `excerpt`.
    """
    if len(text) <= limit:  # as nearly all texts of a page are
        return visible(text)
    shown, hidden = excerpt(text, limit)
    return f"{shown} … ({hidden:,} more characters)"


def visible(text: str) -> str:
    r"""Spell out invisible characters as ``\u202e``; leave markup to the template to escape."""
    if text.isascii() and (text.isprintable() or text.replace("\n", "").isprintable()):
        return text
    # Emoji joiners stay; the text is split at them.
    return "\u200d".join(_INVISIBLE.sub(_spell, part) for part in _JOINED.split(text))


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
    """Lay out a JSON value for reading, cut to a size.

    Short values stay on one line; a value far larger than the limit is not laid out, to bound the cost.
    """
    try:
        flat = _flat(value)
        lines = _LINE_WIDTH < len(flat) <= _LAYOUT_FACTOR * limit
        return excerpt(_laid_out(flat) if lines else flat, limit)
    except RecursionError:
        return Excerpt("(nested too deeply to be shown)")


def any_excerpt(value: Any, limit: int) -> Excerpt:
    """Return any value cut to a size: a text as it is, anything else as JSON."""
    if value == "":
        return Excerpt("(empty)")
    return excerpt(value, limit) if isinstance(value, str) else json_excerpt(value, limit)


@lru_cache(maxsize=128)  # neighbouring items mostly offer the same tools
def _laid_out(flat: str) -> str:
    return _lines(json.loads(flat), "")


def _lines(value: Any, indent: str) -> str:
    flat = _flat(value)
    if len(indent) + len(flat) <= _LINE_WIDTH or not value or not isinstance(value, dict | list):
        return flat
    inner = indent + "  "
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value).items()
        parts = [f"{_flat(str(key))}: {_lines(item, inner)}" for key, item in entries]
    else:
        parts = [_lines(item, inner) for item in cast("list[Any]", value)]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{closing}"


def _flat(value: Any) -> str:
    return _JSON.encode(value)


def _spell(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the last of four hex digits
