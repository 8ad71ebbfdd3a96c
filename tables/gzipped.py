"""Unpacked copies of gzip files, of bounded size."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from ..errors import InputError, as_named, readable
from ..records.disk_files import temporary_copy

_PACKED_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
_MAGIC = b"\x1f\x8b"
_BLOCK_BYTES = 1 << 20

MIN_UNPACKED, UNPACKED_FACTOR = 32 << 20, 64
"""Limit of unpacked bytes: the larger of the first number, and the second times the file's size."""


def unpacked(path: Path) -> Path:
    """Return an unpacked copy of a file such as ``rows.jsonl.gz``, or any other path unchanged.

    Messages name the original file. The copy is removed when the program ends.

    Raises:
        InputError: The file is cut off, or unpacks to too much.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if len(suffixes) < 2 or suffixes[1] != ".gz" or suffixes[0] not in _PACKED_SUFFIXES or not path.is_file():  # noqa: PLR2004 - .jsonl and .gz
        return path
    with readable(path), path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            return path
    copy = temporary_copy(path.stem, shown_as=as_named(path))
    with readable(path):
        try:
            _unpack(path, copy)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError("not a whole gzip file; it may be cut off", path=path) from error
    return copy


def _unpack(path: Path, copy: Path) -> None:
    bytes_left = max(MIN_UNPACKED, UNPACKED_FACTOR * path.stat().st_size)
    with gzip.open(path) as packed, copy.open("xb") as file:
        while block := packed.read(min(_BLOCK_BYTES, bytes_left + 1)):
            bytes_left -= len(block)
            if bytes_left < 0:
                raise InputError(
                    f"unpacks to more than {MIN_UNPACKED >> 20} MiB and {UNPACKED_FACTOR} times its size; "
                    f"if you trust it, unpack it: gunzip {as_named(path)}",
                    path=path,
                )
            file.write(block)
