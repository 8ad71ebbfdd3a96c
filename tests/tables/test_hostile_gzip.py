"""Gzip files that unpack to too much, are cut off, damaged or no gzip files."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from each_row import each_row

from fiducial.api.reading import import_files
from fiducial.errors import InputError
from fiducial.tables.gzipped import unpacked

pytestmark = pytest.mark.attack("imports")

ROW = b'{"question": "a", "answer": "b"}\n'
MIB = 1 << 20


def bomb(row: bytes, unpacked_bytes: int) -> bytes:
    """Compress a row many times, block by block."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = row * (MIB // len(row))
    return b"".join([*(packer.compress(block) for _ in range(unpacked_bytes // MIB)), packer.flush()])


@pytest.mark.parametrize(
    "name",
    [
        "rows.jsonl.gz",
        *(pytest.param(f"rows.{literal}.gz", marks=pytest.mark.slow) for literal in ("csv", "json")),
    ],
)
@pytest.mark.parametrize(
    "made",
    [
        lambda: bomb(b" " * 64, 40 * MIB),
        pytest.param(lambda: bomb(ROW, 300 * MIB), marks=pytest.mark.slow),
        pytest.param(lambda: bomb(b"[" * 64, 100 * MIB), marks=pytest.mark.slow),
        pytest.param(lambda: bomb(b" " * 64, 20 * MIB) * 8, marks=pytest.mark.slow),
    ],
    ids=["blanks", "rows", "brackets", "members"],
)
def test_a_bomb_is_refused_before_it_is_read(made: Callable[[], bytes], name: str, tmp_path: Path):
    path = tmp_path / name
    path.write_bytes(made())
    with pytest.raises(
        InputError, match=r"rows\..*\.gz: unpacks to more than 32 MiB and 64 times its size; "
    ) as error:
        import_files([path], tmp_path / "out")
    assert str(error.value).endswith(f"unpack it: gunzip {path}")
    assert not (tmp_path / "out").exists()


WHOLE = gzip.compress(ROW * 1000)


@each_row(
    "content",
    [
        WHOLE[:-20],
        WHOLE[:12],
        WHOLE[:2],
        WHOLE[:40] + b"\0\1" + WHOLE[42:],
        WHOLE[:-8] + b"\0" * 8,
        WHOLE + b"rest",
    ],
)
def test_a_damaged_file_is_refused_with_its_name(content: bytes, tmp_path: Path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a whole gzip file; it may be cut off") as error:
        import_files([path], tmp_path / "out")
    assert str(error.value).startswith(str(path))
    assert "fiducial-" not in str(error.value)


def test_what_is_packed_twice_is_unpacked_once(tmp_path: Path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(WHOLE))
    with pytest.raises(InputError):
        import_files([path], tmp_path / "out")


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.gz", "rows.tar.gz", "rows.eval.gz"])
def test_other_names_are_not_unpacked(name: str, tmp_path: Path):
    path = tmp_path / name
    path.write_bytes(WHOLE)
    assert unpacked(path) == path


def test_text_in_the_name_of_a_gzip_file_stays_as_it_is(tmp_path: Path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(ROW)
    assert unpacked(path) == path
