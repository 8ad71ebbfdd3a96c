"""A delimiter that the text between two of them cannot contain."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

_CHARACTERS = 20


def fence_for(texts: Iterable[str]) -> str:
    """Derive a delimiter from the texts it is to enclose.

    It is a hash of them, so whoever writes such a text cannot know it beforehand and put it in; and it is the same each
    time, so that requests stay cacheable and replayable.

    Args:
        texts: Everything under evaluation that goes into one request.

    Returns:
        Twenty hexadecimal digits that occur in none of the texts.
    """
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d:" % len(part))
        digest.update(part)
    while True:
        fence = digest.hexdigest()[:_CHARACTERS]
        if not any(fence.encode() in part for part in parts):
            return fence
        digest.update(b"again")
