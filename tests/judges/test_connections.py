from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from provider_server import Answer, ProviderServer, Status
from ruamel.yaml import YAML

from fiducial.errors import ConfigurationError, FiducialError, InputError, MissingExtraError, UsageError
from fiducial.judges import Endpoint, connect, make_request
from fiducial.judges.connections import (
    AzureOpenAIConnection,
    OpenAIConnection,
    ServerlessConnection,
    connection_endpoint,
)
from fiducial.judges.transport import CallError

OPEN_AI = """\
$schema: https://azuremlschemas.azureedge.net/promptflow/latest/OpenAIConnection.schema.json
name: ours
type: open_ai
api_key: ${env:OUR_KEY}
organization: ""
base_url: https://models.example.org/v1
"""
AZURE = """\
type: azure_open_ai
api_key: k
api_base: https://ours.openai.azure.com
api_type: azure
api_version: 2024-10-21
"""
SERVERLESS = "type: serverless\napi_key: k\napi_base: https://ours.models.example.com\n"
KEYS = {"OUR_KEY": "sk-123"}


def _promptflow_is_there_in_full() -> bool:
    """Return whether promptflow is installed, and not only its core; importing it warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return find_spec("promptflow") is not None and find_spec("promptflow._sdk") is not None


IN_FULL = _promptflow_is_there_in_full()


@pytest.fixture
def promptflow() -> Any:
    return pytest.importorskip("promptflow.connections", reason="`make promptflow` brings promptflow")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ours.yml"


def read(file: Path, text: str) -> Endpoint:
    file.write_text(text, encoding="utf-8")
    return connection_endpoint(file, KEYS)


def test_a_file_in_promptflows_form_says_where_the_model_is(file: Path):
    assert read(file, OPEN_AI) == Endpoint("https://models.example.org/v1", "sk-123")
    assert read(file, OPEN_AI.replace('""', "org-1")).organization == "org-1"
    assert read(file, AZURE) == Endpoint(
        "https://ours.openai.azure.com", "k", kind="azure", api_version="2024-10-21"
    )
    assert read(file, SERVERLESS) == Endpoint("https://ours.models.example.com/v1", "k")
    assert read(file, SERVERLESS.replace(".com", ".com/v1/")) == Endpoint(
        "https://ours.models.example.com/v1", "k"
    )


def test_what_a_file_leaves_out_is_as_promptflow_has_it(file: Path):
    assert read(file, AZURE.replace("api_version: 2024-10-21\n", "")).api_version == "2024-02-01"
    assert read(file, "type: open_ai\napi_key: k\n") == Endpoint(None, "k")


@pytest.mark.parametrize("text", [OPEN_AI, AZURE, SERVERLESS])
def test_a_file_needs_no_promptflow(text: str, file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "promptflow", None)
    assert read(file, text).api_key


def test_a_name_needs_promptflow(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "promptflow", None)
    with pytest.raises(MissingExtraError, match=r"'ours' needs an optional dependency: .*\[promptflow\]"):
        connection_endpoint("ours", {})


@pytest.mark.parametrize("ours", [OpenAIConnection, AzureOpenAIConnection, ServerlessConnection])
def test_fields_and_defaults_are_those_of_promptflows_classes(promptflow: Any, ours: Any):
    theirs = inspect.signature(getattr(promptflow, ours.__name__)).parameters
    named = {
        name: parameter for name, parameter in theirs.items() if parameter.kind is not parameter.VAR_KEYWORD
    }
    assert list(named) == list(ours._fields)
    defaults = {
        name: parameter.default
        for name, parameter in named.items()
        if parameter.default is not parameter.empty
    }
    assert defaults == ours._field_defaults


@pytest.mark.parametrize("text", [OPEN_AI, AZURE, SERVERLESS])
def test_a_file_leads_where_promptflows_own_loader_leads(promptflow: Any, text: str, file: Path):
    yaml: Any = YAML(typ="safe")
    values = yaml.load(text.replace("${env:OUR_KEY}", KEYS["OUR_KEY"]))
    kinds = {"open_ai": "OpenAIConnection", "azure_open_ai": "AzureOpenAIConnection"}
    kind = getattr(promptflow, kinds.get(values.pop("type"), "ServerlessConnection"))
    values.pop("$schema", None)
    theirs = kind(**{name: str(value) for name, value in values.items()})
    assert connection_endpoint(theirs, {}) == read(file, text)


@each_row("kind", ["open_ai", "OpenAI", "openai", "OpenAIConnection", "Open_AI Connection"])
def test_a_kind_is_known_however_promptflow_spells_it(kind: str, file: Path):
    assert read(file, f"type: {kind}\napi_key: k\n").api_key == "k"


@each_row(
    ("text", "why"),
    [
        ("type: cognitive_search\napi_key: sk-1\n", "ours.yml:1: type: expected an OpenAI, Azure OpenAI or serverless"),
        ("api_key: sk-1\n", "ours.yml: type: expected an OpenAI, Azure OpenAI or serverless connection"),
        ("type: open_ai\n", "ours.yml: api_key: missing; a value, or ${env:NAME}"),
        ("type: open_ai\napi_key:\n", "ours.yml: api_key: missing"),
        ("type: azure_open_ai\napi_key: sk-1\n", "ours.yml: api_base: missing"),
        ("type: azure_open_ai\napi_base: https://x.example\n", "ours.yml: api_key: missing"),
        ("type: serverless\napi_key: sk-1\n", "ours.yml: api_base: missing"),
        ("type: open_ai\napi_key: sk-1\nazure_endpoint: x\n", "ours.yml:3: azure_endpoint: unknown field; this kind has: api_key,"),
        ("type: open_ai\napi_key: sk-1\ntrue: x\n", "ours.yml: True: unknown field"),
        ("type: open_ai\napi_key: ${env:NO_KEY}\n", "ours.yml:2: api_key: the variable NO_KEY is not set"),
        ("type: open_ai\napi_key: <user-input>\n", "ours.yml:2: api_key: is a placeholder"),
        ("type: open_ai\napi_key: '******'\n", "ours.yml:2: api_key: is a placeholder"),
        ("type: open_ai\napi_key: [sk-1]\n", "ours.yml:2: api_key: expected a text"),
        ("type: open_ai\napi_key: sk-1\napi_key: sk-2\n", 'ours.yml:3: a connection is not YAML: while constructing a mapping found duplicate key "api_key"'),
        ("- sk-1\n", "ours.yml:1: a connection must be a mapping"),
        ("type: [open_ai\napi_key: sk-1\n", "a connection is not YAML"),
        ("type: open_ai\napi_key: sk-1\nbase_url: ftp://x.example\n", "begins with http:// or https://"),
        ("type: open_ai\napi_key: k\nbase_url: https://me:sk-1@x.example\n", "address holds a password or key"),
        ("type: azure_open_ai\napi_base: https://x.example\nauth_mode: magic\n", "auth_mode: expected key or meid_token"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_one_line_without_any_key(text: str, why: str, file: Path):
    with pytest.raises((InputError, ConfigurationError, UsageError)) as told:
        read(file, text)
    assert why in str(told.value)
    assert ("\n" in str(told.value), "sk-1" in str(told.value)) == (False, False)


def test_a_file_that_is_not_there_is_named(file: Path):
    with pytest.raises(ConfigurationError, match=r"ours\.yml: cannot be read: No such file"):
        connection_endpoint(file, {})


def test_a_name_is_looked_up_where_promptflow_keeps_its_connections(
    promptflow: Any, monkeypatch: pytest.MonkeyPatch
):
    class Kept:
        def get(self, name: str) -> Any:
            if name != "ours":
                raise KeyError(f"no connection\nis called {name}")
            return promptflow.OpenAIConnection(api_key="sk-1", base_url="https://models.example.org/v1")

    monkeypatch.setattr(promptflow.ConnectionProvider, "_instance", Kept())
    assert connection_endpoint("ours", {}) == Endpoint("https://models.example.org/v1", "sk-1")
    with pytest.raises(
        ConfigurationError, match=r"connection 'theirs': promptflow: KeyError: .*no connection"
    ):
        connection_endpoint("theirs", {})


@pytest.mark.skipif(IN_FULL, reason="promptflow is installed in full")
def test_names_need_promptflow_in_full(promptflow: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(promptflow.ConnectionProvider, "_instance", None)
    monkeypatch.delenv("PF_CONNECTION_PROVIDER", raising=False)
    with pytest.raises(
        MissingExtraError, match=r"'ours' needs an optional dependency: .*fiducial-eval\[promptflow\]"
    ):
        connection_endpoint("ours", {})


def test_a_connection_of_promptflows_is_taken_as_it_is(promptflow: Any):
    made = promptflow.AzureOpenAIConnection(api_base="https://ours.openai.azure.com", api_key="k")
    assert connection_endpoint(made, {}).kind == "azure"
    with pytest.raises(ConfigurationError, match="got CustomConnection"):
        connection_endpoint(promptflow.CustomConnection(secrets={"api_key": "k"}), {})


@pytest.mark.skipif(find_spec("azure") is not None, reason="azure-identity may be installed")
def test_a_token_in_place_of_a_key_needs_the_package_that_gets_it(file: Path):
    with pytest.raises(ConfigurationError, match="pip install azure-identity"):
        read(file, AZURE.replace("api_key: k", "auth_mode: meid_token"))


def ask(endpoint: Endpoint) -> str | None:
    async def run() -> str | None:
        async with connect(endpoint, attempts=1) as provider:
            question = [{"role": "user", "content": "0 or 1?"}]
            return (await provider.complete(make_request("m", question, {}))).text

    return asyncio.run(run())


def azure(server: ProviderServer, token: str | FiducialError) -> Endpoint:
    def give() -> str:
        if isinstance(token, str):
            return token
        raise token

    return Endpoint(server.base_url.removesuffix("/v1"), None, kind="azure", api_version="1", token=give)


def test_a_token_is_sent_in_place_of_a_key(server: ProviderServer):
    server.script = lambda seen: Answer("1")
    assert ask(azure(server, "aad-1")) == "1"
    assert server.seen[0].headers["authorization"] == "Bearer aad-1"
    assert "token" not in repr(azure(server, "aad-1"))


def test_a_token_is_in_no_message_and_one_that_cannot_be_had_is_a_failed_call(server: ProviderServer):
    server.script = lambda seen: Status(401, code=seen.headers["authorization"])
    with pytest.raises(CallError) as told:
        ask(azure(server, "aad-1"))
    assert "aad-1" not in str(told.value)
    with pytest.raises(CallError, match="no token: ConfigurationError: not signed in"):
        ask(azure(server, ConfigurationError("not signed in")))


def test_promptflow_is_imported_by_who_uses_a_connection_and_nobody_else():
    code = "import sys, fiducial.judges.connections, fiducial.cli.model_options; print('promptflow' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "False\n"
