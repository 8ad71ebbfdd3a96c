"""Decide whether the letter case of a text matters.

It matters in texts that a user gave word for word, and in codes.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ..records import Case

_QUOTES = ('""', "“”", "„“", "„”", "‚‘", "‘’", "«»", "»«", "‹›", "「」", "『』", "``")  # noqa: RUF001 - quotation marks are meant
_QUOTED = re.compile(
    "|".join(rf"{opening}([^{opening}{closing}]+){closing}" for opening, closing in _QUOTES)
    + r"|(?<!\w)'((?:[^']|(?<=\w)'(?=\w))+)'(?!\w)"
)
_DICTATED = re.compile(r":(?!\d)\s*(\S[^\n]*)")
_MARKS = frozenset("_@/\\#$&!.")


def is_caseless(text: str, case: Case) -> bool:
    """Return whether a text means the same without its capitals.

    Names of places, people and firms do. Codes do not, nor does text that a user quotes or gives after a colon, which is to be used
    unchanged.
    """
    return not is_code(text) and not is_word_for_word(text, case)


def is_word_for_word(text: str, case: Case) -> bool:
    """Return whether the user gave a text word for word.

    Then the text, a part of it, or a longer text is in quotation marks, or the text follows a colon.
    """
    folded = text.casefold().strip()
    quoted, dictated = _literals(case)
    return (
        not folded
        or any(folded in literal or literal in folded for literal in quoted)
        or any(literal.startswith(folded) or literal in folded for literal in dictated)
    )


def is_code(text: str) -> bool:
    """Return whether a text looks like a code, so that letter case may matter.

    It does if it has identifiers (``MUG-440``, ``evt_8``, ``a@b.example``, ``iPhone``, ``mW``), or is a single word of capitals
    (``LIS``).
    """
    words = text.split()
    return any(map(_is_mixed, words)) or (len(words) == 1 and len(text) > 1 and text.isupper())


def _is_mixed(word: str) -> bool:
    """Return whether a word looks like an identifier.

    Such a word has letters and digits, or capitals or marks within.
    """
    has_letters = word.lower() != word.upper()
    if has_letters and any(map(str.isdigit, word)):
        return True
    return any(
        (one.islower() and other.isupper()) or (one in _MARKS and other.isalnum())
        for one, other in pairwise(word)
    )


def _literals(case: Case) -> tuple[list[str], list[str]]:
    """Return the texts that the user gave word for word: quoted, and after a colon."""
    quoted: list[str] = []
    dictated: list[str] = []
    for message in case.all_messages:
        content = message.get("content")
        if isinstance(content, str):
            text = content.casefold()
            quoted += [next(filter(None, match.groups())).strip() for match in _QUOTED.finditer(text)]
            dictated += [match[1] for match in _DICTATED.finditer(text)]
    return [text for text in quoted if text], dictated
