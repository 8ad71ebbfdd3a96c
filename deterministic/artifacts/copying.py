"""Copy plain files of an untrusted folder, within limits on size, number and depth."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from .workspace_files import WorkspaceFault, locate, open_folder, printable_name, read_bytes

# Bounds the work that an untrusted folder can cause.
_MAX_FILES, _MAX_DEPTH = 20_000, 64


def copy_tree(source: Path, target: Path, max_bytes: int) -> None:
    """Copy a folder and everything below it, up to ``max_bytes``.

    A link to a file within the folder becomes a copy of that file. Other links, pipes, sockets and devices are skipped, as is
    Python's bytecode, which may not match its source.

    Raises:
        WorkspaceFault: There are too many files or bytes, folders are nested too deeply, or a file cannot be read.
    """
    # Links above the folder are followed; the folder itself must not be one, which `open_folder` checks.
    root = source.parent.resolve() / source.name
    remaining_bytes, entry_count = max_bytes, 0
    folders = [(root, target, 0)]
    try:
        while folders:
            folder, copy, depth = folders.pop()
            copy.mkdir()
            with open_folder(folder) as descriptor, os.scandir(descriptor) as entries:
                for entry in entries:
                    entry_count += 1
                    if entry_count > _MAX_FILES or depth >= _MAX_DEPTH:
                        raise _too_large(
                            f"more than {_MAX_FILES:,} files, or nested deeper than {_MAX_DEPTH}"
                        )
                    if entry.name == "__pycache__" or entry.name.endswith(".pyc"):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append((folder / entry.name, copy / entry.name, depth + 1))
                    else:
                        remaining_bytes -= _copy_file(
                            root, folder / entry.name, copy / entry.name, remaining_bytes
                        )
    except OSError as error:
        raise WorkspaceFault(
            "unreadable_file", f"the workspace cannot be copied: {error.strerror}"
        ) from error


def copy_plain_files(source: Path, target: Path, *, replace: bool = True) -> list[str]:
    """Copy the plain files of a folder, but no sub-folders, and return their names.

    Without ``replace``, existing files stay. If there is no source folder, nothing is copied.
    """
    names: list[str] = []
    if not source.is_dir():
        return names
    with open_folder(target.parent.resolve() / target.name) as folder:
        for path in sorted(source.iterdir()):
            if path.is_file() and not path.is_symlink() and _make_room(path.name, folder, replace=replace):
                descriptor = os.open(path.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=folder)
                with path.open("rb") as original, os.fdopen(descriptor, "wb") as copy:
                    shutil.copyfileobj(original, copy)
                names.append(path.name)
    return names


def _make_room(name: str, folder: int, *, replace: bool) -> bool:
    """Remove what has this name, unless it must stay, and return whether the name is free.

    A link is removed, not its target.
    """
    try:
        existing = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    if replace and stat.S_ISDIR(existing.st_mode):
        shutil.rmtree(name, dir_fd=folder)
    elif replace:
        os.unlink(name, dir_fd=folder)
    return replace


def _copy_file(root: Path, path: Path, copy: Path, max_bytes: int) -> int:
    """Copy a plain file, or the one that a link leads to, and return the number of bytes."""
    try:
        file = locate(root, str(path.relative_to(root)))
        if not file.is_file():
            return 0
        data = read_bytes(file, path.name, max_bytes)
    except WorkspaceFault as fault:
        if fault.error_type in {"missing_file", "outside_workspace", "not_a_file"}:
            return 0
        if fault.error_type == "file_too_large":
            raise _too_large(f"no room for {printable_name(path.name)}") from fault
        raise
    copy.write_bytes(data)
    return len(data)


def _too_large(excess: str) -> WorkspaceFault:
    return WorkspaceFault("workspace_too_large", f"the workspace is too large: {excess}")
