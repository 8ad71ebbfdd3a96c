"""Random numbers that depend only on what is changed, not on the order of work."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def rank(*parts: object) -> int:
    """Return a pseudo-random 64-bit number that depends only on the parts.

    Parts are, for example, a seed, an item and an operator's name.
    """
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def generator(*parts: object) -> random.Random:
    """Return a random generator that depends only on the parts."""
    return random.Random(rank(*parts))  # noqa: S311 - reproducible on purpose; nothing is kept secret by it


def shuffled(items: Iterable[T], rng: random.Random) -> Sequence[T]:
    """Return the items in random order."""
    items = list(items)
    rng.shuffle(items)
    return items
