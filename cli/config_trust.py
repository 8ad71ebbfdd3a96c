"""Team-file settings that need trust: all except those known to be harmless.

An unpacked or cloned folder comes with its author's settings. Those that could do harm are used only from a
file that nobody but the user can write, and only after the user has agreed to exactly this content.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import click
from platformdirs import user_state_path

from ..api.prompt_trust import DECODING_PARAMETERS, parameters_to_trust
from ..errors import UsageError
from ..records import atomic_write
from .file_owner import FileOwner
from .option_sources import words_before_dashes
from .param_types import parameters_of
from .team_file import JUDGE_PARAMETERS, TRUST_OPTION, TRUST_VARIABLE, TeamFile, name_value_pairs

_PARAMETER_OPTIONS = frozenset({JUDGE_PARAMETERS, "judge-parameter", "parameter"})
"""Options whose values are sent to a model as parameters."""

HARMLESS_PARAMETERS = DECODING_PARAMETERS | {
    "logit_bias",
    "min_p",
    "reasoning",
    "repetition_penalty",
    "thinking",
    "top_k",
    "verbosity",
}
"""Decoding parameters that only shape a reply; any other may name tools, files or servers for a model to use."""


def require_trust(team: TeamFile, command: str, table: Mapping[str, Any], harmless: Container[str]) -> None:
    """Require the user's trust in settings that could do harm, then print the file's name.

    Args:
        team: The file.
        command: Its table, for messages.
        table: The settings.
        harmless: Options that name no code, endpoint, cluster or secret, and write and drop nothing; all others need trust.

    Raises:
        UsageError: The file cannot be trusted, or the user has not agreed to it.
    """
    if not table:
        return
    assert team.path is not None
    assert team.owner is not None
    to_trust = {
        name: name + _prompts_to_trust(value)
        for name, value in table.items()
        if _needs_trust(name, value, harmless) or _prompts_to_trust(value)
    }
    settings_to_trust = [*to_trust.values()]
    written_in = _tables_with(to_trust, command, team.model)
    if settings_to_trust and team.owner.problem is not None:
        raise _refusal(team.path, written_in, settings_to_trust, team.owner.problem)
    if settings_to_trust and not _is_agreed(team.path, team.owner, command, settings_to_trust):
        reason = (
            "this may name code, endpoints, secrets or files; look at it, then add "
            f"{TRUST_OPTION} once (in a CI: {TRUST_VARIABLE}=1)"
        )
        raise _refusal(team.path, written_in, settings_to_trust, reason)
    click.echo(f"settings: {team.path}", err=True)


def _tables_with(names: Iterable[str], command: str, model_table: Container[str]) -> str:
    """Return the tables in which settings may stand: the command's, ``[model]``, or either."""
    in_model = [name in model_table for name in names]
    if all(in_model):
        return "[model]"
    return f"{command} or [model]" if any(in_model) else command


def _needs_trust(name: str, value: Any, harmless: Container[str]) -> bool:
    """Return whether a setting could do harm."""
    option = name.replace("_", "-")
    if option in _PARAMETER_OPTIONS:
        return _sends_more_than_decoding(option, value)
    return option not in harmless or _names_an_address(value)


def _sends_more_than_decoding(option: str, value: Any) -> bool:
    """Return whether parameters, as they will be sent, could make a server reach out."""
    if isinstance(value, dict):
        pairs = name_value_pairs(cast("dict[str, Any]", value))
    else:
        pairs = [str(pair) for pair in cast("list[Any]", value if isinstance(value, list) else [value])]
    parameters = parameters_of(f"--{option}", pairs)
    return not parameters.keys() <= HARMLESS_PARAMETERS or "://" in str(parameters)


def _names_an_address(value: Any) -> bool:
    """Return whether a value contains an address, to which credentials might be sent."""
    return any("://" in text for text in _texts(value))


def _prompts_to_trust(value: Any) -> str:
    """Name the prompt files that send more than decoding parameters, in brackets."""
    parameters_by_prompt = {text: names for text in _texts(value) if (names := parameters_to_trust(text))}
    return "".join(f" ({text} sends {', '.join(names)})" for text, names in parameters_by_prompt.items())


def _texts(value: Any) -> list[str]:
    values: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str)]


def _refusal(path: Path, tables: str, options: Sequence[str], reason: str) -> UsageError:
    return UsageError(f"{path}: {tables} {', '.join(options)}: not taken from this file: {reason}")


def _is_agreed(path: Path, owner: FileOwner, command: str, settings_to_trust: Sequence[str]) -> bool:
    if os.environ.get(TRUST_VARIABLE) == "1":
        return True
    agreements_file = user_state_path("fiducial") / "trusted.json"
    agreements = _agreements(agreements_file)
    if agreements.get(str(path.resolve())) == owner.sha256:
        return True
    question = f"{path}: {command} sets {', '.join(settings_to_trust)}. Trust this file?"
    if TRUST_OPTION not in words_before_dashes(sys.argv) and not (
        on_terminal() and click.confirm(question, err=True)
    ):
        return False
    with atomic_write(agreements_file) as file:
        file.write(json.dumps(agreements | {str(path.resolve()): owner.sha256}, indent=2).encode("utf-8"))
    return True


def on_terminal() -> bool:
    """Return whether a user can be asked on a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _agreements(agreements_file: Path) -> dict[str, str]:
    """Return hashes of agreed contents by path; an unreadable record counts as no agreement."""
    try:
        agreements: Any = json.loads(agreements_file.read_bytes())
    except (OSError, ValueError):
        return {}
    return cast("dict[str, str]", agreements) if isinstance(agreements, dict) else {}
