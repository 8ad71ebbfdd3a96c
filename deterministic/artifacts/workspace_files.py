"""Choose and read files of an untrusted workspace.

A workspace may have links, pipes, devices, endless files and names that cannot be decoded.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path, PurePath

from .challenge import ChallengeError


class WorkspaceFault(Exception):  # noqa: N818 - named after `finding.fault`, which it becomes
    """The workspace fails the challenge, whatever its other files contain."""

    def __init__(self, error_type: str, reason: str) -> None:
        self.error_type = error_type
        self.reason = reason
        super().__init__(reason)


def printable_name(name: str) -> str:
    """Return a file name that can be printed: bytes that are not UTF-8 are escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


MAX_FILE_BYTES = 16 * 1024 * 1024
"""Larger files are not read."""

# Limits on the entries of the workspace that are listed, and on the files that are chosen.
_MAX_ENTRIES, _MAX_FILES = 100_000, 1_000


def choose_files(root: Path, entries: list[str]) -> list[str]:
    """Return the names of the files that a challenge asks for.

    An entry that starts with a dot is an ending: it stands for the files at the top of the workspace that have it, except hidden ones, in
    alphabetical order. As in agbenchmark, the ending may be a pattern. Any other entry is the path of one file.

    Raises:
        ChallengeError: An entry leads out of the workspace.
        WorkspaceFault: There are too many files.
    """
    names: list[str] = []
    for entry in entries:
        path = PurePath(entry)
        if path.is_absolute() or ".." in path.parts or "\0" in entry:
            raise ChallengeError(f"the challenge names a file outside the workspace: {entry!r}")
        if entry.startswith("."):
            names.extend(name for name in _visible_names(root) if fnmatchcase(name, f"*{entry}"))
        else:
            names.append(entry)
        if len(names) > _MAX_FILES:
            raise WorkspaceFault("workspace_too_large", f"more than {_MAX_FILES:,} files to be looked at")
    return names


def read_text(root: Path, name: str) -> str:
    """Read a plain file of a workspace as text; all line endings become newlines."""
    data = read_bytes(locate(root, name), name, MAX_FILE_BYTES)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"{printable_name(name)}: not UTF-8: byte 0x{data[error.start]:02x} at byte {error.start}"
        raise WorkspaceFault("not_utf8", reason) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def workspace_root(workspace: str | None) -> Path:
    """Return the folder that an output names, with the links above it resolved.

    A link in place of the folder itself is refused: the agent could have put it there.
    """
    if workspace is None:
        raise WorkspaceFault("no_output", "the output names no workspace")
    path = Path(os.path.abspath(workspace))  # noqa: PTH100 - `resolve` would follow that link
    try:
        root = path.parent.resolve() / path.name
        is_link, is_folder = root.is_symlink(), root.is_dir()
    except (OSError, RuntimeError) as error:  # too long a name, no permission, or a loop of links
        problem = error.strerror if isinstance(error, OSError) else error
        raise WorkspaceFault("no_output", f"the workspace cannot be read: {problem}") from error
    if is_link:
        raise WorkspaceFault("outside_workspace", "the workspace is a link to another folder")
    if not is_folder:
        raise WorkspaceFault("no_output", f"the workspace is not there: {printable_name(workspace)}")
    return root


def locate(root: Path, name: str) -> Path:
    """Follow the links of a name in a workspace, and return a path below the root."""
    try:
        path = (root / name).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        # Python 3.11 raises RuntimeError for a loop of links.
        raise WorkspaceFault(
            "missing_file", f"{printable_name(name)}: no such file in the workspace"
        ) from error
    if not path.is_relative_to(root):
        raise WorkspaceFault(
            "outside_workspace", f"{printable_name(name)}: a link that leads out of the workspace"
        )
    return path


def read_bytes(path: Path, name: str, limit: int) -> bytes:
    """Read a plain file of at most ``limit`` bytes; links are not followed."""
    try:
        _require_plain_file(path.lstat(), name, limit)  # opening a device or a pipe may have effects
        with open(path, "rb", opener=open_without_links) as file:
            _require_plain_file(os.fstat(file.fileno()), name, limit)  # the file may have been replaced
            return file.read(limit)
    except OSError as error:
        raise WorkspaceFault("unreadable_file", f"{printable_name(name)}: {error.strerror}") from error


def _require_plain_file(status: os.stat_result, name: str, limit: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise WorkspaceFault("not_a_file", f"{printable_name(name)}: not a plain file")
    if status.st_size > limit:
        reason = f"{printable_name(name)}: {status.st_size:,} bytes; at most {limit:,} are read"
        raise WorkspaceFault("file_too_large", reason)


def open_without_links(path: Path | str, flags: int) -> int:
    """Open an absolute path, and fail if any part of it is a link.

    Folders are opened one after the other: a check of the path beforehand could be outdated when it is opened.
    """
    traverse = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW  # macOS has no O_PATH
    parent = os.open("/", traverse)
    *folders, name = Path(path).parts[1:] or ["."]  # the path "/" has no other parts
    try:
        for folder in folders:
            child = os.open(folder, traverse, dir_fd=parent)
            os.close(parent)
            parent = child
        # Without O_NONBLOCK, opening a pipe would wait for its writer.
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    finally:
        os.close(parent)


@contextmanager
def open_folder(path: Path) -> Generator[int]:
    """Open a folder without following links; the block reads it even if it is replaced."""
    folder = open_without_links(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield folder
    finally:
        os.close(folder)


def _visible_names(root: Path) -> list[str]:
    """Return the names at the top of the workspace in alphabetical order, except hidden ones."""
    try:
        with open_folder(root) as folder, os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, _MAX_ENTRIES + 1)]
    except OSError as error:
        raise WorkspaceFault("no_output", f"the workspace cannot be read: {error.strerror}") from error
    if len(names) > _MAX_ENTRIES:
        raise WorkspaceFault("workspace_too_large", f"the workspace has more than {_MAX_ENTRIES:,} files")
    return sorted(name for name in names if not name.startswith("."))
