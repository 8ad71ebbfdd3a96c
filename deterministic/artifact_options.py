"""What the user may choose about checking workspaces."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from .sandbox.limits import Limits

FilesRule: TypeAlias = Literal["any", "all"]
"""Whether one right file is enough, or every file a challenge names must be right."""


class ArtifactOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the user may choose about checking workspaces; the defaults do as the original does.

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
