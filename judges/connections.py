"""promptflow's connections, as promptflow-core defines them: where a model is and how to be let in, from a file or by name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import ConfigurationError, InputError, MissingExtraError, PromptError
from .front_matter import read_prompt_text, read_yaml_mapping
from .transport.endpoint import Endpoint

_KINDS = {
    "openai": "OpenAIConnection",
    "azureopenai": "AzureOpenAIConnection",
    "serverless": "ServerlessConnection",
}
"""A connection's type, in whatever way promptflow spells it, to the name of its class there."""

_ABOUT = frozenset({"$schema", "name", "type", "module", "expiry_time", "created_date", "last_modified_date"})
"""What a file may say beside the fields of its kind; promptflow's own business."""

_REFERENCE = re.compile(r"\$\{env:([^}]+)\}")
_EXPECTED = (
    "expected an OpenAI, Azure OpenAI or serverless connection (type: open_ai, azure_open_ai or serverless)"
)


def connection_endpoint(connection: object, environment: Mapping[str, str]) -> Endpoint:
    """Find out where the model of a connection is.

    Args:
        connection: The path of a connection's file (``.yml`` or ``.yaml``, as ``pf connection create`` takes it), the name of a
            connection that promptflow knows, or a connection of promptflow's.
        environment: Environment variables, which values in a file refer to as ``${env:NAME}``.

    Raises:
        ConfigurationError: There is no such connection, or it is of another kind.
        InputError: The file cannot be used; values of fields are never shown.
    """
    if not isinstance(connection, str | Path):
        return _endpoint(connection, "connection")
    if Path(connection).suffix in {".yml", ".yaml"}:
        return _endpoint(_read(Path(connection), environment), str(connection))
    return _endpoint(_look_up(str(connection)), f"connection {str(connection)!r}")


def _read(path: Path, environment: Mapping[str, str]) -> Any:
    try:
        values, lines = read_yaml_mapping(read_prompt_text(path), path, what="a connection")
    except PromptError as error:
        raise ConfigurationError(str(error)) from error
    made = _KINDS.get(re.sub(r"[_\s-]|connection$", "", str(values.get("type")).lower()))
    if made is None:
        raise InputError(
            f"{_EXPECTED}, got {values.get('type')!r}", path=path, line=lines.get("type"), field="type"
        )
    kind: Any = getattr(_promptflow(), made)
    known = {
        name: parameter
        for name, parameter in inspect.signature(kind).parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }
    fields: dict[str, str] = {}
    for name, value in values.items():
        if name in known:
            text = _text(value, environment, path, lines[name], name)
            fields |= {name: text} if text else {}
        elif name not in _ABOUT:
            raise InputError(
                f"unknown field; this kind has: {', '.join(known)}", path=path, line=lines[name], field=name
            )
    required = {name for name, parameter in known.items() if parameter.default is inspect.Parameter.empty}
    if fields.get("auth_mode", "key") == "key":
        required.add("api_key")
    for name in known:
        if name in required and name not in fields:
            raise InputError("missing; a value, or ${env:NAME}", path=path, field=name)
    return kind(**fields)


def _text(value: object, environment: Mapping[str, str], path: Path, line: int, field: str) -> str | None:
    """A field's value; what is wrong with it is told without it, since it may be a key."""
    if value is None or isinstance(value, str | int | date):
        text = "" if value is None else str(value).strip()
    else:
        raise InputError("expected a text", path=path, line=line, field=field)
    reference = _REFERENCE.fullmatch(text)
    if reference:
        if not environment.get(reference[1]):
            raise InputError(f"the variable {reference[1]} is not set", path=path, line=line, field=field)
        return environment[reference[1]]
    # As promptflow's own templates write them: <user-input>, <no-change>, ****, to_replace_with_...
    if text and (not text.strip("*") or text[0] + text[-1] == "<>" or text.startswith("to_replace_with")):
        raise InputError("is a placeholder; write a value, or ${env:NAME}", path=path, line=line, field=field)
    return text


def _look_up(name: str) -> Any:
    provider: Any = _promptflow().ConnectionProvider
    try:
        return provider.get_instance().get(name)
    except Exception as error:
        if isinstance(error, ImportError) or isinstance(error.__cause__, ImportError):
            raise MissingExtraError("promptflow", f"looking up the connection {name!r}") from error
        told = " ".join(str(error).split())
        raise ConfigurationError(
            f"connection {name!r}: promptflow: {type(error).__name__}: {told}"
        ) from error


def _promptflow() -> Any:
    """promptflow-core's connections; imported for those who use them alone, since it takes half a second."""
    import promptflow.connections  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    return promptflow.connections


def _endpoint(connection: Any, where: str) -> Endpoint:
    kinds = _promptflow()
    if isinstance(connection, kinds.AzureOpenAIConnection):
        token = None if connection.auth_mode == "key" else _token(connection, where)
        return Endpoint(
            base_url=connection.api_base,
            api_key=connection.api_key if token is None else None,
            kind="azure",
            api_version=connection.api_version,
            token=token,
        )
    if isinstance(connection, kinds.OpenAIConnection):
        return Endpoint(
            base_url=connection.base_url,
            api_key=connection.api_key,
            organization=connection.organization or None,
        )
    if isinstance(connection, kinds.ServerlessConnection):
        base = str(connection.api_base).rstrip("/")
        # As promptflow's own tools ask such a deployment by the openai library.
        return Endpoint(base_url=base if base.endswith("/v1") else f"{base}/v1", api_key=connection.api_key)
    raise ConfigurationError(f"{where}: {_EXPECTED}, got {type(connection).__name__}")


def _token(connection: Any, where: str) -> Any:
    if connection.auth_mode != "meid_token":
        raise ConfigurationError(
            f"{where}: auth_mode: expected key or meid_token, got {connection.auth_mode!r}"
        )
    try:
        there = find_spec("azure.identity")
    except ModuleNotFoundError:
        there = None
    if there is None:
        raise ConfigurationError(f"{where}: auth_mode meid_token needs a package: pip install azure-identity")
    return connection.get_token
