"""Endpoint and key of a model from a promptflow connection: a file, a name or an object.

Files are read here, so that `--connection FILE.yml` needs no promptflow. `make promptflow` compares the result with promptflow-core's
own classes and loader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ..errors import ConfigurationError, InputError, MissingExtraError, PromptError
from .front_matter import read_prompt_text, read_yaml_mapping
from .transport.endpoint import Endpoint


class OpenAIConnection(NamedTuple):
    """OpenAI, or a server that speaks its protocol."""

    api_key: str
    organization: str | None = None
    base_url: str | None = None


class AzureOpenAIConnection(NamedTuple):
    """An Azure OpenAI resource; `auth_mode` is `key` or `meid_token`."""

    api_base: str
    api_key: str | None = None
    api_type: str = "azure"
    api_version: str = "2024-02-01"
    auth_mode: str = "key"
    resource_id: str | None = None

    def get_token(self) -> str:
        """Sign in with azure-identity, as promptflow does, and return a token for Azure's models."""
        identity: Any = import_module("azure.identity")
        credential = identity.DefaultAzureCredential()
        return credential.get_token("https://cognitiveservices.azure.com/.default").token


class ServerlessConnection(NamedTuple):
    """A model on a serverless deployment."""

    api_key: str
    api_base: str


Connection: TypeAlias = OpenAIConnection | AzureOpenAIConnection | ServerlessConnection

_CONNECTION_TYPES: Mapping[str, type[Connection]] = {
    "openai": OpenAIConnection,
    "azureopenai": AzureOpenAIConnection,
    "serverless": ServerlessConnection,
}
"""Connection classes by ``type`` in a file. Their names, fields and defaults are those of promptflow-core's classes."""

_IGNORED_FIELDS = frozenset(
    {"$schema", "name", "type", "module", "expiry_time", "created_date", "last_modified_date"}
)
"""Fields of a file that only promptflow uses."""

_VARIABLE = re.compile(r"\$\{env:([^}]+)\}")
_EXPECTED = (
    "expected an OpenAI, Azure OpenAI or serverless connection (type: open_ai, azure_open_ai or serverless)"
)


def connection_endpoint(connection: object, environment: Mapping[str, str]) -> Endpoint:
    """Return the endpoint of a connection.

    Args:
        connection: The path of a connection's file (``.yml`` or ``.yaml``, in the form of ``pf connection create``), the name
            of a connection stored by promptflow, or a connection object of promptflow.
        environment: Environment variables, to which values in a file refer as ``${env:NAME}``.

    Raises:
        ConfigurationError: There is no such connection, or it has another type.
        InputError: The file cannot be used. The message shows no values, since one may be a key.
    """
    if not isinstance(connection, str | Path):
        return _endpoint(connection, "connection")
    if Path(connection).suffix in {".yml", ".yaml"}:
        return _endpoint(_read(Path(connection), environment), str(connection))
    return _endpoint(_look_up(str(connection)), f"connection {str(connection)!r}")


def _read(path: Path, environment: Mapping[str, str]) -> Any:
    try:
        values, lines = read_yaml_mapping(read_prompt_text(path), path, noun="a connection")
    except PromptError as error:
        raise ConfigurationError(str(error)) from error
    # promptflow accepts open_ai, OpenAI and OpenAIConnection alike.
    kind = _CONNECTION_TYPES.get(re.sub(r"[_\s-]|connection$", "", str(values.get("type")).lower()))
    if kind is None:
        raise InputError(
            f"{_EXPECTED}, got {values.get('type')!r}", path=path, line=lines.get("type"), field="type"
        )
    known_fields = kind._fields
    fields: dict[str, str] = {}
    for name, value in values.items():
        if name in known_fields:
            text = _text(value, environment, path, lines.get(name), name)
            fields |= {name: text} if text else {}
        elif name not in _IGNORED_FIELDS:
            raise InputError(
                f"unknown field; this kind has: {', '.join(known_fields)}",
                path=path,
                line=lines.get(name),
                field=name,
            )
    required = set(known_fields) - set(kind._field_defaults)
    if fields.get("auth_mode", "key") == "key":
        required.add("api_key")
    for name in known_fields:
        if name in required and name not in fields:
            raise InputError("missing; a value, or ${env:NAME}", path=path, field=name)
    return kind(**fields)


def _text(
    value: object, environment: Mapping[str, str], path: Path, line: int | None, field: str
) -> str | None:
    """Return a field's value, with a variable replaced.

    Errors do not show the value, since it may be a key.
    """
    # YAML reads a version such as 2024-02-01 as a date.
    if value is None or isinstance(value, str | int | date):
        text = "" if value is None else str(value).strip()
    else:
        raise InputError("expected a text", path=path, line=line, field=field)
    reference = _VARIABLE.fullmatch(text)
    if reference:
        if not environment.get(reference[1]):
            raise InputError(f"the variable {reference[1]} is not set", path=path, line=line, field=field)
        return environment[reference[1]]
    # Placeholders of promptflow's templates: <user-input>, <no-change>, ****, to_replace_with_...
    if text and (not text.strip("*") or text[0] + text[-1] == "<>" or text.startswith("to_replace_with")):
        raise InputError("is a placeholder; write a value, or ${env:NAME}", path=path, line=line, field=field)
    return text


def _look_up(name: str) -> object:
    """Return a connection that promptflow stores; promptflow-core alone cannot find one."""
    try:
        connections: Any = import_module("promptflow.connections")
        return connections.ConnectionProvider.get_instance().get(name)
    except Exception as error:
        if isinstance(error, ImportError) or isinstance(error.__cause__, ImportError):
            raise MissingExtraError("promptflow", f"looking up the connection {name!r}") from error
        problem = " ".join(str(error).split())
        raise ConfigurationError(
            f"connection {name!r}: promptflow: {type(error).__name__}: {problem}"
        ) from error


def _endpoint(connection: Any, where: str) -> Endpoint:
    """Return the endpoint of a connection, which may be an object of promptflow.

    Classes are compared by name, so that promptflow need not be imported.
    """
    class_names = {cls.__name__ for cls in type(connection).__mro__}
    if AzureOpenAIConnection.__name__ in class_names:
        token = None if connection.auth_mode == "key" else _token_getter(connection, where)
        return Endpoint(
            base_url=connection.api_base,
            api_key=connection.api_key if token is None else None,
            kind="azure",
            api_version=connection.api_version,
            token=token,
        )
    if OpenAIConnection.__name__ in class_names:
        # promptflow stores a missing address as "_".
        base_url = None if connection.base_url in {"", "_"} else connection.base_url
        return Endpoint(
            base_url=base_url,
            api_key=connection.api_key,
            organization=connection.organization or None,
        )
    if ServerlessConnection.__name__ in class_names:
        base = str(connection.api_base).rstrip("/")
        # promptflow's tools call such a deployment with the openai library.
        return Endpoint(base_url=base if base.endswith("/v1") else f"{base}/v1", api_key=connection.api_key)
    raise ConfigurationError(f"{where}: {_EXPECTED}, got {type(connection).__name__}")


def _token_getter(connection: Any, where: str) -> Any:
    """Return the function that signs in and returns a token; azure-identity must be installed."""
    if connection.auth_mode != "meid_token":
        raise ConfigurationError(
            f"{where}: auth_mode: expected key or meid_token, got {connection.auth_mode!r}"
        )
    try:
        azure_identity = find_spec("azure.identity")
    except ModuleNotFoundError:
        azure_identity = None
    if azure_identity is None:
        raise ConfigurationError(f"{where}: auth_mode meid_token needs a package: pip install azure-identity")
    return connection.get_token
