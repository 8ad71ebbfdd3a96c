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
            inside = sorted(each for each in path.glob(f"*{_SHARD}") if not each.name.startswith("."))
            if not inside:
                raise InputError(f"the folder holds no file that ends in {_SHARD}", path=path)
            files, sharded = [*files, *inside], True
        else:
            files.append(path)
    return Shards(tuple(files), sharded)


def part_of(case_id: str, parts: int) -> int:
    """Return the part, from 0, that a case and its outputs belong to, by hash.

    It is the same everywhere and at any time.
    """
    digest = blake2b(case_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % parts
