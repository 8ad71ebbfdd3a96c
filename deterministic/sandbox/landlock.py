"""Confine a process with Landlock, which needs no privileges, if namespaces are forbidden.

Writing outside the given folders is denied; if the kernel supports it, so are TCP and signals to processes outside.
Source of the numbers: Linux, ``include/uapi/linux/landlock.h``; system calls: ``asm-generic/unistd.h``.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from .kernel import forgo_new_privileges, syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls."""

_CREATE_RULESET_VERSION = 1
"""Flag that asks for the version instead of a set of rules."""

_PATH_BENEATH = 1
"""Type of a rule on a folder and everything below it."""

_WRITE_FILE = 1 << 1
_WRITE_RIGHTS = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
"""Rights to write, remove and make files and folders."""

_REFER, _TRUNCATE = 1 << 13, 1 << 14
"""Rights to move a file to another folder, and to truncate it."""

_TCP_RIGHTS = 0b11
"""Rights to bind and to connect TCP sockets."""

_SCOPES = 0b11
"""Restrict abstract UNIX sockets and signals to processes inside."""

_REFER_SINCE, _TRUNCATE_SINCE, TCP_SINCE, SCOPES_SINCE = 2, 3, 4, 6
"""Versions of Landlock that introduced these rights."""


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def version() -> int:
    """Return the Landlock version of the running kernel, or 0 without Landlock."""
    try:
        return syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_CREATE_RULESET_VERSION))
    except OSError:
        return 0


def confine_writing(folders: Iterable[Path]) -> None:
    """Forbid this process and its children to change anything outside the folders."""
    kernel_version = version()
    write_rights = _WRITE_RIGHTS | (_REFER if kernel_version >= _REFER_SINCE else 0)
    write_rights |= _TRUNCATE if kernel_version >= _TRUNCATE_SINCE else 0
    attributes = (ctypes.c_uint64 * 3)(
        write_rights,
        _TCP_RIGHTS if kernel_version >= TCP_SINCE else 0,
        _SCOPES if kernel_version >= SCOPES_SINCE else 0,
    )
    # An older kernel refuses a structure with fields that it does not know.
    size = 8 * (1 + (kernel_version >= TCP_SINCE) + (kernel_version >= SCOPES_SINCE))
    ruleset = syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for folder in folders:
            _allow(ruleset, folder, write_rights)
        _allow(ruleset, Path(os.devnull), _WRITE_FILE)
        forgo_new_privileges()
        syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _Rule(rights, descriptor)
        syscall(_ADD_RULE, ctypes.c_int(ruleset), _PATH_BENEATH, ctypes.byref(rule), ctypes.c_uint32(0))
    finally:
        os.close(descriptor)
