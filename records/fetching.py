"""Inputs by address, copied once into the user's cache folder and read from there.

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
"""Unused time after which a version's copy is removed, the next time that its input is read."""


def fetch_input(objects: ObjectFolder, listed: Mapping[str, ObjectVersion], cache: Path) -> Path:
    """Return a current copy of an object or a folder of objects; earlier copies are reused.

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
    versions = cache / hashed(objects.address)
    version_folder = versions / hashed(json.dumps(sorted(listed.items())))
    if not version_folder.exists():
        require_disk_space(listed, cache, objects.name)
        _fetch_all(objects, listed, version_folder, name)
    os.utime(version_folder)
    _forget_old(versions)
    is_file = "" in listed
    path = version_folder / name if is_file else version_folder
    register_alias(path, objects.name.rpartition("/")[0] if objects.is_pattern else objects.name)
    if is_file:
        fetched_alone.add(path)
    return path


def hashed(text: str) -> str:
    """Return a folder name that identifies a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def make_private(folder: Path) -> None:
    """Create a folder, private if new.

    Raises:
        InputError: It cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror or error}", path=folder) from error


def require_disk_space(listed: Mapping[str, ObjectVersion], cache: Path, name: str) -> None:
    """Check that objects fit on the disk.

    Raises:
        InputError: They do not.
    """
    make_private(cache)
    size, free = sum(version.size for version in listed.values()), shutil.disk_usage(cache).free
    if size > free:
        raise InputError(f"needs {size / 1e6:,.0f} MB; {cache} has {free / 1e6:,.0f} MB free", path=name)


def _fetch_all(
    objects: ObjectFolder, listed: Mapping[str, ObjectVersion], folder: Path, default_name: str
) -> None:
    """Copy objects into a new folder, all or nothing; one without a name gets ``default_name``."""
    make_private(folder.parent)
    part = Path(mkdtemp(prefix=".", dir=folder.parent))
    try:
        for name in listed:
            file = part / (name or default_name)
            file.parent.mkdir(parents=True, exist_ok=True)
            objects.fetch(name, file)
        if objects.find() != listed:
            raise InputError("changes while it is read; rerun when it is complete", path=objects.name)
        _rename_unless_there(part, folder)
    except OSError as error:
        raise InputError(f"cannot be copied: {error.strerror or error}", path=objects.name) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _rename_unless_there(part: Path, folder: Path) -> None:
    try:
        part.rename(folder)
    except OSError:
        if not folder.exists():  # else another process fetched the same version at the same time
            raise


def _forget_old(versions: Path) -> None:
    for version in versions.iterdir():
        with suppress(FileNotFoundError):  # another process renamed or removed it
            if version.stat().st_mtime < time.time() - _UNUSED_SECONDS:
                shutil.rmtree(version, ignore_errors=True)
