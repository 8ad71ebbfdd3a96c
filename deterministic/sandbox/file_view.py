"""Build a private root folder: the system's programs, read-only, and a workspace in memory.

The command sees no other files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from . import kernel
from .limits import Limits

WORKSPACE = Path("/fiducial-workspace")
"""Folder of the command's files in the private root. The path is unusual, so that no interpreter is installed there."""

EXAM = Path("/fiducial-exam")
"""Folder of hidden tests in the private root. It is a mount, as read-only files are, so code cannot move, remove or replace it."""

# Programs and libraries, and the settings that these need.
_SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_SYSTEM_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/mime.types", "/etc/ssl")
_DEVICES = ("null", "zero", "full", "random", "urandom")
# The host's own files would show its users and names.
_GENERATED_FILES = {
    "etc/passwd": "root:x:0:0:root:/:/bin/sh\nsandbox:x:{uid}:{uid}:sandbox:/fiducial-workspace:/bin/sh\n",
    "etc/group": "root:x:0:\nsandbox:x:{uid}:\n",
    "etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}
_FILES_PER_MIB = 512
"""Files take kernel memory beside their content, so their number grows with the limit on disk space."""


class FileView(NamedTuple):
    """Files that the command sees besides the system's; fields as in `LaunchRequest`."""

    source: Path
    readable: list[str]
    exam: str | None
    read_only: list[str]


def enter_private_root(view: FileView, scratch: Path, limits: Limits, uid: int) -> None:
    """Build the root on an empty folder in this process's mount namespace, and change to it."""
    import shutil  # noqa: PLC0415 - commands that are not confined do not need it

    # Private: mounts made here do not appear in the machine's namespace.
    kernel.mount("none", Path("/"), flags=kernel.MS_REC | kernel.MS_PRIVATE)
    max_files = max(1024, limits.disk_bytes // 1024 // 1024 * _FILES_PER_MIB)
    options = f"size={limits.disk_bytes},nr_inodes={max_files},mode=755"
    kernel.mount("tmpfs", scratch, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    for path in [*_SYSTEM_FOLDERS, *_SYSTEM_SETTINGS, *view.readable]:
        _bind_from_host(scratch, Path(path))
    _make_devices(scratch / "dev")
    for name, text in _GENERATED_FILES.items():
        file = scratch / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text.format(uid=uid), encoding="ascii")
    workspace = scratch / WORKSPACE.relative_to("/")
    shutil.copytree(view.source, workspace)
    (scratch / "tmp").mkdir(exist_ok=True)  # exists if the interpreter is below it
    (scratch / "proc").mkdir()
    kernel.mount("proc", scratch / "proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    chown_tree(workspace, uid)
    os.chown(scratch / "tmp", uid, uid)
    # Mounts of their own stay writable when the root becomes read-only.
    for writable in (workspace, scratch / "tmp"):
        kernel.mount(str(writable), writable, flags=kernel.MS_BIND | kernel.MS_REC)
    for name in view.read_only:
        _bind(str(workspace / name), workspace / name)
    if view.exam is not None:
        exam = scratch / EXAM.relative_to("/")
        exam.mkdir()
        _bind(view.exam, exam)
    # Seal the root: with one user, code could write /etc/ld.so.preload for the next command.
    kernel.make_read_only(scratch, below=False)
    kernel.change_root(scratch)


def chown_tree(folder: Path, uid: int) -> None:
    """Make a user the owner of a folder and everything in it."""
    os.chown(folder, uid, uid)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(Path(parent, name), uid, uid, follow_symlinks=False)


def _bind_from_host(root: Path, path: Path) -> None:
    """Mount a file or folder of the host at the same path, read-only; skip a missing one."""
    mount_point = root / path.relative_to("/")
    if not path.exists() or mount_point.exists():
        return
    mount_point.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        mount_point.symlink_to(path.readlink())
        return
    if path.is_dir():
        mount_point.mkdir()
    else:
        mount_point.touch()
    _bind(str(path), mount_point)


def _bind(path: str, mount_point: Path) -> None:
    kernel.mount(path, mount_point, flags=kernel.MS_BIND | kernel.MS_REC)
    kernel.make_read_only(mount_point)


def _make_devices(folder: Path) -> None:
    folder.mkdir()
    for name in _DEVICES:
        (folder / name).touch()
        kernel.mount(f"/dev/{name}", folder / name, flags=kernel.MS_BIND)
    (folder / "fd").symlink_to("/proc/self/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        (folder / name).symlink_to(f"/proc/self/fd/{number}")
    (folder / "shm").symlink_to("/tmp")  # noqa: S108 - the sandbox's own
