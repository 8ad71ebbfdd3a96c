"""Access to models: callers' arguments, environment variables, several endpoints."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack

from ..errors import ConfigurationError, UsageError
from ..evaluation.judging.access import ModelAccess
from ..judges.transport.budget import Budget
from ..judges.transport.decision_apis import API_NAMES, DECISION_APIS
from ..judges.transport.endpoint import Endpoint, EndpointGroup, EndpointShare, EndpointUse
from ..judges.transport.exchange import ApiName
from ..settings.access_settings import AccessSettings
from ..spelling import setting
from .argument_checks import require_declared, require_range, require_type, require_whole
from .paths import FilePath, input_path, written_path
from .price_memory import known_prices

EndpointLike: TypeAlias = str | Mapping[str, Any]
"""``URL[,key-env=NAME][,weight=W][,model=NAME][,concurrency=N][,api=NAME][,path=PATH]``, or ``connection=NAME|FILE`` instead of the
URL; or a mapping with ``base_url``, ``api_key`` or ``key_env``, ``weight``, ``model``, ``concurrency``, ``connection``, ``api``, ``path``."""

_ENDPOINT_OPTIONS = ("key_env", "weight", "model", "concurrency", "connection", "api", "path")
_OPTION = re.compile(r"(?:^|,)([a-z][a-z_-]*)=")
_MAX_SLOTS = 4096
"""Maximum number of calls in flight to one endpoint."""
NO_KEY = "none"
"""Sent for a base URL without a key: local servers rarely need one, but the openai library insists."""


def find_endpoint(base_url: str | None, api_key: str | None, environment: Mapping[str, str]) -> Endpoint:
    """Find the model's endpoint from arguments or the openai library's environment variables.

    Azure's variables come first if there is a key for Azure: ``api_key`` or ``AZURE_OPENAI_API_KEY``, but not ``OPENAI_API_KEY``.

    Raises:
        ConfigurationError: There is no endpoint, or its key is missing.
    """
    azure = environment.get("AZURE_OPENAI_ENDPOINT")
    azure_key = api_key or environment.get("AZURE_OPENAI_API_KEY")
    if base_url is None and azure and azure_key:
        return _azure_endpoint(azure, azure_key, environment)
    base_url = base_url or environment.get("OPENAI_BASE_URL") or None
    key = api_key or environment.get("OPENAI_API_KEY")
    if base_url is None and not key:
        raise ConfigurationError(
            f"no model endpoint is configured: set OPENAI_API_KEY, or the base URL of an OpenAI-compatible server ({setting('base_url')}, OPENAI_BASE_URL); the model `baseline` and a recording to replay need none"
        )
    return Endpoint(base_url=base_url, api_key=key or NO_KEY)


def _azure_endpoint(resource: str, key: str, environment: Mapping[str, str]) -> Endpoint:
    version = environment.get("OPENAI_API_VERSION")
    if not version:
        raise ConfigurationError("AZURE_OPENAI_ENDPOINT is set; set OPENAI_API_VERSION, too")
    return Endpoint(base_url=resource, api_key=key, kind="azure", api_version=version)


def shares_of(
    endpoints: EndpointLike | Sequence[EndpointLike],
    concurrency: int,
    api_key: str | None,
    environment: Mapping[str, str],
) -> tuple[EndpointShare, ...]:
    """Return the endpoints of a run, each with its share of the calls.

    An endpoint that names no key uses ``api_key``, or else ``OPENAI_API_KEY``.
    """
    endpoint_list = [endpoints] if isinstance(endpoints, (str, Mapping)) else endpoints
    shares = [
        _endpoint_share(_fields(endpoint), concurrency, api_key, environment) for endpoint in endpoint_list
    ]
    if len(apis := sorted({share.endpoint.api for share in shares})) > 1:
        raise UsageError(
            f"{setting('endpoints')}: one judge is asked in one protocol, got api={' and api='.join(apis)}"
        )
    for index, share in enumerate(shares):
        if any(
            (earlier_share.endpoint, earlier_share.model) == (share.endpoint, share.model)
            for earlier_share in shares[:index]
        ):
            raise UsageError(
                f"{setting('endpoints', share.endpoint.base_url)}: named twice with the same key and model"
            )
    return tuple(shares)


def _endpoint_share(
    fields: Mapping[str, Any], concurrency: int, api_key: str | None, environment: Mapping[str, str]
) -> EndpointShare:
    for name in ("base_url", "api_key", "key_env", "model"):
        require_type(name, fields.get(name), "str | None")
    weight, calls_in_flight = fields.get("weight", 1), fields.get("concurrency")
    if not _is_number(weight) or not 0 < weight <= _MAX_SLOTS:
        raise UsageError(
            f"{setting('endpoints')}: expected a weight above 0 and at most {_MAX_SLOTS:,}, got {_number_or_repr(weight)}"
        )
    if calls_in_flight is None:
        calls_in_flight = max(1, round(concurrency * weight))
        if calls_in_flight > _MAX_SLOTS:
            raise UsageError(
                f"{setting('endpoints')}: weight {_number_or_repr(weight)} times {setting('concurrency', f'{concurrency:,}')} is above {_MAX_SLOTS:,} calls in flight"
            )
    if (
        not isinstance(calls_in_flight, int)
        or isinstance(calls_in_flight, bool)
        or not 1 <= calls_in_flight <= _MAX_SLOTS
    ):
        raise UsageError(
            f"{setting('endpoints')}: expected calls in flight from 1 to {_MAX_SLOTS:,}, got {_number_or_repr(calls_in_flight)}"
        )
    return EndpointShare(
        _endpoint_of_fields(fields, api_key, environment), calls_in_flight, fields.get("model")
    )


def _endpoint_of_fields(
    fields: Mapping[str, Any], api_key: str | None, environment: Mapping[str, str]
) -> Endpoint:
    api = _api(fields.get("api"))
    path = fields.get("path")
    if path is not None and (api == "chat" or not isinstance(path, str)):
        raise UsageError(
            f"{setting('endpoints')}: path is that of decisions; name their protocol, too: api={'|'.join(DECISION_APIS)}"
        )
    connection, url, variable = (fields.get(name) for name in ("connection", "base_url", "key_env"))
    if connection is not None:
        if url is not None or variable is not None or fields.get("api_key") is not None:
            raise UsageError(
                f"{setting('endpoints')}: the connection has the address and the key; drop the URL, key_env and api_key"
            )
        from ..judges.connections import connection_endpoint  # noqa: PLC0415 - few use it

        return replace(connection_endpoint(connection, environment), api=api, path=path)
    if variable is not None and not environment.get(variable):
        raise ConfigurationError(
            f"{setting('endpoints', url or '')},key-env={variable}: this variable is not set"
        )
    key = fields.get("api_key") or (environment[variable] if variable is not None else api_key)
    return replace(find_endpoint(url, key, environment), api=api, path=path)


def _api(name: object) -> ApiName:
    """Return a protocol by its name; ``chat`` if none is named."""
    if name is None:
        return "chat"
    if name not in API_NAMES:
        raise UsageError(f"{setting('endpoints')}: expected api={'|'.join(API_NAMES)}, got {name!r}")
    return name


def api_of(api: str | None, endpoints: EndpointLike | Sequence[EndpointLike]) -> ApiName:
    """Return the protocol that the endpoints name, or ``api`` if there are none.

    It is never guessed from an address, since servers use one path for several protocols.
    """
    endpoint_list = [endpoints] if isinstance(endpoints, (str, Mapping)) else endpoints
    apis: set[ApiName] = {_api(_fields(endpoint).get("api")) for endpoint in endpoint_list}
    if api is not None and endpoint_list:
        raise UsageError("endpoints name their own protocols: drop api")
    return apis.pop() if len(apis) == 1 else _api(api)


def judging_api(settings: AccessSettings) -> ApiName:
    """Return the protocol of the judging model's endpoint, by a command's settings."""
    return api_of(None, settings.endpoints)


def latest_warnings(judges: Iterable[object], model: str | None, api: ApiName) -> Iterator[str]:
    """Yield a warning for each name of a decision model that names no version.

    Args:
        judges: Judges as users name them, ``NAME`` or ``NAME@MODEL``.
        model: Model of judges that name none.
        api: Protocol in which they are asked.
    """
    if api == "chat":
        return
    from ..evaluation.judging.tasks import split_spec  # noqa: PLC0415 - only for decision models

    own_models = [split_spec(str(judge))[1] for judge in judges]
    for name in dict.fromkeys([model, *own_models]):
        if name is not None and name.endswith("latest"):
            yield f"{name}: this name moves to new versions, whose probabilities and thresholds differ; name a version, or compare what {setting('expect_served_by', 'VERSION')} accepts"


def _fields(endpoint: EndpointLike) -> Mapping[str, Any]:
    if isinstance(endpoint, str):
        return _parse_endpoint(endpoint)
    if not isinstance(endpoint, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are not all typed
        raise UsageError(f"endpoints: expected a URL or a mapping, got {type(endpoint).__name__}")
    unknown = sorted(endpoint.keys() - {"base_url", "api_key", *_ENDPOINT_OPTIONS})
    if unknown:
        raise UsageError(
            f"endpoints: unknown key {unknown[0]!r}; known are base_url, api_key, {', '.join(_ENDPOINT_OPTIONS)}"
        )
    return endpoint


def _parse_endpoint(text: str) -> Mapping[str, Any]:
    """Parse ``URL,NAME=VALUE,...``.

    Keys themselves are not accepted, since other users can read command lines.
    """
    options = list(_OPTION.finditer(text))
    url = text[: options[0].start()] if options else text
    fields: dict[str, Any] = {"base_url": url} if url else {}
    # A value ends where the next option begins, so it may contain commas.
    ends = [*(match.start() for match in options[1:]), len(text)]
    for option, end in zip(options, ends, strict=False):
        name, value = option[1].replace("-", "_"), text[option.end() : end]
        if name not in _ENDPOINT_OPTIONS or not value or name in fields:
            names = ", ".join(literal.replace("_", "-") for literal in _ENDPOINT_OPTIONS)
            raise UsageError(
                f"{setting('endpoints')}{url and f' {url}'}: expected each of {names} once with a value, got {option[1]!r}"
            )
        fields[name] = _number(value) if name in {"weight", "concurrency"} else value
    return fields


def _number(text: str) -> float | int | str:
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return text


def _number_or_repr(value: Any) -> str:
    return f"{value:,}" if _is_number(value) else repr(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def use_lines(uses: Iterable[EndpointUse]) -> Iterator[str]:
    """Yield one line per endpoint: replies, rate limits, timeouts and failures."""
    for use in uses:
        parts = [f"{use.replies:,} {'reply' if use.replies == 1 else 'replies'}"]
        if use.rate_limited:
            parts.append(f"{use.rate_limited:,} refused by a rate limit")
        if use.given_up:
            parts.append(f"{use.given_up:,} timed out and were sent elsewhere")
        if use.failures:
            parts.append(f"{use.failures:,} failed, the last: {use.last_error}")
        yield f"endpoint {use.name}: {', '.join(parts)}"


class AccessArguments(TypedDict, total=False):
    """Arguments for access to a model.

    Attributes:
        base_url: An OpenAI-compatible endpoint; by default ``OPENAI_BASE_URL``, or OpenAI's own.
        api_key: The key; by default ``OPENAI_API_KEY``. Never shown.
        api: Protocol of a decision model: ``systemone``, ``decisions`` (OpenAI's) or ``gemini``; by default ``chat``.
        connection: A promptflow connection, by name or file, instead of ``base_url`` and ``api_key``.
        endpoints: Several endpoints instead of one; see `EndpointLike`.
        on_endpoint_usage: Called at the end with each endpoint's replies and failures.
        record: A file to append every reply to.
        replay: A recording to answer from, instead of a model.
        cache: The reply cache's file; True for the one in the user's cache folder, False for none.
        timeout: Time limit of one call, in seconds.
        attempts: Maximum failed calls per request.
        max_calls: Maximum calls, retries included, or None for no limit.
        max_cost: Maximum US dollars to spend, or None for no limit.
        patience: Multiple of a call's usual time after which it is retried; 0 to wait for ``timeout``.
        served_by: The only model, as named in replies, whose replies are accepted.
        prices: Prices in addition to the public list, ``[MODEL=]IN/OUT[/CACHED]`` in dollars for a million tokens.
        environment: Environment variables instead of the process's.
    """

    base_url: str | None
    api_key: str | None
    api: str | None
    connection: Any
    endpoints: EndpointLike | Sequence[EndpointLike]
    on_endpoint_usage: Callable[[list[EndpointUse]], object] | None
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


def model_access(model: str | None, concurrency: int, **arguments: Unpack[AccessArguments]) -> ModelAccess:
    """Return access to a model.

    ``model`` is the name by which a cost limit finds a price in advance, or None if there are several models.

    Raises:
        UsageError: An argument cannot be used.
        ConfigurationError: No endpoint is named, the recording does not exist, or the model's price is needed but unknown.
    """
    require_declared(arguments, AccessArguments)
    require_whole("max_calls", arguments.get("max_calls"), 0)
    require_range("max_cost", arguments.get("max_cost"), 0.0, math.inf, "both")
    replay, record, cache = arguments.get("replay"), arguments.get("record"), arguments.get("cache", True)
    timeout, attempts = (
        arguments.get("timeout", AccessSettings.timeout),
        arguments.get("attempts", AccessSettings.attempts),
    )
    require_whole("concurrency", concurrency)
    require_whole("attempts", attempts)
    require_range("patience", arguments.get("patience"), 0.0, math.inf, "both")
    if not timeout > 0:
        raise UsageError(f"{setting('timeout')} expects a number above 0, got {timeout:g}")
    if replay is not None and not input_path(replay).is_file():
        raise ConfigurationError(f"replay: there is no recording {os.fspath(replay)}")
    shares = _shares(arguments, concurrency) if replay is None else ()
    is_single = len(shares) == 1 and shares[0].model is None
    endpoint = None
    if replay is None:
        endpoint = shares[0].endpoint if shares else _endpoint(arguments)
    return ModelAccess(
        endpoint=endpoint,
        spread=EndpointGroup(shares, arguments.get("on_endpoint_usage"))
        if shares and not is_single
        else None,
        concurrency=sum(share.slots for share in shares) or concurrency,
        timeout=timeout,
        attempts=attempts,
        patience=arguments.get("patience", AccessSettings.patience),
        cache=default_cache() if cache is True else written_path(cache) if cache else None,
        record=None if record is None else written_path(record),
        replay=None if replay is None else input_path(replay),
        served_by=arguments.get("served_by"),
        budget=_budget(arguments, model),
        prices=None if replay is not None else known_prices(arguments.get("prices", ())),
    )


def exposed_keys(access: ModelAccess) -> Iterator[str]:
    """Yield a warning for each endpoint whose key would cross the network unencrypted."""
    shared_endpoints = () if access.spread is None else (share.endpoint for share in access.spread.shares)
    for endpoint in shared_endpoints or filter(None, [access.endpoint]):
        if endpoint.exposes_key:
            yield f"{endpoint.base_url}: the key goes to another machine unencrypted, over http://; use https:// if it is a secret"


def default_cache() -> Path:
    """Return the path of the reply cache in the user's cache folder; all runs share it."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - not needed for a named cache

    return user_cache_path("fiducial") / "replies.sqlite"


def _shares(arguments: AccessArguments, concurrency: int) -> tuple[EndpointShare, ...]:
    """Return the shares of ``endpoints``, or none if that argument is not given."""
    endpoints = arguments.get("endpoints", ())
    if not endpoints:
        return ()
    if arguments.get("base_url") is not None or arguments.get("connection") is not None:
        raise UsageError("endpoints have their own addresses; drop base_url and connection")
    return shares_of(
        endpoints, concurrency, arguments.get("api_key"), arguments.get("environment", os.environ)
    )


def _endpoint(arguments: AccessArguments) -> Endpoint:
    base_url, api_key, connection = (arguments.get(name) for name in ("base_url", "api_key", "connection"))
    environment = arguments.get("environment", os.environ)
    api = _api(arguments.get("api"))
    if connection is None:
        return replace(find_endpoint(base_url, api_key, environment), api=api)
    if base_url is not None or api_key is not None:
        raise UsageError("the connection has the address and the key; drop base_url and api_key")
    from ..judges.connections import connection_endpoint  # noqa: PLC0415 - few use it

    return replace(connection_endpoint(connection, environment), api=api)


def _budget(arguments: AccessArguments, model: str | None) -> Budget | None:
    max_calls, max_cost = arguments.get("max_calls"), arguments.get("max_cost")
    if max_calls is None and max_cost is None:
        return None
    budget = Budget(max_calls=max_calls, max_cost=max_cost, prices=known_prices(arguments.get("prices", ())))
    if model is not None:
        budget.require_price(model)
    return budget
