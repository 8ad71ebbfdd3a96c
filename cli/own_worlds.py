"""The option ``--environment`` of the commands that show judges what calls do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..deterministic.registration import load_environments


def own_worlds(environment: Sequence[str]) -> Mapping[str, type]:
    """The worlds that the option names, and those that are registered.

    Args:
        environment: The option's values.
    """
    return load_environments(environment, Path.cwd())
