r"""Text in which nothing is a command of the CI that reads it.

GitHub obeys ``::command::`` at the beginning of a line, after blanks, and ``##[command]`` anywhere; Azure ``##vso[command]``, TeamCity
``##teamcity[command]``. A name in data may be one of these, and a runner may compare texts without the characters that nobody sees.
"""

from __future__ import annotations

import re

__all__ = ["inert", "inert_json"]

_INVISIBLE = (
    r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_BLANK = r"\t\x0b\x0c \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

_AT_BEGINNING = re.compile(rf"(?:\A|(?<=[\r\n]))([{_BLANK}{_INVISIBLE}]*:[{_INVISIBLE}]*)(?=:)")
_ANYWHERE = re.compile(rf"(#[{_INVISIBLE}]*#[{_INVISIBLE}]*(?:[A-Za-z][A-Za-z{_INVISIBLE}]*)?)(?=\[)")


def inert(text: str) -> str:
    r"""Break commands by a backslash, which Markdown does not show: ``:\:``, ``##\[``."""
    return _ANYWHERE.sub(r"\1\\", _AT_BEGINNING.sub(r"\1\\", text))


def inert_json(text: str) -> str:
    r"""Spell the commands in a JSON text so that its value stays equal: ``\u0023#[``."""
    return _ANYWHERE.sub(lambda match: match[0].replace("#", r"\u0023", 1), text)
