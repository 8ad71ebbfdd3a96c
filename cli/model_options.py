"""Options that say how a model is reached, and the environment variables behind them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import click

from ..errors import ConfigurationError
from ..evaluation.batch.mode import BatchMode
from ..evaluation.judging.access import ModelAccess
from ..judges import Budget, Endpoint
from ..judges.prices import PriceList, price_list
from .options import INPUT_FILE, Number, compose
from .reply_cache import default_cache

_NO_KEY = "none"
"""Sent where a base URL but no key is given: servers of one's own rarely ask for one, and the library insists on one."""

model_options = compose(
    click.option("--model", metavar="NAME", help="The judging model; `baseline` is the lexical control, no model."),
    click.option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint.  [default: $OPENAI_BASE_URL]"),
    click.option("--api-key-env", metavar="NAME", help="Variable that holds the key.  [default: OPENAI_API_KEY]"),
    click.option("--concurrency", type=click.IntRange(1, 4096), default=64, show_default=True, help="Calls in flight."),
    click.option("--timeout", type=Number(0.1), default=60.0, show_default=True, help="Seconds for one call."),
    click.option("--attempts", type=click.IntRange(1, 20), default=6, show_default=True, help="Failed calls for one request at most."),
    click.option("--patience", type=Number(0), default=10.0, show_default=True, help="Ask again when a call takes so many times as long as usual; 0: never."),
    click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, help="How often each output is judged."),
    click.option("--cache", type=INPUT_FILE, help="The reply cache's file.  [default: in the user's cache folder]"),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the reply cache."),
    click.option("--record", type=INPUT_FILE, help="Also append every reply to this file."),
    click.option("--replay", type=INPUT_FILE, help="Answer from a recording alone; nothing is sent anywhere."),
    click.option("--max-calls", type=click.IntRange(0), metavar="N", help="Make no more calls than this, retries included."),
    click.option("--max-cost", type=Number(0), metavar="USD", help="Spend no more than this."),
    click.option("--price", multiple=True, metavar="[MODEL=]IN/OUT", help="Dollars for a million tokens.  [default: listed prices]"),
    click.option("--batch", is_flag=True, help="Ask by the provider's batch endpoint: cheaper, done within a day."),
    click.option("--poll-seconds", type=Number(0), default=30.0, show_default=True, help="Between looks at a batch."),
    click.option("--dry-run", is_flag=True, help="Say what it would take - calls, tokens, cost - and make no call."),
)  # fmt: skip


def model_access(options: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> ModelAccess:
    """Make of options and environment variables how a model is reached.

    Args:
        options: The values of `model_options`. A dry run needs no endpoint and no key.
        environment: Environment variables.

    Returns:
        The access.

    Raises:
        ConfigurationError: No endpoint is configured, or a key is missing.
    """
    replay: Path | None = options["replay"]
    if replay is not None and not replay.exists():
        raise ConfigurationError(f"--replay {replay}: there is no such recording")
    if options["dry_run"]:
        environment = {"OPENAI_API_KEY": _NO_KEY, **environment}
    return ModelAccess(
        endpoint=None if replay else find_endpoint(options["base_url"], options["api_key_env"], environment),
        concurrency=options["concurrency"],
        timeout=options["timeout"],
        attempts=options["attempts"],
        patience=options["patience"],
        cache=None if options["no_cache"] else options["cache"] or default_cache(),
        record=options["record"],
        replay=replay,
        budget=_budget(options),
    )


def prices(options: Mapping[str, Any]) -> PriceList:
    """What models cost, by the list and by the user's word.

    Args:
        options: The values of `model_options`.

    Returns:
        The prices.

    Raises:
        UsageError: A price cannot be read.
    """
    return price_list(options["price"])


def batch_mode(options: Mapping[str, Any]) -> BatchMode | None:
    """How batches are waited for; None when the model is asked directly.

    Args:
        options: The values of `model_options`.
    """
    return BatchMode(poll_seconds=options["poll_seconds"]) if options["batch"] else None


def _budget(options: Mapping[str, Any]) -> Budget | None:
    if options["max_calls"] is None and options["max_cost"] is None:
        return None
    return Budget(max_calls=options["max_calls"], max_cost=options["max_cost"], prices=prices(options))


def find_endpoint(base_url: str | None, api_key_env: str | None, environment: Mapping[str, str]) -> Endpoint:
    """Find out where the model is.

    Args:
        base_url: As given by option.
        api_key_env: Name of the variable that holds the key, as given by option.
        environment: Environment variables: ``OPENAI_BASE_URL``, ``OPENAI_API_KEY``; for Azure ``AZURE_OPENAI_ENDPOINT``,
            ``AZURE_OPENAI_API_KEY`` and ``OPENAI_API_VERSION``, as the openai library names them.

    Returns:
        The endpoint.

    Raises:
        ConfigurationError: There is none, or its key is missing.
    """
    if api_key_env is not None and not environment.get(api_key_env):
        raise ConfigurationError(f"--api-key-env {api_key_env}: this variable is not set")
    azure = environment.get("AZURE_OPENAI_ENDPOINT")
    if base_url is None and azure and environment.get("AZURE_OPENAI_API_KEY"):
        return _azure(azure, environment, api_key_env)
    base_url = base_url or environment.get("OPENAI_BASE_URL") or None
    if base_url is not None and "@" in base_url.partition("://")[2].partition("/")[0]:
        raise ConfigurationError(
            "--base-url holds a password or key; put it into OPENAI_API_KEY (or --api-key-env)"
        )
    key = environment.get(api_key_env or "OPENAI_API_KEY")
    if base_url is None and not key:
        raise ConfigurationError(
            "no model endpoint is configured: set OPENAI_API_KEY, or name an OpenAI-compatible server with --base-url "
            "(or OPENAI_BASE_URL); `--model baseline` and `--replay FILE` need none"
        )
    return Endpoint(base_url=base_url, api_key=key or _NO_KEY)


def _azure(resource: str, environment: Mapping[str, str], api_key_env: str | None) -> Endpoint:
    version = environment.get("OPENAI_API_VERSION")
    if not version:
        raise ConfigurationError("AZURE_OPENAI_ENDPOINT is set; set OPENAI_API_VERSION, too")
    kind: Literal["azure"] = "azure"
    key = environment[api_key_env or "AZURE_OPENAI_API_KEY"]
    return Endpoint(base_url=resource, api_key=key, kind=kind, api_version=version)
