"""Transfers between a working copy and its store; interrupted ones never look like edits."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from ...records.fetching import require_disk_space
from ...records.json_text import encode_json
from ...records.objects import ObjectFolder, ObjectVersion
from ...records.typed_values import convert
from .agreed_state import Agreed, Agreement, Stamp, manifests_last, of_the_run
from .file_names import MANIFEST
from .sealed_file import Seal


def put(objects: ObjectFolder, agreement: Agreement, scratch: Path) -> None:
    """Upload the files that differ as a consistent snapshot, manifests last.

    The snapshot is a folder next to ``scratch``, whose name begins like it, and exists only during the transfer.
    """
    agreement.read()
    if not agreement.differing() and not agreement.gone():
        return
    with TemporaryDirectory(prefix=scratch.name, dir=scratch.parent) as snapshot_name:
        snapshot = Path(snapshot_name)
        files = _copy_differing(agreement, snapshot)
        _break_seals(objects, agreement, snapshot, files)
        for name in sorted(files, key=manifests_last):
            agreement.note(name, Agreed(*files[name], objects.put(name, snapshot / name)))
    for name in agreement.gone():
        objects.remove(name)
        del agreement.objects[name]
    # Versions are noted as listings write them, since later ones are compared; an upload may write them in another form.
    for name, mark in of_the_run(objects.find()).items():
        if name in files:
            agreement.objects[name] = msgspec.structs.replace(agreement.objects[name], mark=mark)
    agreement.write()


def _copy_differing(agreement: Agreement, scratch: Path) -> dict[str, Stamp]:
    """Copy the differing files while the manifest is unchanged, so that it matches them.

    Returns sizes and times from before the copy.
    """
    while True:
        manifest, files = _manifest_stamp(agreement.folder), agreement.differing()
        for name in files:
            target = scratch / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(agreement.folder / name, target, follow_symlinks=False)
        if manifest == _manifest_stamp(agreement.folder):
            return files


def _manifest_stamp(folder: Path) -> tuple[int, int, int] | None:
    try:
        status = (folder / MANIFEST).stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _break_seals(objects: ObjectFolder, agreement: Agreement, scratch: Path, files: Collection[str]) -> None:
    """Remove seals from the stored manifest that the upload will not match.

    An interrupted upload must not look like an edit by hand.
    """
    stored = objects.read(MANIFEST) if MANIFEST in agreement.objects else None
    if stored is None:
        return
    try:
        manifest: dict[str, Any] = msgspec.json.decode(stored)
        seals = convert(manifest.get("journals") or {}, dict[str, Seal])
    except (msgspec.MsgspecError, AttributeError):
        return  # not a manifest of ours; it is replaced now
    unmatched = {name for name in seals if name in files and not _begins_with(scratch / name, seals[name])}
    if unmatched:
        manifest["journals"] = {name: seals[name] for name in seals.keys() - unmatched}
        objects.write(MANIFEST, encode_json(manifest))


def _begins_with(file: Path, seal: Seal) -> bool:
    digest, remaining_bytes = hashlib.sha256(), seal.bytes
    with file.open("rb") as content:
        while remaining_bytes and (piece := content.read(min(remaining_bytes, 1 << 20))):
            digest.update(piece)
            remaining_bytes -= len(piece)
    return not remaining_bytes and digest.hexdigest() == seal.sha256


def fetch(objects: ObjectFolder, agreement: Agreement, marks: Mapping[str, ObjectVersion]) -> None:
    """Download the store's listed content into the copy.

    Raises:
        InputError: The disk is full.
    """
    agreed, folder = agreement.objects, agreement.folder
    changed = {name: mark for name, mark in marks.items() if name not in agreed or agreed[name].mark != mark}
    require_disk_space(changed, folder.parent, objects.name)
    for name in sorted(changed, key=manifests_last):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f".{file.name}.0.tmp")
        unfinished.unlink(missing_ok=True)
        try:
            objects.fetch(name, unfinished)
            unfinished.replace(file)
        finally:
            unfinished.unlink(missing_ok=True)
        status = file.stat()
        agreement.note(name, Agreed(status.st_size, status.st_mtime_ns, changed[name]))
    for name in agreed.keys() - marks.keys():
        (folder / name).unlink(missing_ok=True)
        del agreed[name]
    agreement.write()
