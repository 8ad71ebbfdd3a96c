"""How a model is reached: what a caller says, and the environment variables that stand in for what it does not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..errors import ConfigurationError
from ..judges import Endpoint

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
            "(--base-url, base_url=, OPENAI_BASE_URL); the model `baseline` and a recording to replay need none"
        )
    return Endpoint(base_url=base_url, api_key=key or NO_KEY)


def default_cache() -> Path:
    """The reply cache in the user's cache folder; shared by all runs."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - who names a cache needs no default

    return user_cache_path("fiducial") / "replies.sqlite"


def _azure(resource: str, key: str, environment: Mapping[str, str]) -> Endpoint:
    version = environment.get("OPENAI_API_VERSION")
    if not version:
        raise ConfigurationError("AZURE_OPENAI_ENDPOINT is set; set OPENAI_API_VERSION, too")
    return Endpoint(base_url=resource, api_key=key, kind="azure", api_version=version)
