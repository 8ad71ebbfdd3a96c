"""Names that are near a name, and texts that nobody asked for."""

from __future__ import annotations

import random
from collections.abc import Iterator

_LAST_WORDS = ("Harper", "Winslow", "Grove", "Marsh", "Thornton", "Ridge")
_ENDINGS = ("ton", "ville", "ford")
_STRAY = ("Larkspur", "Riverton", "Ashdown")
_LONGEST = 80


def near_names(text: str, chance: random.Random) -> Iterator[str]:
    """Names that begin like a name and are another's.

    Args:
        text: A text; only one that looks like a name (short, capitals at the beginning of its first and last word, no
            digits) has near names.
        chance: Draws among them.

    Yields:
        The name with another last word, or, of a single word, a longer name.
    """
    words = text.split(" ")
    is_name = all(word[:1].isupper() for word in (words[0], words[-1]))
    if not is_name or len(text) > _LONGEST or any(map(str.isdigit, text)):
        return
    if len(words) > 1:
        yield " ".join([*words[:-1], chance.choice(_LAST_WORDS)])
    elif text.isalpha():
        yield text + chance.choice(_ENDINGS)


def stray_text(unlike: str) -> str:
    """A text that nobody asked for.

    Args:
        unlike: What it must have nothing in common with.

    Returns:
        A word.
    """
    return next(word for word in _STRAY if word.lower() not in unlike.lower() or word == _STRAY[-1])
