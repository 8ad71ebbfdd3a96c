"""Private root folder: a program's files, read-only, and a workspace in memory.

The program sees no other files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from . import kernel
from .limits import Limits

WORKSPACE = Path("/fiducial-workspace")
"""Where the command finds its files. No interpreter is installed here."""

EXAM = Path("/fiducial-exam")
"""Where it finds hidden tests. Like read-only files they are mounted, so code cannot move, remove or replace them."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/mime.types", "/etc/ssl")
_DEVICES = ("null", "zero", "full", "random", "urandom")
_OWN_FILES = {
    "etc/passwd": "root:x:0:0:root:/:/bin/sh\nsandbox:x:{uid}:{uid}:sandbox:/fiducial-workspace:/bin/sh\n",
    "etc/group": "root:x:0:\nsandbox:x:{uid}:\n",
    "etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}
_FILES_PER_MIB = 512


class View(NamedTuple):
    """Files that the command sees beside the system's; fields of `confinement.LaunchRequest`."""

    source: Path
    readable: list[str]
    exam: str | None
    read_only: list[str]


def enter_private_root(view: View, scratch: Path, limits: Limits, uid: int) -> None:
    """Build the root on an empty folder in this process's mount namespace, and change to it."""
    import shutil  # noqa: PLC0415 - commands that are not confined do without

    kernel.mount("none", Path("/"), flags=kernel.MS_REC | kernel.MS_PRIVATE)
    files = max(1024, limits.disk_bytes // 1024 // 1024 * _FILES_PER_MIB)
    options = f"size={limits.disk_bytes},nr_inodes={files},mode=755"
    kernel.mount("tmpfs", scratch, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    for path in [*_SYSTEM, *_SETTINGS, *view.readable]:
        _bind_from_host(scratch, Path(path))
    _make_devices(scratch / "dev")
    for name, text in _OWN_FILES.items():
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
    shown = root / path.relative_to("/")
    if not path.exists() or shown.exists():
        return
    shown.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        shown.symlink_to(path.readlink())
        return
    if path.is_dir():
        shown.mkdir()
    else:
        shown.touch()
    _bind(str(path), shown)


def _bind(path: str, shown: Path) -> None:
    kernel.mount(path, shown, flags=kernel.MS_BIND | kernel.MS_REC)
    kernel.make_read_only(shown)


def _make_devices(folder: Path) -> None:
    folder.mkdir()
    for name in _DEVICES:
        (folder / name).touch()
        kernel.mount(f"/dev/{name}", folder / name, flags=kernel.MS_BIND)
    (folder / "fd").symlink_to("/proc/self/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        (folder / name).symlink_to(f"/proc/self/fd/{number}")
    (folder / "shm").symlink_to("/tmp")  # noqa: S108 - the sandbox's own
