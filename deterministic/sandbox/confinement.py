"""Confine a command as strongly as the platform allows, and report how."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from . import kernel, landlock, syscalls
from .file_view import EXAM, WORKSPACE, FileView, chown_tree, enter_private_root
from .limits import Limits, apply_limits
from .processes import threads_of_user

_NOBODY = 65_534
"""Linux's user id for files and processes without a user of their own."""

_FIRST_UID, _UID_COUNT = 1_700_000_000, 100_000_000
"""Range of user ids: if possible, each sandbox runs as a different user, so that limits per user are not shared."""


class LaunchRequest(NamedTuple):
    """Request to the launcher, sent by `running`.

    Attributes:
        commands: Commands, in order; each runs only if the previous one ended with exit code 0.
        source: The folder with the commands' files.
        scratch: An empty folder to work in, or None for a trusted agent, which runs in ``source`` itself, unconfined.
        readable: Further folders that may be read, at their own paths.
        environment: The whole environment of the commands.
        limits: Limits on each command.
        exam: A folder with hidden tests, which the commands can read but not change, or None if there are none.
        proven: For each command, whether it must prove that it ran to its end (`supervision.Proof`).
        read_only: Files of ``source`` that the commands cannot change, if files can be mounted.
        group: A memory group for the commands (`memory_group`), or None if none could be made.
    """

    commands: list[list[str]]
    source: str
    scratch: str | None
    readable: list[str]
    environment: dict[str, str]
    limits: Limits
    exam: str | None = None
    proven: list[bool] = []
    read_only: list[str] = []
    group: str | None = None


class SandboxSetup(NamedTuple):
    """A sandbox that is ready to run commands.

    Attributes:
        folder: The folder that commands run in.
        prepare: Function that each new process calls before it becomes the command.
        files: As in `running.Confinement`.
        network: As in `running.Confinement`.
        exam: The folder of hidden tests, if there are any.
    """

    folder: Path
    prepare: Callable[[], None]
    files: str
    network: str
    exam: Path | None = None


def leave_namespaces(*, confined: bool) -> bool:
    """Leave the machine's namespaces, and return whether that worked.

    The next child process is then the first of the new process namespace. An agent, which is not confined, keeps network and files.
    """
    flags = kernel.CLONE_NEWPID | kernel.CLONE_NEWNS
    if confined:
        flags |= kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        with suppress(OSError):
            kernel.unshare(flags)
            return True
    if not confined:
        return False  # an agent may need its own user: another would break, say, sudo
    try:
        kernel.unshare(flags | kernel.CLONE_NEWUSER)
        # The kernel accepts a map of groups from an ordinary user only after setgroups is denied.
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{_NOBODY} {uid} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{_NOBODY} {gid} 1", encoding="ascii")
    except OSError:
        return False
    return True


def set_up(request: LaunchRequest, *, own_namespace: bool) -> SandboxSetup:
    """Set up a sandbox as the platform allows.

    Raises:
        PermissionError: The number of processes could not be limited here.
    """
    if request.scratch is None:
        if own_namespace:
            _mount_own_proc()
        return SandboxSetup(Path(request.source), kernel.die_with_parent, "not confined", "not denied")
    source, scratch = Path(request.source), Path(request.scratch)
    network = "none" if own_namespace else "not denied"
    if own_namespace:
        with suppress(OSError):
            kernel.raise_loopback()
        uid = _give_to_unused_user(scratch)
        with suppress(OSError):
            view = FileView(source, request.readable, request.exam, request.read_only)
            enter_private_root(view, scratch, request.limits, uid)
            exam = EXAM if request.exam else None
            prepare = _make_prepare(request.limits, uid, None)
            return SandboxSetup(WORKSPACE, prepare, "private root", network, exam)
        # The failed attempt may have mounted something on the first folder.
        scratch = scratch.with_name("plain")
        scratch.mkdir()
    return _set_up_plain_folder(request, source, scratch, network)


def _set_up_plain_folder(request: LaunchRequest, source: Path, scratch: Path, network: str) -> SandboxSetup:
    """Set up an ordinary copy of the source folder, if no private root can be made.

    Writing elsewhere is denied if the kernel has Landlock. Commands never run as root here: the limit on processes does not apply to
    root, so a fork bomb could take the machine down, and root may read and change everything.
    """
    import shutil  # noqa: PLC0415 - as in `enter_private_root`

    uid = _give_to_unused_user(scratch)
    if os.geteuid() == 0 and not _is_runnable_by_all(Path(shutil.which(request.commands[0][0]) or "/")):
        raise PermissionError(
            "refused: processes could not be bounded, for only root can reach the interpreter; "
            "install it outside root's home, or allow namespaces"
        )
    folder = scratch / "workspace"
    shutil.copytree(source, folder)
    (scratch / "tmp").mkdir()
    exam = scratch.with_name("exam") if request.exam else None
    if request.exam and exam:
        shutil.copytree(request.exam, exam)
    chown_tree(scratch.parent, uid)
    version = landlock.version()
    if syscalls.can_filter():
        network = "no sockets"
    elif network != "none" and version >= landlock.TCP_SINCE:
        network = "no TCP"
    prepare = _make_prepare(request.limits, uid, scratch)
    return SandboxSetup(folder, prepare, "writes confined" if version else "not confined", network, exam)


def _make_prepare(limits: Limits, uid: int, writable: Path | None) -> Callable[[], None]:
    """Return a function that confines a new process before it becomes the command."""
    filters_calls = syscalls.can_filter()
    is_same_user = uid == os.geteuid()
    # The kernel counts all processes of a user, so those that the user has already are allowed in addition.
    if is_same_user and writable is not None:
        limits = limits._replace(processes=limits.processes + threads_of_user())

    def prepare() -> None:
        apply_limits(limits)
        if not is_same_user:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        with suppress(OSError):  # not on Linux
            kernel.forgo_new_privileges()
            kernel.die_with_parent()
        if writable is not None and landlock.version():
            landlock.confine_writing([writable])
        if filters_calls:
            syscalls.deny_calls(others=writable is not None, modes=writable is not None and is_same_user)

    return prepare


def _give_to_unused_user(folder: Path) -> int:
    """Give the folder to an unused user, if possible, and return the id of the user to run as.

    Only root can become another user, and a container may have fewer user ids.
    """
    if os.geteuid() != 0:
        return os.geteuid()
    # Folders that exist at the same time have different inodes.
    uid = _FIRST_UID + folder.stat().st_ino % _UID_COUNT
    try:
        os.chown(folder, uid, uid)
    except OSError:
        return _NOBODY
    return uid


def _is_runnable_by_all(path: Path) -> bool:
    everyone_may_enter = 0o001
    paths = [path, *path.resolve().parents, *path.parents]  # those of a link and of its target
    return all(folder_or_file.stat().st_mode & everyone_may_enter for folder_or_file in paths)


def _mount_own_proc() -> None:
    """Let /proc show the processes of the new namespace, so that their usage can be watched."""
    with suppress(OSError):
        kernel.mount("none", Path("/"), flags=kernel.MS_REC | kernel.MS_PRIVATE)
        kernel.mount("proc", Path("/proc"), "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
