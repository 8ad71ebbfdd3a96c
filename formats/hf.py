"""Folders of Hugging Face ``datasets``: what ``save_to_disk`` wrote, or files of data as a repository has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError
from .arrow_rows import read_any_rows
from .found import Found, Options, Skipped
from .rows import Row
from .tables import is_no_mark, read_table

NAME = "hf"
ABOUT = "folders that `datasets` saved, and repositories with Parquet, JSON Lines or CSV, read without that library"
LOST = "splits are read one after another; the difference between a key of a struct that is null and one that is not there; bytes"

_DATA = (".arrow", ".parquet", ".jsonl", ".csv", ".tsv")
_MARKS = ("dataset_info.json", "state.json", "dataset_dict.json")

recognises = is_no_mark


def is_folder_of_datasets(path: Path) -> bool:
    """Whether a folder was saved by ``datasets``, or has a card beside files of data."""
    if any((path / mark).exists() for mark in _MARKS):
        return True
    return (path / "README.md").exists() and any(file.suffix == ".parquet" for file in path.rglob("*"))


def read(path: Path, options: Options) -> Iterator[Found]:
    """Read a folder; see `Format`."""
    return read_table(_rows(path), path, options)


def _rows(path: Path) -> Iterator[Row | Skipped]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    data = [file for file in files if file.suffix.lower() in _DATA and not file.name.startswith("cache-")]
    if not data:
        raise InputError(f"holds no file of data ({', '.join(_DATA)})", path=path)
    for file in data:
        yield from read_any_rows(file)
