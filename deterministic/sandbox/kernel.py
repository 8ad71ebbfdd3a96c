"""Linux system calls that Python 3.11 does not offer; on other systems they raise OSError.

Source of the numbers: Linux, ``include/uapi/linux/{sched,mount,prctl,fcntl,sockios,if}.h``.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import struct
from pathlib import Path

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = (
    0x0002_0000,
    0x0800_0000,
    0x1000_0000,
    0x2000_0000,
    0x4000_0000,
)
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x8, 0x1000, 0x4000, 0x4_0000

# Options of prctl, then flags of the other calls.
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_MNT_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_ATTR_READ_ONLY_NOSUID = 0x1 | 0x2
_SYS_MOUNT_SETATTR = 442
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 0x1


def unshare(flags: int) -> None:
    """Move this process into new namespaces; ``flags`` are ``CLONE_NEW...``."""
    _call_c_library("unshare", flags)


def mount(source: str, target: Path, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Mount a file system, or bind a folder or file to another path."""
    _call_c_library(
        "mount", _bytes(source), _bytes(str(target)), _bytes(kind), ctypes.c_ulong(flags), _bytes(data)
    )


def make_read_only(target: Path, *, below: bool = True) -> None:
    """Make a mount (with ``below``, all mounts under it) read-only, without set-uid programs."""
    # struct mount_attr: attributes to set and to clear, propagation, user namespace.
    attributes = (ctypes.c_uint64 * 4)(_MOUNT_ATTR_READ_ONLY_NOSUID, 0, 0, 0)
    syscall(
        _SYS_MOUNT_SETATTR,
        _AT_FDCWD,
        _bytes(str(target)),
        _AT_RECURSIVE if below else 0,
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )


def change_root(root: Path) -> None:
    """Make a mounted folder the root; the old one can no longer be reached."""
    # pivot_root(".", ".") stacks the old root on the new one, from where it is unmounted (manual page pivot_root(2)).
    os.chdir(root)
    _call_c_library("pivot_root", b".", b".")
    _call_c_library("umount2", b".", _MNT_DETACH)
    os.chdir("/")


def die_with_parent(by: int = signal.SIGKILL) -> None:
    """Have the kernel send this process the signal ``by`` when its parent ends.

    No signal is sent if the parent has ended already, so check afterwards that it is still there.
    """
    _prctl(_PR_SET_PDEATHSIG, by)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def protect_memory() -> None:
    """Protect this process's memory and open files from others of the same user.

    Processes that it starts are not protected.
    """
    _prctl(_PR_SET_DUMPABLE, 0)


def forgo_new_privileges() -> None:
    """Give up the right to gain privileges from set-uid programs."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def filter_calls(program: bytes | None) -> None:
    """Have the kernel filter every system call of this process and its children (seccomp).

    The program is a ``struct sock_fprog``. None makes the kernel refuse, and its error tells whether it can filter.
    """
    _call_c_library("prctl", _PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), program)


def raise_loopback() -> None:
    """Switch on the loopback interface of a new network namespace.

    A server can then be tested there.
    """
    import socket  # noqa: PLC0415 - only for confined commands

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        # The beginning of struct ifreq: name and flags of an interface.
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def take_priority() -> None:
    """Schedule this process before ordinary ones, so that it can always end them.

    Processes that it starts are ordinary.
    """
    # 1 is the lowest real-time priority, which is above that of all ordinary processes.
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def syscall(number: int, *args: object) -> int:
    """Call the kernel by number."""
    return _call_c_library("syscall", ctypes.c_long(number), *args)


def _prctl(option: int, value: int) -> None:
    zero = ctypes.c_ulong(0)
    _call_c_library("prctl", option, ctypes.c_ulong(value), zero, zero, zero)


def _call_c_library(name: str, *args: object) -> int:
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if function is None:
        raise OSError(errno.ENOSYS, f"{name}: {os.strerror(errno.ENOSYS)}")
    result = int(function(*args))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def _bytes(text: str) -> bytes | None:
    return os.fsencode(text) or None
