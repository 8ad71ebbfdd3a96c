"""Inputs as sets of shards: folders of files whose order means nothing, and parts of a data set by the hash of the case."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from ..records import InputPath

_SUFFIX = ".jsonl"


class Shards(NamedTuple):
    """Files, and whether one of them came out of a folder: then nothing may depend on the order of rows."""

    files: tuple[InputPath, ...]
    sharded: bool


def shards_of(given: Iterable[InputPath]) -> Shards:
    """The files that are meant: of a folder those that end in ``.jsonl``, by name; InputError where there is none."""
    files, sharded = list[InputPath](), False
    for path in given:
        if isinstance(path, Path) and path.is_dir():
            inside = sorted(each for each in path.glob(f"*{_SUFFIX}") if not each.name.startswith("."))
            if not inside:
                raise InputError(f"the folder holds no file that ends in {_SUFFIX}", path=path)
            files, sharded = [*files, *inside], True
        else:
            files.append(path)
    return Shards(tuple(files), sharded)


def part_of(case_id: str, parts: int) -> int:
    """Which of so many parts, from 0, a case and all that answers it belongs to, by its hash: the same everywhere and at any time."""
    digest = blake2b(case_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % parts
