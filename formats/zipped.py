"""Members of a ZIP file; Zstandard is read as `zipfile` does from Python 3.14 on."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import InputError, MissingExtraError, readable
from ..records import Closing
from ..tables.gzipped import MIN_UNPACKED, UNPACKED_FACTOR

MAX_MEMBER_BYTES = 512 * 1024 * 1024
"""Maximum size of an unpacked member: a small file may unpack to a huge one."""

_ZSTANDARD = 93
"""Number of the compression method in the ZIP specification."""

_LOCAL_HEADER = struct.Struct("<4s5H3I2H")


DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError, ValueError)
"""Errors of `zipfile` for archives that are damaged, encrypted or of an unsupported method."""


class Zipped(Closing):
    """Open ZIP file, whose members may not unpack to too much."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with readable(path):
                self._archive = zipfile.ZipFile(path)
        except DAMAGED as error:
            raise InputError("not a whole ZIP file; it may be cut off", path=path) from error
        self._unpacked = 0
        # Members may overlap, so that a small file unpacks to any number of them.
        self._max_unpacked = max(MIN_UNPACKED, UNPACKED_FACTOR * path.stat().st_size)
        # The last member of a repeated name counts.
        self.members = {info.filename: info for info in self._archive.infolist()}

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def read(self, name: str) -> bytes:
        """Return a member's bytes."""
        info = self.members[name]
        try:
            raw = self._zstandard(info) if info.compress_type == _ZSTANDARD else self._plain(info)
        except (*DAMAGED, OSError) as error:
            raise InputError(f"{name} cannot be read: {error}", path=self._path) from error
        if len(raw) > self._bytes_left:
            raise InputError(f"{name} unpacks to more than {self._bytes_left >> 20:,} MiB", path=self._path)
        self._unpacked += len(raw)
        return raw

    @property
    def _bytes_left(self) -> int:
        return min(MAX_MEMBER_BYTES, self._max_unpacked - self._unpacked)

    def _plain(self, info: zipfile.ZipInfo) -> bytes:
        with self._archive.open(info) as member:
            return member.read(self._bytes_left + 1)

    def _zstandard(self, info: zipfile.ZipInfo) -> bytes:
        with self._path.open("rb") as file:
            file.seek(info.header_offset)
            header = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
            # A name and extra fields, whose lengths end the header, come before the data.
            file.seek(header[-2] + header[-1], 1)
            raw = _decompressed(file, info.compress_size, self._bytes_left)
        if zlib.crc32(raw) != info.CRC and len(raw) <= self._bytes_left:
            raise zipfile.BadZipFile("its checksum is another")
        return raw


def _decompressed(file: BinaryIO, size: int, max_bytes: int) -> bytes:
    """Decompress several Zstandard frames, up to one byte more than allowed."""
    try:
        import zstandard  # noqa: PLC0415 - an extra, and only some files need it
    except ImportError as error:
        raise MissingExtraError("inspect", "reading a log that is compressed with Zstandard") from error
    raw = file.read(size)
    library = cast("Any", zstandard)
    try:
        with library.ZstdDecompressor().stream_reader(raw, read_across_frames=True) as reader:
            return bytes(reader.read(max_bytes + 1))
    except library.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from error
