"""System calls denied to code: those that hold memory no limit counts, make namespaces of its own, or look into other processes.

A filter in the kernel's own form (seccomp, Linux ``include/uapi/linux/{seccomp,filter,audit}.h``); numbers by machine.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

from . import kernel

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _DENY = 0x7FFF_0000, 0x0005_0000
_OTHER_NUMBERS = 0x4000_0000
_NAMESPACES = 0x7E02_0080
"""Every flag of ``clone`` that makes a namespace."""

_EVERYWHERE = (425, 428, 429, 430, 432, 447)
"""io_uring_setup, open_tree, move_mount, fsopen, fsmount, memfd_secret."""

_CLONE3 = 435


class _Machine:
    """A machine's numbers.

    Args:
        audit: What the kernel calls it.
        clone: The call.
        prlimit: The call.
        socket: The call.
        denied: memfd_create, shmget, msgget, unshare, setns, mount, ptrace, process_vm_readv, process_vm_writev, bpf, perf_event_open,
            userfaultfd, keyctl, add_key, request_key.
    """

    def __init__(self, audit: int, clone: int, prlimit: int, socket: int, *denied: int) -> None:
        self.audit, self.clone, self.prlimit, self.socket = audit, clone, prlimit, socket
        self.denied = (*denied, *_EVERYWHERE)


_MACHINES = {
    "x86_64": _Machine(
        0xC000_003E, 56, 302, 41, 319, 29, 68, 272, 308, 165, 101, 310, 311, 321, 298, 323, 250, 248, 249
    ),
    "aarch64": _Machine(
        0xC000_00B7, 220, 261, 198, 279, 194, 186, 97, 268, 40, 117, 270, 271, 280, 241, 282, 219, 217, 218
    ),
}


def can_filter() -> bool:
    """Whether this kernel filters, and the machine's numbers are known."""
    if sys.platform != "linux" or os.uname().machine not in _MACHINES or sys.maxsize <= 1 << 32:
        return False
    try:
        kernel.filter_calls(None)
    except OSError as error:
        return error.errno == errno.EFAULT  # it would, had there been a filter
    return False


def deny_calls(*, sockets: bool) -> None:
    """Deny them to this process and whatever it starts; new privileges must have been forgone.

    With ``sockets`` those are denied too, but for pairs: nothing of the machine can be spoken to.

    Raises:
        OSError: The kernel does not filter.
    """
    machine = _MACHINES[os.uname().machine]
    denied = (*machine.denied, *((machine.socket,) if sockets else ()))
    program = b"".join(
        [
            *(
                _step(_LOAD, _MACHINE),
                _step(_EQUAL, machine.audit, 1, 0),
                _step(_RETURN, _DENY | errno.ENOSYS),
            ),
            *(
                _step(_LOAD, _NUMBER),
                _step(_AT_LEAST, _OTHER_NUMBERS, 0, 1),
                _step(_RETURN, _DENY | errno.ENOSYS),
            ),
            *(
                _step(_EQUAL, _CLONE3, 0, 1),
                _step(_RETURN, _DENY | errno.ENOSYS),
            ),  # callers fall back to clone
            *(_step(_EQUAL, number, 0, 1) + _step(_RETURN, _DENY | errno.EPERM) for number in denied),
            *(
                _step(_EQUAL, machine.clone, 0, 4),
                _step(_LOAD, _FIRST_ARGUMENT),
                _step(_ANY_BIT, _NAMESPACES, 0, 1),
            ),
            *(_step(_RETURN, _DENY | errno.EPERM), _step(_RETURN, _ALLOW)),
            *(_step(_EQUAL, machine.prlimit, 0, 3), _step(_LOAD, _FIRST_ARGUMENT), _step(_EQUAL, 0, 1, 0)),
            *(_step(_RETURN, _DENY | errno.EPERM), _step(_RETURN, _ALLOW)),
        ]
    )
    steps = ctypes.create_string_buffer(program, len(program))
    kernel.filter_calls(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(steps)))


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
