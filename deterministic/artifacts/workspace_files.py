"""Choose and read files of an untrusted workspace.

It may hold links, pipes, devices, endless files and names in no encoding.
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
    """The workspace fails the challenge, whatever its other files say."""

    def __init__(self, error_type: str, reason: str) -> None:
        self.error_type = error_type
        self.reason = reason
        super().__init__(reason)


def printable_name(name: str) -> str:
    """Return a printable file name; bytes that are not UTF-8 are escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


MAX_FILE_BYTES = 16 * 1024 * 1024
"""Larger files are not read."""

_MOST_ENTRIES, _MOST_CHOSEN = 100_000, 1_000


def choose_files(root: Path, entries: list[str]) -> list[str]:
    """Find the files a challenge names.

    An entry that starts with a dot is an ending: files of that ending at the top of the workspace, hidden ones left out.
    Anything else is the path of one file. Endings are matched as in agbenchmark, in alphabetical order.

    Raises:
        ChallengeError: An entry leads out of the workspace.
        WorkspaceFault: There are too many files.
    """
    chosen: list[str] = []
    for entry in entries:
        path = PurePath(entry)
        if path.is_absolute() or ".." in path.parts or "\0" in entry:
            raise ChallengeError(f"the challenge names a file outside the workspace: {entry!r}")
        if entry.startswith("."):
            chosen.extend(name for name in _names(root) if fnmatchcase(name, f"*{entry}"))
        else:
            chosen.append(entry)
        if len(chosen) > _MOST_CHOSEN:
            raise WorkspaceFault("workspace_too_large", f"more than {_MOST_CHOSEN:,} files to be looked at")
    return chosen


def read_text(root: Path, name: str) -> str:
    """Read a plain file of a workspace as text; every line ending becomes a newline."""
    data = read_bytes(locate(root, name), name, MAX_FILE_BYTES)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"{printable_name(name)}: not UTF-8: byte 0x{data[error.start]:02x} at byte {error.start}"
        raise WorkspaceFault("not_utf8", reason) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def workspace_root(workspace: str | None) -> Path:
    """Return the folder that an output names, with links resolved except the last.

    An agent could have put the last one in place of the folder.
    """
    if workspace is None:
        raise WorkspaceFault("no_output", "the output names no workspace")
    path = Path(os.path.abspath(workspace))  # noqa: PTH100 - `resolve` would follow that link
    root = path.parent.resolve() / path.name
    if root.is_symlink():
        raise WorkspaceFault("outside_workspace", "the workspace is a link to another place")
    if not root.is_dir():
        raise WorkspaceFault("no_output", f"the workspace is not there: {printable_name(workspace)}")
    return root


def locate(root: Path, name: str) -> Path:
    """Resolve a name in a workspace, links followed, to a path within its root.

    The result is not a link and does not lie below one.
    """
    try:
        place = (root / name).resolve(strict=True)
    except (
        OSError,
        RuntimeError,
        ValueError,
    ) as error:  # Python 3.11 tells of a loop of links by a RuntimeError
        raise WorkspaceFault(
            "missing_file", f"{printable_name(name)}: no such file in the workspace"
        ) from error
    if not place.is_relative_to(root):
        raise WorkspaceFault(
            "outside_workspace", f"{printable_name(name)}: a link that leads out of the workspace"
        )
    return place


def read_bytes(place: Path, name: str, limit: int) -> bytes:
    """Read a plain file whole, of at most so many bytes; a link in its place is not followed."""
    try:
        _refuse_unusual(place.lstat(), name, limit)  # to open a device, or a pipe, may already do something
        with open(place, "rb", opener=open_without_links) as file:
            _refuse_unusual(os.fstat(file.fileno()), name, limit)  # something else may lie there by now
            return file.read(limit)
    except OSError as error:
        raise WorkspaceFault("unreadable_file", f"{printable_name(name)}: {error.strerror}") from error


def _refuse_unusual(facts: os.stat_result, name: str, limit: int) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise WorkspaceFault("not_a_file", f"{printable_name(name)}: not a plain file")
    if facts.st_size > limit:
        reason = f"{printable_name(name)}: {facts.st_size:,} bytes; at most {limit:,} are read"
        raise WorkspaceFault("file_too_large", reason)


def open_without_links(path: Path | str, flags: int) -> int:
    """Open an absolute path without following any link in it; links are resolved earlier."""
    only_pass = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW  # macOS has no O_PATH
    place = os.open("/", only_pass)
    *folders, name = Path(path).parts[1:] or ["."]
    try:
        for folder in folders:
            below = os.open(folder, only_pass, dir_fd=place)
            os.close(place)
            place = below
        return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
    finally:
        os.close(place)


@contextmanager
def opened_folder(path: Path) -> Generator[int]:
    """Open a folder without following links.

    Whatever is put in its place later is not read.
    """
    folder = open_without_links(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield folder
    finally:
        os.close(folder)


def _names(root: Path) -> list[str]:
    """Names at the top of the workspace, in alphabetical order, hidden ones left out."""
    try:
        with opened_folder(root) as folder, os.scandir(folder) as found:
            names = [entry.name for entry in islice(found, _MOST_ENTRIES + 1)]
    except OSError as error:
        raise WorkspaceFault("no_output", f"the workspace cannot be read: {error.strerror}") from error
    if len(names) > _MOST_ENTRIES:
        raise WorkspaceFault("workspace_too_large", f"the workspace has more than {_MOST_ENTRIES:,} files")
    return sorted(name for name in names if not name.startswith("."))
