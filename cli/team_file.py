"""``fiducial.toml``: option values that a team shares, read from the working folder and its parents."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, cast

from ..errors import InputError

NAME = "fiducial.toml"

MODEL_COMMANDS = ("run", "judge")
"""Commands that take the settings below ``[model]``."""


def read_team_file(folder: Path) -> dict[str, dict[str, Any]]:
    """Find the team's file and turn it into default values of options.

    A table named like a command holds its options, without the dashes in front; ``[model]`` holds what every command
    that asks a model takes. What is typed on the command line wins.

    Args:
        folder: Where to begin looking; the parents follow.

    Returns:
        Command to parameter to value, as click's ``default_map`` wants it; empty when there is no such file.

    Raises:
        InputError: The file is not TOML, or holds something other than tables.
    """
    path = next((parent / NAME for parent in (folder, *folder.parents) if (parent / NAME).is_file()), None)
    if path is None:
        return {}
    try:
        tables: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"cannot be read as TOML: {error}", path=path) from error
    defaults: dict[str, dict[str, Any]] = {}
    for name, content in tables.items():
        if not isinstance(content, dict):
            raise InputError("expected a table named like a command, or [model]", path=path, field=name)
        table = cast("dict[str, Any]", content)
        for command in MODEL_COMMANDS if name == "model" else (name,):
            defaults.setdefault(command, {}).update(
                {key.replace("-", "_"): value for key, value in table.items()}
            )
    return defaults
