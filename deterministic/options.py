"""Checker options: rule sets, offered names, custom functions and environments, workspaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from .sandbox.limits import Limits

FilesRule: TypeAlias = Literal["any", "all"]
"""Whether one right file is enough, or every file a challenge names must be right."""


class ArtifactOptions(msgspec.Struct, frozen=True, kw_only=True):
    """User's options for checking workspaces; the defaults follow agbenchmark.

    Attributes:
        files: Whether any or all of the chosen files must have the words.
        case_insensitive: True to ignore letter case.
        whole_word: True to find a word only by itself, not within a longer one.
        allow_code: True to run the code in workspaces, in a sandbox.
        limits: Limits on the resources of that code.
    """

    files: FilesRule = "any"
    case_insensitive: bool = False
    whole_word: bool = False
    allow_code: bool = False
    limits: Limits = Limits()


Rules: TypeAlias = Literal["bfcl", "strict"]
"""``bfcl``: verdict for verdict as BFCL; ``strict``: its known faults fixed (docs/bfcl-differences.md)."""

NameStyle: TypeAlias = Literal["dotted", "underscored"]
"""Form in which the system had to write a documented name with dots: unchanged, or with underscores (some providers forbid dots)."""


class CheckOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a checker, beside case and output.

    Attributes:
        rules: The rule set.
        names: Form in which documented names with dots were offered to the system.
        functions: Functions that executable calls may name, by name.
        environments: Custom simulated worlds, by class name, beside the built-in ones.
        artifacts: The user's options for checking workspaces.
    """

    rules: Rules = "strict"
    names: NameStyle = "dotted"
    functions: Mapping[str, Callable[..., Any]] = {}
    environments: Mapping[str, type] = {}
    artifacts: ArtifactOptions = ArtifactOptions()
