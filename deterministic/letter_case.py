"""Decide whether letter case matters: it does in codes and in texts given word for word."""

from __future__ import annotations

import re
from itertools import pairwise

from ..records import Case

_QUOTES = ('""', "“”", "„“", "„”", "‚‘", "‘’", "«»", "»«", "‹›", "「」", "『』", "``")  # noqa: RUF001 - quotation marks are meant
# An apostrophe inside of a word does not end a quotation in single quotes.
_QUOTED = re.compile(
    "|".join(rf"{opening}([^{opening}{closing}]+){closing}" for opening, closing in _QUOTES)
    + r"|(?<!\w)'((?:[^']|(?<=\w)'(?=\w))+)'(?!\w)"
)
_DICTATED = re.compile(r":(?!\d)\s*(\S[^\n]*)")
"""The rest of a line after a colon, except in times such as 10:30."""

# Marks that join the parts of identifiers, addresses and paths.
_CODE_MARKS = frozenset("_@/\\#$&!.")


def is_caseless(text: str, case: Case) -> bool:
    """Return whether a text means the same in any letter case.

    Names of places, people and firms do. Codes do not, nor does text that a user quotes or gives after a colon, since it is to be used
    unchanged.
    """
    return not is_code(text) and not is_word_for_word(text, case)


def is_word_for_word(text: str, case: Case) -> bool:
    """Return whether the user gave a text word for word.

    That is so if the text, a part of it, or a longer text is in quotation marks, or if the text follows a colon.
    """
    folded = text.casefold().strip()
    quoted, dictated = _texts_given_by_user(case)
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
    return any(map(_is_identifier, words)) or (len(words) == 1 and len(text) > 1 and text.isupper())


def _is_identifier(word: str) -> bool:
    """Return whether a word has letters and digits, or a capital or mark inside."""
    has_letters = word.lower() != word.upper()
    if has_letters and any(map(str.isdigit, word)):
        return True
    return any(
        (before.islower() and after.isupper()) or (before in _CODE_MARKS and after.isalnum())
        for before, after in pairwise(word)
    )


def _texts_given_by_user(case: Case) -> tuple[list[str], list[str]]:
    """Return the quoted texts of the user's messages, and those after a colon."""
    quoted: list[str] = []
    dictated: list[str] = []
    for message in case.all_messages:
        content = message.get("content")
        if isinstance(content, str):
            text = content.casefold()
            # Only the group of the quotation marks that matched has a text.
            quoted += [next(filter(None, match.groups())).strip() for match in _QUOTED.finditer(text)]
            dictated += [match[1] for match in _DICTATED.finditer(text)]
    return [text for text in quoted if text], dictated
