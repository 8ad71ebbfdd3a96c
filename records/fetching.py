"""Copy inputs with an address (``s3://...``) into the user's cache folder, to read them.

A copy is reused until the content in the store changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

from ..errors import InputError, register_alias
from .objects import ObjectFolder, ObjectVersion, fetched_alone

_UNUSED_SECONDS = 30 * 24 * 3600
"""A version's copy that was not used for this long is removed when another version of the input is read."""


def fetch_input(objects: ObjectFolder, listed: Mapping[str, ObjectVersion], cache: Path) -> Path:
    """Return a current copy of an object or a folder of objects; an earlier copy is reused.

    Args:
        objects: The object, or the folder of objects.
        listed: Versions of the objects, by name.
        cache: The folder for copies.

    Returns:
        The file, or the folder.

    Raises:
        InputError: No object is there, one cannot be read or changes meanwhile, or the disk has no room.
    """
    if not listed:
        raise InputError("there is no such object or folder", path=objects.name)
    name = objects.name.rpartition("/")[2]
    if name in {"", ".", ".."} or "\0" in name:
        raise InputError("this object's name cannot be a file name", path=objects.name)
    versions = cache / hash_for_name(objects.address)
    version_folder = versions / hash_for_name(json.dumps(sorted(listed.items())))
    if not version_folder.exists():
        require_disk_space(listed, cache, objects.name)
        _fetch_all(objects, listed, version_folder, name)
    os.utime(version_folder)
    _remove_unused(versions)
    is_file = "" in listed
    path = version_folder / name if is_file else version_folder
    register_alias(path, objects.name.rpartition("/")[0] if objects.is_pattern else objects.name)
    if is_file:
        fetched_alone.add(path)
    return path


def hash_for_name(text: str) -> str:
    """Return a folder name that identifies a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def make_private(folder: Path) -> None:
    """Create a folder, private if new.

    Raises:
        InputError: The folder cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror or error}", path=folder) from error


def require_disk_space(listed: Mapping[str, ObjectVersion], cache: Path, name: str) -> None:
    """Check that objects fit on the disk.

    Raises:
        InputError: The objects do not fit.
    """
    make_private(cache)
    size, free = sum(version.size for version in listed.values()), shutil.disk_usage(cache).free
    if size > free:
        raise InputError(f"needs {size / 1e6:,.0f} MB; {cache} has {free / 1e6:,.0f} MB free", path=name)


def _fetch_all(
    objects: ObjectFolder, listed: Mapping[str, ObjectVersion], folder: Path, default_name: str
) -> None:
    """Copy objects into a new folder, all or none; one without a name gets ``default_name``."""
    make_private(folder.parent)
    partial_folder = Path(mkdtemp(prefix=".", dir=folder.parent))
    try:
        for name in listed:
            file = partial_folder / (name or default_name)
            file.parent.mkdir(parents=True, exist_ok=True)
            objects.fetch(name, file)
        # Compare with a new listing: objects of different moments may not belong together.
        if objects.find() != listed:
            raise InputError("changes while it is read; rerun when it is complete", path=objects.name)
        _rename_unless_exists(partial_folder, folder)
    except OSError as error:
        raise InputError(f"cannot be copied: {error.strerror or error}", path=objects.name) from error
    finally:
        shutil.rmtree(partial_folder, ignore_errors=True)


def _rename_unless_exists(partial_folder: Path, folder: Path) -> None:
    try:
        partial_folder.rename(folder)
    except OSError:
        if not folder.exists():  # else another process fetched the same version at the same time
            raise


def _remove_unused(versions: Path) -> None:
    for version in versions.iterdir():
        with suppress(FileNotFoundError):  # another process renamed or removed it
            if version.stat().st_mtime < time.time() - _UNUSED_SECONDS:
                shutil.rmtree(version, ignore_errors=True)
