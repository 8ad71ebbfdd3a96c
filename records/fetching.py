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
from pathlib import Path
from tempfile import mkdtemp

from ..errors import InputError, register_alias
from .objects import ObjectFolder, ObjectVersion, fetched_alone

_KEPT_SECONDS = 30 * 24 * 3600
"""A copy of a content that the store no longer has is kept so long after it was last asked for."""


def fetch_input(objects: ObjectFolder, marks: Mapping[str, ObjectVersion], cache: Path) -> Path:
    """Return a current copy of an object or a folder of objects; earlier copies are reused.

    Args:
        objects: Their address.
        marks: What is there, as it was listed.
        cache: The folder for copies.

    Returns:
        The file, or the folder.

    Raises:
        InputError: There is nothing, it cannot be read, it changes meanwhile, or the disk has no room for it.
    """
    if not marks:
        raise InputError("there is no such object or folder", path=objects.name)
    name = objects.name.rpartition("/")[2]
    if name in {"", ".", ".."} or "\0" in name:
        raise InputError("no file can have the name of this object", path=objects.name)
    versions = cache / hashed(objects.address)
    place = versions / hashed(json.dumps(sorted(marks.items())))
    if not place.exists():
        refuse_too_much(marks, cache, objects.name)
        _fetch_all(objects, marks, place, name)
    os.utime(place)
    _forget_old(versions)
    is_file = "" in marks
    found = place / name if is_file else place
    register_alias(found, objects.name.rpartition("/")[0] if objects.is_pattern else objects.name)
    if is_file:
        fetched_alone.add(found)
    return found


def hashed(text: str) -> str:
    """Return a folder name that identifies a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def make_private(folder: Path) -> None:
    """Make a folder that no other user can read.

    Raises:
        InputError: It cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror or error}", path=folder) from error


def refuse_too_much(marks: Mapping[str, ObjectVersion], cache: Path, name: str) -> None:
    """Refuse objects that the disk has no room for.

    Raises:
        InputError: It has not.
    """
    make_private(cache)
    size, free = sum(mark.size for mark in marks.values()), shutil.disk_usage(cache).free
    if size > free:
        raise InputError(f"{size / 1e6:,.0f} MB, and {cache} has room for {free / 1e6:,.0f}", path=name)


def _fetch_all(objects: ObjectFolder, marks: Mapping[str, ObjectVersion], place: Path, alone: str) -> None:
    """Copy beside the place, and move there what is the content that was listed."""
    make_private(place.parent)
    part = Path(mkdtemp(prefix=".", dir=place.parent))
    try:
        for name in marks:
            file = part / (name or alone)
            file.parent.mkdir(parents=True, exist_ok=True)
            objects.fetch(name, file)
        if objects.find() != marks:
            raise InputError("changes while it is read; rerun when it is complete", path=objects.name)
        if not place.exists():  # somebody else was faster
            part.rename(place)
    except OSError as error:
        raise InputError(f"cannot be copied: {error.strerror or error}", path=objects.name) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _forget_old(versions: Path) -> None:
    for version in versions.iterdir():
        if version.stat().st_mtime < time.time() - _KEPT_SECONDS:
            shutil.rmtree(version, ignore_errors=True)
