"""What checkers want to know, from the options that the commands with a deterministic stage share."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any

from ..deterministic import CheckOptions
from ..deterministic.checkers import ArtifactOptions
from ..deterministic.registration import load_functions
from ..deterministic.sandbox.limits import Limits
from .own_worlds import own_worlds


def check_options(options: Mapping[str, Any]) -> CheckOptions:
    """Make of the shared checking options what checkers want to know.

    Args:
        options: The values of `options.checking`.

    Returns:
        The options; names are decided later, by system.
    """
    return CheckOptions(
        rules=options["rules"],
        functions=load_functions(options["functions"], Path.cwd()),
        environments=own_worlds(options["environment"]),
        artifacts=artifact_options(options),
    )


def artifact_options(options: Mapping[str, Any]) -> ArtifactOptions:
    """Make of the shared options about workspaces what their checker wants to know.

    Args:
        options: The values of `options.workspaces`.
    """
    seconds = float(options["code_timeout"])
    return ArtifactOptions(
        files=options["files"],
        case_insensitive=options["case_insensitive"],
        whole_word=options["whole_word"],
        allow_code=options["allow_code"],
        limits=Limits(wall_seconds=seconds, cpu_seconds=ceil(seconds)),
    )
