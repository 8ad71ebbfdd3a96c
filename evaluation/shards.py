"""Parts of a data set by case hash."""

from __future__ import annotations

from hashlib import blake2b


def part_of(case_id: str, parts: int) -> int:
    """Return the part, from 0, that a case and its outputs belong to, by hash.

    It is the same everywhere and at any time.
    """
    digest = blake2b(case_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % parts
