"""Checker options: rule sets, offered names, custom functions and environments, workspaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from ..records import TextRule
from .sandbox.limits import Limits

FilesRule: TypeAlias = Literal["any", "all"]
"""``any``: one file with the expected words is enough; ``all``: every file that a challenge names must have them."""


class ArtifactOptions(msgspec.Struct, frozen=True, kw_only=True):
    """User's options for checking workspaces; the defaults follow agbenchmark.

    Attributes:
        files: Whether any or all of the files must have the expected words.
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
"""Rule set: ``bfcl`` gives the same verdicts as BFCL; ``strict`` fixes BFCL's known faults (docs/bfcl-differences.md)."""

NameStyle: TypeAlias = Literal["dotted", "underscored"]
"""How dotted function names (``math.add``) were offered to the system: unchanged, or with underscores, as some providers require."""


class CheckOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a checker.

    Attributes:
        rules: The rule set.
        names: How dotted function names were offered to the system.
        text: How strict rules compare a text whose form neither reference nor schema prescribes. If None, a difference in form
            only is left undecided.
        functions: Functions for executable calls, by name.
        environments: Custom environments, by class name.
        artifacts: Options for checking workspaces.
    """

    rules: Rules = "strict"
    names: NameStyle = "dotted"
    text: TextRule | None = None
    functions: Mapping[str, Callable[..., Any]] = {}
    environments: Mapping[str, type] = {}
    artifacts: ArtifactOptions = ArtifactOptions()
