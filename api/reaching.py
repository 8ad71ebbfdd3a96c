"""How a model is reached: what a caller says, and the environment variables that stand in for what it does not."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from ..errors import ConfigurationError, UsageError
from ..evaluation.judging.access import ModelAccess
from ..judges import Budget, Endpoint
from ..judges.prices import price_list
from .sources import FilePath

NO_KEY = "none"
"""Sent where a base URL but no key is given: servers of one's own rarely ask for one, and the library insists on one."""


def find_endpoint(base_url: str | None, api_key: str | None, environment: Mapping[str, str]) -> Endpoint:
    """Find out where the model is.

    Args:
        base_url: As given by the caller.
        api_key: As given by the caller.
        environment: Environment variables: ``OPENAI_BASE_URL``, ``OPENAI_API_KEY``; for Azure ``AZURE_OPENAI_ENDPOINT``,
            ``AZURE_OPENAI_API_KEY`` and ``OPENAI_API_VERSION``, as the openai library names them.

    Returns:
        The endpoint.

    Raises:
        ConfigurationError: There is none, or its key is missing.
    """
    azure = environment.get("AZURE_OPENAI_ENDPOINT")
    if base_url is None and azure and environment.get("AZURE_OPENAI_API_KEY"):
        return _azure(azure, api_key or environment["AZURE_OPENAI_API_KEY"], environment)
    base_url = base_url or environment.get("OPENAI_BASE_URL") or None
    key = api_key or environment.get("OPENAI_API_KEY")
    if base_url is None and not key:
        raise ConfigurationError(
            "no model endpoint is configured: set OPENAI_API_KEY, or the base URL of an OpenAI-compatible server "
            "(--base-url, OPENAI_BASE_URL); the model `baseline` and a recording to replay need none"
        )
    return Endpoint(base_url=base_url, api_key=key or NO_KEY)


class Reaching(TypedDict, total=False):
    """How a model is reached, in a caller's words.

    Attributes:
        base_url: An OpenAI-compatible endpoint; ``OPENAI_BASE_URL``, or OpenAI's own, when left out.
        api_key: The key; ``OPENAI_API_KEY`` when left out. Never shown.
        connection: A connection of promptflow's, its name or its file, in place of both.
        record: A file to append every reply to.
        replay: A recording to answer from, in place of any model.
        cache: The reply cache's file; True for the one in the user's cache folder, False for none.
        timeout: Seconds for one call.
        attempts: Failed calls for one request at most.
        max_calls: Calls that may be made, retries included; None for no limit.
        max_cost: US dollars that may be spent; None for no limit.
        patience: How many times as long as usual a call may take before it is asked again; 0 for as long as ``timeout`` says.
        served_by: The only model whose replies are taken, as replies name it.
        prices: What models cost beside the public list, ``[MODEL=]IN/OUT`` in dollars for a million tokens.
        environment: In place of the process's environment variables.
    """

    base_url: str | None
    api_key: str | None
    connection: Any
    record: FilePath | None
    replay: FilePath | None
    cache: FilePath | bool
    timeout: float
    attempts: int
    max_calls: int | None
    max_cost: float | None
    patience: float
    served_by: str | None
    prices: Sequence[str]
    environment: Mapping[str, str]


def model_access(model: str | None, concurrency: int, **given: Unpack[Reaching]) -> ModelAccess:
    """How a model is reached.

    Args:
        model: Its name at the endpoint, whose price a limit on costs needs; None where several are asked.
        concurrency: Calls in flight at most.
        **given: What the caller says.

    Raises:
        UsageError: An argument cannot be used.
        ConfigurationError: No endpoint is named, the recording is not there, or the model's price is needed and not known.
    """
    replay, record, cache = given.get("replay"), given.get("record"), given.get("cache", True)
    timeout, attempts = given.get("timeout", 60.0), given.get("attempts", 6)
    if concurrency < 1 or attempts < 1 or not timeout > 0:
        raise UsageError(
            f"expected concurrency and attempts of at least 1 and some time, got {concurrency}, {attempts}, {timeout:g}"
        )
    if replay is not None and not Path(replay).is_file():
        raise ConfigurationError(f"replay: there is no recording {os.fspath(replay)}")
    return ModelAccess(
        endpoint=None if replay is not None else _endpoint(given),
        concurrency=concurrency,
        timeout=timeout,
        attempts=attempts,
        patience=given.get("patience", 10.0),
        cache=default_cache() if cache is True else Path(cache) if cache else None,
        record=None if record is None else Path(record),
        replay=None if replay is None else Path(replay),
        served_by=given.get("served_by"),
        budget=_budget(given, model),
    )


def default_cache() -> Path:
    """The reply cache in the user's cache folder; shared by all runs."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - who names a cache needs no default

    return user_cache_path("fiducial") / "replies.sqlite"


def _azure(resource: str, key: str, environment: Mapping[str, str]) -> Endpoint:
    version = environment.get("OPENAI_API_VERSION")
    if not version:
        raise ConfigurationError("AZURE_OPENAI_ENDPOINT is set; set OPENAI_API_VERSION, too")
    return Endpoint(base_url=resource, api_key=key, kind="azure", api_version=version)


def _endpoint(given: Reaching) -> Endpoint:
    base_url, api_key, connection = (given.get(name) for name in ("base_url", "api_key", "connection"))
    environment = given.get("environment", os.environ)
    if connection is None:
        return find_endpoint(base_url, api_key, environment)
    if base_url is not None or api_key is not None:
        raise UsageError(
            "a connection says where the model is and how to be let in; leave base_url and api_key out"
        )
    from ..judges.connections import connection_endpoint  # noqa: PLC0415 - few use it

    return connection_endpoint(connection, environment)


def _budget(given: Reaching, model: str | None) -> Budget | None:
    max_calls, max_cost = given.get("max_calls"), given.get("max_cost")
    if max_calls is None and max_cost is None:
        return None
    budget = Budget(max_calls=max_calls, max_cost=max_cost, prices=price_list(given.get("prices", ())))
    if model is not None:
        budget.require_price(model)
    return budget
