"""``fiducial.toml``: option values that a team shares.

The file is read from the working folder and its parents within the project.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from ..errors import InputError, UsageError

if TYPE_CHECKING:
    from .file_owner import FileOwner

NAME = "fiducial.toml"
"""Name of the team file."""
TRUST_OPTION = "--trust-config"
"""Option with which the user trusts the team file as it is now."""
TRUST_VARIABLE = "FIDUCIAL_TRUST_CONFIG"
"""Variable that stands in for the option where nobody can be asked."""

JUDGE_PARAMETERS = "judge-parameters"
"""Name of the table of judges' decoding parameters."""

MODEL_COMMANDS = (("run",), ("judge",), ("audit", "run"))
"""Commands that use the settings below ``[model]``. `compare` uses them only with ``--judge``; see `TeamFile.settings_for`."""


class TeamFile(NamedTuple):
    """Settings of the team file.

    Attributes:
        path: Path of the file, or None if there is none.
        defaults: Values of options, by command and option, for `default_values`.
        owner: Owner and hash of the file, for `config_trust`.
        model: Settings below ``[model]``.
    """

    path: Path | None = None
    defaults: dict[str, dict[str, Any]] = {}
    owner: FileOwner | None = None
    model: dict[str, Any] = {}

    def settings_for(self, command: str, args: list[str]) -> dict[str, Any] | None:
        """Return the file's settings for a command with these arguments, or None if there are none."""
        table = self.defaults.get(command)
        if command == "compare" and any(arg.partition("=")[0] == "--judge" for arg in args):
            merged: dict[str, Any] = {}
            _update_deeply(merged, self.model)
            _update_deeply(merged, table or {})
            return merged or None
        return table


def read_team_file(folder: Path, home: Path | None = None) -> TeamFile:
    """Find the team file and return its default values of options.

    A table named like a command (``[run]``, ``[audit.run]``) holds its options, without the dashes in front; ``[model]``
    holds options of `run`, `judge`, `audit run`, and `compare` with ``--judge``. The command line wins. The file is looked up in
    a folder and its parents, up to the project's root, or the user's home.

    Raises:
        InputError: The file is not TOML, or holds something other than tables.
    """
    path = next(
        (
            project_folder / NAME
            for project_folder in _project_folders(folder, home)
            if (project_folder / NAME).is_file()
        ),
        None,
    )
    if path is None:
        return TeamFile()
    import tomllib  # most folders have no such file

    from .file_owner import read_with_owner

    try:
        content, owner = read_with_owner(path)
        tables: dict[str, Any] = tomllib.loads(content.decode("utf-8"))
    except (ValueError, OSError) as error:  # not TOML, not UTF-8, or a number with thousands of digits
        raise InputError(f"cannot be read as TOML: {error}", path=path) from error
    except RecursionError as error:
        raise InputError("cannot be read as TOML: it is nested too deeply", path=path) from error
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise InputError("expected a table named like a command, or [model]", path=path, field=name)
    model_table: dict[str, Any] = tables.get("model", {})
    return TeamFile(path, _settings_by_command(tables), owner, model_table)


def _project_folders(folder: Path, home: Path | None) -> Iterator[Path]:
    """Yield the folder and its parents up to the root of its repository.

    Without a repository the home folder is the last. Outside of both, only the folder itself is yielded.
    """
    folders = [folder, *folder.parents]
    last = next((path for path in folders if (path / ".git").exists()), home or Path.home())
    return iter(folders[: folders.index(last) + 1] if last in folders else [folder])


def _settings_by_command(tables: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settings of each command, those below ``[model]`` included."""
    defaults: dict[str, dict[str, Any]] = {}
    model_table = tables.get("model", {})
    for command in MODEL_COMMANDS if model_table else ():
        _update_deeply(_table_at(defaults, command), model_table)
    for name, content in tables.items():
        if name != "model":
            _update_deeply(_table_at(defaults, (name,)), content)
    return defaults


def default_values(command: click.Command, table: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the parameters of the options in a table.

    Options are spelled as on the command line. A group has one table per command.

    Raises:
        UsageError: The command has no such option, or accepts only one value; the group has no such command.
    """
    if isinstance(command, click.Group):
        unknown = [
            key for key, value in table.items() if key not in command.commands or not isinstance(value, dict)
        ]
        if unknown:
            raise UsageError(f"{NAME}: [{name}] {unknown[0]}: `fiducial {name}` has no such command")
        return {key: default_values(command.commands[key], table[key], f"{name} {key}") for key in table}
    table_name = f"{NAME}: [{name}]" + " or [model]" * (tuple(name.split()) in MODEL_COMMANDS)
    params = {opt.lstrip("-"): param for param in command.params for opt in param.opts}
    values: dict[str, Any] = {}
    for key, value in map(_as_option, table.items()):
        param = params.get(_dashed(key))
        if param is None:
            raise UsageError(f"{table_name} {key}: `fiducial {name}` has no such option")
        is_repeatable = isinstance(param, click.Option) and param.multiple
        if isinstance(value, dict) or (isinstance(value, list) and not is_repeatable):
            raise UsageError(f"{table_name} {key}: expected one value, got {value!r}")
        values[param.name] = [value] if is_repeatable and not isinstance(value, list) else value
    return values


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _as_option(entry: tuple[str, Any]) -> tuple[str, Any]:
    """Return a setting as the value of its option.

    A table of judges' parameters becomes one NAME=VALUE each.
    """
    key, value = entry
    if _dashed(key) != JUDGE_PARAMETERS or not isinstance(value, dict):
        return entry
    return "judge-parameter", name_value_pairs(cast("dict[str, Any]", value))


def name_value_pairs(parameters: Mapping[str, Any]) -> list[str]:
    """Return a table of judges' parameters as one NAME=VALUE each."""
    return [
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in parameters.items()
    ]


def _table_at(defaults: dict[str, dict[str, Any]], command: tuple[str, ...]) -> dict[str, Any]:
    table: dict[str, Any] = defaults
    for name in command:
        table = table.setdefault(name, {})
    return table


def _update_deeply(settings: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """Change settings, table by table.

    Tables are copied, since several commands have those below ``[model]``. An option is the same with dashes and with
    underscores; names of judges' parameters are not changed.
    """
    for name, value in changes.items():
        key = next((setting for setting in settings if _dashed(setting) == _dashed(name)), name)
        if _dashed(name) == JUDGE_PARAMETERS and isinstance(value, dict):
            before: Any = settings.get(key)
            parameters = cast("dict[str, Any]", value)
            settings[key] = {**before, **parameters} if isinstance(before, dict) else dict(parameters)
        elif isinstance(value, dict):
            table = settings[key] = dict(settings[key]) if isinstance(settings.get(key), dict) else {}
            _update_deeply(table, cast("dict[str, Any]", value))
        else:
            settings[key] = value
