"""Deny system calls that evade the sandbox's limits, namespaces and network.

The filter is a program for the kernel (seccomp, classic BPF). Source of its numbers: Linux,
``include/uapi/linux/{seccomp,filter,audit}.h``. Numbers of system calls depend on the machine.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator
from typing import NamedTuple

from . import kernel

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""Instructions: load a word of the call's data; skip steps if it is equal, at least, or has any of the bits; return an answer."""

_NUMBER_OFFSET, _MACHINE_OFFSET, _ARGUMENT_OFFSET = 0, 4, 16
"""Positions in ``struct seccomp_data``: the call's number, the machine, the first argument."""

_ALLOW, _DENY = 0x7FFF_0000, 0x0005_0000
"""Answers; an error number is added to ``_DENY``."""

_FIRST_X32_NUMBER = 0x4000_0000
"""Beginning of a second set of numbers for the same calls, on x86-64."""

_NAMESPACE_FLAGS = 0x7E02_0080
"""All flags of ``clone`` that make a namespace."""

_ALL_PROCESSES = 0xFFFF_FFFF
"""Argument -1 of ``kill``, as the kernel's unsigned number."""

_DENIED_ON_ALL_MACHINES = (425, 428, 429, 430, 432, 447)
"""io_uring_setup, open_tree, move_mount, fsopen, fsmount, memfd_secret."""

_CLONE3, _FCHMODAT2 = 435, 452

_ALLOWED_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: families of sockets that a network namespace confines.

It does not confine AF_VSOCK, which reaches the host of a virtual machine.
"""


class _Machine(NamedTuple):
    """Numbers of system calls on a machine.

    Attributes:
        audit: The kernel's number for the machine (``AUDIT_ARCH_...``).
        modes: chmod, fchmod, fchmodat, if the machine has them.
        denied: memfd_create, shmget, msgget, unshare, setns, mount, ptrace, process_vm_readv, process_vm_writev, bpf, perf_event_open,
            userfaultfd, keyctl, add_key, request_key.
    """

    audit: int
    clone: int
    prlimit: int
    socket: int
    socketpair: int
    kill: int
    modes: tuple[int, ...]
    denied: tuple[int, ...]


_MACHINES = {
    "x86_64": _Machine(
        0xC000_003E, clone=56, prlimit=302, socket=41, socketpair=53, kill=62, modes=(90, 91, 268),
        denied=(319, 29, 68, 272, 308, 165, 101, 310, 311, 321, 298, 323, 250, 248, 249),
    ),
    "aarch64": _Machine(
        0xC000_00B7, clone=220, prlimit=261, socket=198, socketpair=199, kill=129, modes=(52, 53),
        denied=(279, 194, 186, 97, 268, 40, 117, 270, 271, 280, 241, 282, 219, 217, 218),
    ),
}  # fmt: skip


def can_filter() -> bool:
    """Return whether the kernel filters calls and this machine's call numbers are known."""
    if sys.platform != "linux" or os.uname().machine not in _MACHINES or sys.maxsize <= 1 << 32:
        return False
    try:
        kernel.filter_calls(None)
    except OSError as error:
        return error.errno == errno.EFAULT  # refused only because there was no filter program
    return False


def deny_calls(*, others: bool = False, modes: bool = False) -> None:
    """Deny the calls to this process and its children; call `kernel.forgo_new_privileges` first.

    Sockets of families that are not in `_ALLOWED_FAMILIES` fail as on a machine without them.

    Args:
        others: True to deny sockets, except pairs, and signals to all processes, too.
        modes: True to let changes of a file's mode seem to succeed but do nothing, since Landlock cannot limit them to some files.
    """
    program = _program(_MACHINES[os.uname().machine], others=others, modes=modes)
    steps = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: the number of steps, of 8 bytes each, and their address.
    kernel.filter_calls(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(steps)))


def _program(machine: _Machine, *, others: bool, modes: bool) -> bytes:
    denied = (*machine.denied, *_DENIED_ON_ALL_MACHINES, *((machine.socket,) if others else ()))
    # An answer without an error number makes the call return 0 and do nothing.
    pretended = (*machine.modes, _FCHMODAT2) if modes else ()
    refuse, allow, unknown = _DENY | errno.EPERM, _ALLOW, _DENY | errno.ENOSYS
    # The last two numbers of a step say how many steps to skip; see `_step`.
    kill_all = (
        _step(_EQUAL, machine.kill, 0, 4),
        _step(_LOAD, _ARGUMENT_OFFSET),
        _step(_EQUAL, _ALL_PROCESSES, 0, 1),
    )
    return b"".join(
        [
            *(_step(_LOAD, _MACHINE_OFFSET), _step(_EQUAL, machine.audit, 1, 0), _step(_RETURN, unknown)),
            *(_step(_LOAD, _NUMBER_OFFSET), _step(_AT_LEAST, _FIRST_X32_NUMBER, 0, 1), _step(_RETURN, unknown)),
            _answer_step(_CLONE3, unknown),  # callers fall back to clone
            *(_answer_step(number, refuse) for number in denied),
            *_socket_steps(machine),
            *((*kill_all, _step(_RETURN, refuse), _step(_RETURN, allow)) if others else ()),
            *(_answer_step(number, _DENY) for number in pretended),
            # clone is refused if it makes a namespace, prlimit if it is about another process.
            *(_step(_EQUAL, machine.clone, 0, 4), _step(_LOAD, _ARGUMENT_OFFSET), _step(_ANY_BIT, _NAMESPACE_FLAGS, 0, 1)),
            *(_step(_RETURN, refuse), _step(_RETURN, allow)),
            *(_step(_EQUAL, machine.prlimit, 0, 3), _step(_LOAD, _ARGUMENT_OFFSET), _step(_EQUAL, 0, 1, 0)),
            *(_step(_RETURN, refuse), _step(_RETURN, allow)),
        ]
    )  # fmt: skip


def _socket_steps(machine: _Machine) -> Iterator[bytes]:
    """Yield steps that allow only some socket families; the kernel reads 32 bits of a family."""
    yield _step(_EQUAL, machine.socket, 1, 0)
    # Other calls skip the steps below. An allowed family skips to the last of them.
    yield _step(_EQUAL, machine.socketpair, 0, len(_ALLOWED_FAMILIES) + 3)
    yield _step(_LOAD, _ARGUMENT_OFFSET)
    for count, family in enumerate(_ALLOWED_FAMILIES):
        yield _step(_EQUAL, family, len(_ALLOWED_FAMILIES) - count, 0)
    yield _step(_RETURN, _DENY | errno.EAFNOSUPPORT)
    yield _step(_RETURN, _ALLOW)


def _answer_step(number: int, answer: int) -> bytes:
    """Return the steps that answer a call by its number, and otherwise go on."""
    return _step(_EQUAL, number, 0, 1) + _step(_RETURN, answer)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return a ``struct sock_filter``; comparisons skip ``if_true`` or ``if_false`` steps."""
    return struct.pack("HBBI", code, if_true, if_false, value)
