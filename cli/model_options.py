"""Options for access to models and for juries, and structs of typed options."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..api.model_access import exposed_keys, judging_api, latest_warnings, use_lines
from ..api.model_access import model_access as api_model_access
from ..errors import ConfigurationError, UsageError
from ..settings.access_settings import AccessSettings, DryRunSettings
from ..settings.judging_settings import JurySettings
from ..settings.setting import DeclaredSettings, names_of
from .notes import note
from .option_sources import from_team_file, require_untyped

if TYPE_CHECKING:
    from ..api.run_files import JuryRule, ModelAccess

Options = TypeVar("Options", bound=DeclaredSettings)


def select_options(verb: type[Options], values: Mapping[str, Any]) -> Options:
    """Return the settings of a verb or part among the values of a command."""
    return verb(**{name: values[name] for name in names_of(verb) if name in values})


def model_access(options: AccessSettings, environment: Mapping[str, str] = os.environ) -> ModelAccess:
    """Return access to a model from options and environment variables.

    A dry run needs no endpoint and no key.

    Raises:
        ConfigurationError: No endpoint is configured, or a key is missing.
    """
    replay = options.replay
    is_forecast = isinstance(options, DryRunSettings) and options.dry_run
    if is_forecast:
        environment = _with_placeholders(options, environment)
    endpoints = _endpoints(options)
    connection = None if replay or endpoints else _connection(options)
    access = api_model_access(
        None,
        options.concurrency,
        endpoints=endpoints,
        on_endpoint_usage=lambda uses: [click.echo(line, err=True) for line in use_lines(uses)],
        base_url=None if connection or endpoints else options.base_url,
        api_key=None if connection or replay else _key(options.api_key_env, environment),
        connection=connection,
        record=options.record,
        replay=replay,
        cache=not options.no_cache and (options.cache or True),
        timeout=options.timeout,
        attempts=options.attempts,
        patience=options.patience,
        served_by=options.expect_served_by,
        max_calls=options.max_calls,
        max_cost=options.max_cost,
        prices=options.price,
        environment=environment,
    )
    judges: Sequence[object] = getattr(options, "judges", ())
    version_warnings = latest_warnings(judges, getattr(options, "model", None), judging_api(options))
    for warning in (*version_warnings, *(() if is_forecast else exposed_keys(access))):
        note(warning)
    return access


def _with_placeholders(options: AccessSettings, environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables; a missing key or version gets its own name as a placeholder."""
    keys = re.findall(r"key[-_]env=([^,]+)", ",".join(options.endpoints))
    names = ["OPENAI_API_KEY", "OPENAI_API_VERSION", *keys, *filter(None, [options.api_key_env])]
    return {**environment, **{name: environment.get(name) or name for name in names}}


def _endpoints(options: AccessSettings) -> Sequence[str]:
    """Return the endpoints, unless typed options override those of the team file."""
    other_options = [name for name in ("base_url", "connection") if getattr(options, name) is not None]
    endpoints = options.endpoints
    if not endpoints or not other_options:
        return endpoints
    if from_team_file("endpoints") == from_team_file(*other_options):
        raise UsageError(f"--endpoint has the address; drop --{other_options[0].replace('_', '-')}")
    return () if from_team_file("endpoints") else endpoints


def _connection(options: AccessSettings) -> str | None:
    """Return the connection, unless typed options override that of the team file."""
    other_options = [name for name in ("base_url", "api_key_env") if getattr(options, name) is not None]
    connection = options.connection
    if connection is None or not other_options:
        return connection
    if from_team_file("connection") == from_team_file(*other_options):
        raise UsageError(
            f"--connection has the address and the key; drop --{other_options[0].replace('_', '-')}"
        )
    return None if from_team_file("connection") else connection


def _key(api_key_env: str | None, environment: Mapping[str, str]) -> str | None:
    """Return the key in the named variable, or None if no variable is named."""
    if api_key_env is None:
        return None
    if not environment.get(api_key_env):
        raise ConfigurationError(f"--api-key-env {api_key_env}: this variable is not set")
    return environment[api_key_env]


def jury_of(options: JurySettings) -> JuryRule | None:
    """Return the rule of a jury, or None without one."""
    if options.split_model is not None and not options.split_statements:
        raise UsageError("--split-model goes with --split-statements")
    if options.jury != "escalate":
        require_untyped(["unsure"], "goes with --jury escalate")
    if options.jury is None:
        if options.weights is not None:
            raise UsageError("--weights goes with --jury")
        return None
    from ..api.run_files import jury_rule

    low, high = _numbers("--unsure", options.unsure, "-", 2)
    if not low <= high:
        raise UsageError(f"--unsure: expected LOW-HIGH, got {options.unsure!r}; it holds no score")
    weights = () if options.weights is None else _numbers("--weights", options.weights, ",", None)
    return jury_rule(options.jury, weights, (low, high))


def _numbers(option: str, text: str, separator: str, count: int | None) -> tuple[float, ...]:
    try:
        numbers = tuple(map(float, text.split(separator)))
    except ValueError:
        numbers = ()
    if not numbers or (count is not None and len(numbers) != count):
        raise UsageError(f"{option}: expected numbers separated by {separator!r}, got {text!r}")
    return numbers
