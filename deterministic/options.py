"""Checker options: rule sets, offered names, custom functions and environments, workspaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from .sandbox.limits import Limits

FilesRule: TypeAlias = Literal["any", "all"]
"""Whether one right file is enough, or every file a challenge names must be right."""


class ArtifactOptions(msgspec.Struct, frozen=True, kw_only=True):
    """User's options for checking workspaces; the defaults follow the original.

    Attributes:
        files: Whether any or all of the chosen files must have the words.
        case_insensitive: Whether capital and small letters are the same.
        whole_word: Whether a word must stand by itself instead of within a longer one.
        allow_code: Whether code in workspaces may be run, in a sandbox.
        limits: What that code may use.
    """

    files: FilesRule = "any"
    case_insensitive: bool = False
    whole_word: bool = False
    allow_code: bool = False
    limits: Limits = Limits()


Rules: TypeAlias = Literal["bfcl", "strict"]
"""``bfcl``: verdict for verdict as the original; ``strict``: its known faults fixed (docs/bfcl-differences.md)."""

NameStyle: TypeAlias = Literal["dotted", "underscored"]
"""How the system had to write a documented name with dots: as it is, or with underscores (some providers forbid dots)."""


class CheckOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a checker, beside case and output.

    Attributes:
        rules: Which rule set.
        names: How documented names with dots were offered to the system.
        functions: Functions that executable calls may name, by name.
        environments: Custom simulated worlds, by class name, beside the built-in ones.
        artifacts: What the user chose about checking workspaces.
    """

    rules: Rules = "strict"
    names: NameStyle = "dotted"
    functions: Mapping[str, Callable[..., Any]] = {}
    environments: Mapping[str, type] = {}
    artifacts: ArtifactOptions = ArtifactOptions()
