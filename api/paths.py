"""Paths of files and run folders.

Addresses of object stores become local copies here, and in no other module.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from ..errors import ConfigurationError, UsageError
from ..evaluation.store.copies import put_back, working_copy
from ..records import FolderPath, MemoryFolder
from ..records.disk_files import copy_of_pipe, refuse_device
from ..records.objects import ObjectFolder, is_address, local_path, redacted

__all__ = [
    "FilePath",
    "folder_path",
    "input_path",
    "is_address",
    "kept_folder",
    "put_back",
    "redacted",
    "written_path",
]

FilePath: TypeAlias = str | os.PathLike[str]
"""A path, or an address as a text (``s3://bucket/key``)."""

_CHECKPOINTS = "FIDUCIAL_CHECKPOINT_SECONDS"


def input_path(given: FilePath) -> Path:
    """Return a path to read from.

    The path of an address, or of a pipe, is a copy. The path of a run folder's address is its working copy.

    Args:
        given: A path, or an address of an object, a folder of objects, some of them (``s3://bucket/part-*.jsonl``) or a run folder.

    Raises:
        InputError: There is nothing at the address, or it cannot be read; or the path is a device.
        UsageError: Addresses of this kind are not read.
        ConfigurationError: `fsspec` or its driver is not installed.
    """
    address = _address(given)
    if isinstance(address, Path):
        refuse_device(address)
        return copy_of_pipe(address)
    from ..evaluation.store.file_names import MANIFEST  # noqa: PLC0415 - likewise
    from ..records.fetching import fetch_input  # noqa: PLC0415 - most inputs are on this machine

    objects = ObjectFolder(address)
    marks = objects.find()
    if MANIFEST in marks and not objects.is_pattern:
        return folder_path(address)
    return fetch_input(objects, marks, _cache() / "inputs")


def folder_path(given: FilePath, tell: Callable[[str], object] = warnings.warn) -> Path:
    """Return the path of a run folder or another output folder.

    The path of an address is its working copy.

    Args:
        given: A path or an address.
        tell: Told when work was set aside that the store never got.

    Raises:
        InputError: The store cannot be read.
        UsageError: Addresses of this kind are not read.
        ConfigurationError: `fsspec` or its driver is not installed.
    """
    address = _address(given)
    if isinstance(address, Path):
        return address
    copy = working_copy(address, _cache() / "runs", every=_seconds(os.environ.get(_CHECKPOINTS, "60")))
    if copy.set_aside is not None:
        tell(
            f"{copy.name}: another machine has gone on with this run; what only this one did is in {copy.set_aside}"
        )
        copy.set_aside = None
    return copy.folder


def kept_folder(given: FilePath | None, name: str) -> FolderPath:
    """Return the path from `folder_path`, or a folder in memory of this name if none is given."""
    return MemoryFolder(name) if given is None else folder_path(given)


def written_path(given: FilePath) -> Path:
    """Return the path of an output file, which must be on this machine.

    Raises:
        UsageError: It is an address.
    """
    address = _address(given)
    if isinstance(address, Path):
        return address
    raise UsageError(
        f"{redacted(address)}: only inputs and run folders can be addresses; name a file, and copy it there"
    )


def _address(given: FilePath) -> str | Path:
    if not isinstance(given, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers need not check types
        raise UsageError(f"expected a path or an address, got {type(given).__name__}")
    if not is_address(given):
        return Path(given)
    address = str(given)
    return local_path(address) or address


def _seconds(given: str) -> float:
    try:
        return max(0.1, float(given))
    except ValueError as error:
        raise ConfigurationError(f"{_CHECKPOINTS}: expected seconds, got {given!r}") from error


def _cache() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - likewise

    return user_cache_path("fiducial")
