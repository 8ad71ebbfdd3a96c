"""Landlock: take rights from an ordinary process; used if namespaces are forbidden.

Writing outside some folders is denied; if the kernel supports it, so are TCP and signals to processes outside.
Source of the numbers: Linux, ``include/uapi/linux/landlock.h``.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from .kernel import forgo_new_privileges, syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_WRITE_FILE = 1 << 1
_WRITING = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_TCP = 0b11
_SCOPES = 0b11
_REFER_SINCE, _TRUNCATE_SINCE, TCP_SINCE, SCOPES_SINCE = 2, 3, 4, 6


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def version() -> int:
    """Return the Landlock version of the running kernel; 0 for none."""
    try:
        return syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    except OSError:
        return 0


def confine_writing(folders: Iterable[Path]) -> None:
    """Deny this process and its children to change anything outside some folders."""
    kernel = version()
    writing = _WRITING | (_REFER if kernel >= _REFER_SINCE else 0)
    writing |= _TRUNCATE if kernel >= _TRUNCATE_SINCE else 0
    attributes = (ctypes.c_uint64 * 3)(
        writing, _TCP if kernel >= TCP_SINCE else 0, _SCOPES if kernel >= SCOPES_SINCE else 0
    )
    size = 8 * (1 + (kernel >= TCP_SINCE) + (kernel >= SCOPES_SINCE))
    rules = syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for folder in folders:
            _allow(rules, folder, writing)
        _allow(rules, Path(os.devnull), _WRITE_FILE)
        forgo_new_privileges()
        syscall(_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0))
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _Rule(rights, descriptor)
        syscall(_ADD_RULE, ctypes.c_int(rules), _PATH_BENEATH, ctypes.byref(rule), ctypes.c_uint32(0))
    finally:
        os.close(descriptor)
