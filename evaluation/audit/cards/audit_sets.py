"""Shipped sets of probes on which judges are measured, each identified by a hash, its seal."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from ....data import demo_path
from ....errors import InputError
from ....records import InputPath
from ..probe_folder import PROBES

NATURAL = "natural.jsonl"
"""File of a set with references to its natural faults."""

SOURCES = "sources.jsonl"
"""File of a set with the right outputs from which its probes were made, for people to compare."""

CURRENT_SET = "audit-set-1"
"""Set of new cards."""

SEALS = {CURRENT_SET: "70e45971ce091c32cd72fcca838616ab20ed9cb71141252d1eb2d9ec844acd0f"}
"""SHA-256 of each set's manifest, which contains the SHA-256 of each of its files."""

SOURCE_DIGESTS = {CURRENT_SET: "acabf94c0b5db88866b8b00b31591c1b22f062394973ee75e4a16bc3cfefd035"}
"""SHA-256 of each set's right outputs; judges are asked about some of them only."""


class AuditSet(msgspec.Struct, frozen=True):
    """A set's name and seal: two cards are of the same set if these are equal."""

    name: str
    seal: str


def audit_set(name: str = CURRENT_SET) -> tuple[Path, AuditSet]:
    """Return the folder of a shipped set, and the set.

    Raises:
        InputError: The set changed since it was shipped.
    """
    path = demo_path(f"{name}/{PROBES}")
    seal = _digest(path)
    if seal != SEALS[name]:
        raise InputError(f"is not the manifest of {name}: its seal is {seal[:12]}…", path=path)
    return path.parent, AuditSet(name, seal)


def sources_path(name: str) -> Path:
    """Return the file of the right outputs from which a set's probes were made.

    Raises:
        InputError: The file changed since it was shipped.
    """
    path = demo_path(f"{name}/{SOURCES}")
    if _digest(path) != SOURCE_DIGESTS[name]:
        raise InputError(f"is not the file of {name} that was shipped", path=path)
    return path


def _digest(path: InputPath) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
