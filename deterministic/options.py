"""Checker options: rule sets, offered names, custom functions and environments, workspaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from ..records import TextRule
from .sandbox.limits import Limits

FilesRule: TypeAlias = Literal["any", "all"]
"""``any``: one right file is enough; ``all``: every file that a challenge names must be right."""


class ArtifactOptions(msgspec.Struct, frozen=True, kw_only=True):
    """User's options for checking workspaces; the defaults follow agbenchmark.

    Attributes:
        files: Whether any or all of the files must have the words.
        case_insensitive: True to ignore letter case.
        whole_word: True to find only whole words.
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
"""Form of documented names with dots that was offered to the system: unchanged, or with underscores, as some providers require."""


class CheckOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a checker.

    Attributes:
        rules: The rule set.
        names: Form in which documented names with dots were offered to the system.
        text: Strict rules' comparison of texts that neither a reference nor a schema settles; None leaves those open that
            differ only in form.
        functions: Functions for executable calls, by name.
        environments: Custom simulated worlds, by class name.
        artifacts: Options for checking workspaces.
    """

    rules: Rules = "strict"
    names: NameStyle = "dotted"
    text: TextRule | None = None
    functions: Mapping[str, Callable[..., Any]] = {}
    environments: Mapping[str, type] = {}
    artifacts: ArtifactOptions = ArtifactOptions()
