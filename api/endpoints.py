"""Several endpoints of one model: parse them, and report their use."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import ConfigurationError, UsageError
from ..judges import Endpoint
from ..judges.transport.endpoint import EndpointShare, EndpointUse

EndpointLike: TypeAlias = str | Mapping[str, Any]
"""``URL[,key-env=NAME][,weight=W][,model=NAME][,concurrency=N]``, or ``connection=NAME|FILE`` in place of the URL; or a mapping with
``base_url``, ``api_key`` or ``key_env``, ``weight``, ``model``, ``concurrency``, ``connection``."""

_NAMES = ("key_env", "weight", "model", "concurrency", "connection")
_OPTION = re.compile(r"(?:^|,)([a-z][a-z_-]*)=")
_MOST_SLOTS = 4096
NO_KEY = "none"
"""Sent where a base URL but no key is given: servers of one's own rarely ask for one, and the library insists on one."""


def find_endpoint(base_url: str | None, api_key: str | None, environment: Mapping[str, str]) -> Endpoint:
    """Find the model's endpoint from arguments or the openai library's environment variables.

    Both OpenAI's and Azure's variables are read.

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


def _azure(resource: str, key: str, environment: Mapping[str, str]) -> Endpoint:
    version = environment.get("OPENAI_API_VERSION")
    if not version:
        raise ConfigurationError("AZURE_OPENAI_ENDPOINT is set; set OPENAI_API_VERSION, too")
    return Endpoint(base_url=resource, api_key=key, kind="azure", api_version=version)


def shares_of(
    given: Sequence[EndpointLike], concurrency: int, api_key: str | None, environment: Mapping[str, str]
) -> tuple[EndpointShare, ...]:
    """Return the endpoints of a run.

    An endpoint that names no key uses ``api_key``, or else ``OPENAI_API_KEY``.
    """
    shares = [_share(_fields(each), concurrency, api_key, environment) for each in given]
    for place, share in enumerate(shares):
        if any((each.endpoint, each.model) == (share.endpoint, share.model) for each in shares[:place]):
            raise UsageError(f"--endpoint {share.endpoint.base_url}: named twice with the same key and model")
    return tuple(shares)


def _share(
    fields: Mapping[str, Any], concurrency: int, api_key: str | None, environment: Mapping[str, str]
) -> EndpointShare:
    weight, own = fields.get("weight", 1), fields.get("concurrency")
    if not _is_number(weight) or not 0 < weight <= _MOST_SLOTS:
        raise UsageError(f"--endpoint: expected a weight above 0, got {weight!r}")
    slots = max(1, round(concurrency * weight)) if own is None else own
    if not isinstance(slots, int) or not 1 <= slots <= _MOST_SLOTS:
        raise UsageError(f"--endpoint: expected calls in flight from 1 to {_MOST_SLOTS:,}, got {slots!r}")
    return EndpointShare(_endpoint(fields, api_key, environment), slots, fields.get("model"))


def _endpoint(fields: Mapping[str, Any], api_key: str | None, environment: Mapping[str, str]) -> Endpoint:
    connection, url, variable = (fields.get(name) for name in ("connection", "base_url", "key_env"))
    if connection is not None:
        if url is not None or variable is not None or fields.get("api_key") is not None:
            raise UsageError(
                "--endpoint: a connection says where the model is and how to be let in; leave the rest out"
            )
        from ..judges.connections import connection_endpoint  # noqa: PLC0415 - few use it

        return connection_endpoint(connection, environment)
    if variable is not None and not environment.get(variable):
        raise ConfigurationError(f"--endpoint {url or ''},key-env={variable}: this variable is not set")
    key = fields.get("api_key") or (environment[variable] if variable is not None else api_key)
    return find_endpoint(url, key, environment)


def _fields(given: EndpointLike) -> Mapping[str, Any]:
    if isinstance(given, str):
        return _parsed(given)
    unknown = sorted(given.keys() - {"base_url", "api_key", *_NAMES})
    if unknown:
        raise UsageError(
            f"endpoints: unknown key {unknown[0]!r}; known are base_url, api_key, {', '.join(_NAMES)}"
        )
    return given


def _parsed(text: str) -> Mapping[str, Any]:
    """Parse ``URL,NAME=VALUE,...``.

    A key itself must not be among the parts, where others could read it.
    """
    found = list(_OPTION.finditer(text))
    url = text[: found[0].start()] if found else text
    fields: dict[str, Any] = {"base_url": url} if url else {}
    ends = [*(each.start() for each in found[1:]), len(text)]
    for option, end in zip(found, ends, strict=False):
        name, value = option[1].replace("-", "_"), text[option.end() : end]
        if name not in _NAMES or not value or name in fields:
            known = ", ".join(each.replace("_", "-") for each in _NAMES)
            raise UsageError(
                f"--endpoint {url or text[:40]}: expected each of {known} once with a value, got {option[1]!r}"
            )
        fields[name] = _number(value) if name in {"weight", "concurrency"} else value
    return fields


def _number(text: str) -> float | int | str:
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return text


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def use_lines(uses: Iterable[EndpointUse]) -> Iterator[str]:
    """Yield one line per endpoint: replies, rate limits, timeouts and failures."""
    for use in uses:
        parts = [f"{use.replies:,} replies"]
        if use.rate_limited:
            parts.append(f"{use.rate_limited:,} refused for coming too fast")
        if use.given_up:
            parts.append(f"{use.given_up:,} took too long and were asked elsewhere")
        if use.failures:
            parts.append(f"{use.failures:,} failed, the last: {use.last_error}")
        yield f"endpoint {use.name}: {', '.join(parts)}"
