"""Shards: the files of a folder as one input, and parts of a data set by case hash."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from ..records import InputPath

_SHARD = ".jsonl"


class Shards(NamedTuple):
    """Files, and whether any came from a folder, so that row order must not matter."""

    files: tuple[InputPath, ...]
    sharded: bool


def shards_of(paths: Iterable[InputPath]) -> Shards:
    """Return the given files, and for a folder its ``.jsonl`` files by name.

    Raises:
        InputError: There is no such file.
    """
    files, sharded = list[InputPath](), False
    for path in paths:
        if isinstance(path, Path) and path.is_dir():
            shards = sorted(file for file in path.glob(f"*{_SHARD}") if not file.name.startswith("."))
            if not shards:
                raise InputError(f"the folder holds no file that ends in {_SHARD}", path=path)
            files, sharded = [*files, *shards], True
        else:
            files.append(path)
    return Shards(tuple(files), sharded)


def part_of(case_id: str, parts: int) -> int:
    """Return the part, from 0, of a case and its outputs, by a hash that never changes."""
    digest = blake2b(case_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % parts
