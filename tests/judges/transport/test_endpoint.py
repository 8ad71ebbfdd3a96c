"""Choice between the openai library and direct requests, by endpoint."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from each_row import each_row
from provider_server import ProviderServer

from fiducial.errors import UsageError
from fiducial.judges import Endpoint

_JUDGE = """
import asyncio, sys
from fiducial.judges import Endpoint, connect, make_request

async def ask():
    async with connect(Endpoint(sys.argv[1], "k")) as provider:
        return await provider.complete(make_request("m", [{"role": "user", "content": "0 or 1?"}], {}))

print(asyncio.run(ask()).text, "openai" in sys.modules)
"""


@each_row(
    ("endpoint", "by_library"),
    [
        (Endpoint("http://127.0.0.1:8000/v1", "none"), False),
        (Endpoint("https://gateway.example.org/openai.com/v1", "k"), False),
        (Endpoint("https://notopenai.com/v1", "k"), False),
        (Endpoint("https://api.openai.com/v1", "k"), True),
        (Endpoint("https://eu.api.OpenAI.com/v1", "k"), True),
        (Endpoint(None, "k"), True),
        (Endpoint("http://127.0.0.1:8000/v1", None), True),
        (Endpoint("https://mine.example.org", "k", kind="azure", api_version="1"), True),
    ],
)
def test_the_library_asks_where_more_is_needed_than_an_address_and_a_key(
    endpoint: Endpoint, by_library: bool
) -> None:
    assert endpoint.needs_library is by_library


def test_a_compatible_server_is_asked_without_importing_the_library(server: ProviderServer) -> None:
    command = [sys.executable, "-c", _JUDGE, server.base_url]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    assert found.stdout == "1 False\n"


def test_a_key_is_never_shown() -> None:
    endpoint = Endpoint("http://127.0.0.1", "secret")
    assert "secret" not in repr(endpoint)
    assert endpoint.redact("401: secret is not a key") == "401: *** is not a key"
    assert Endpoint(None, None).redact("text") == "text"


@each_row("address", ["", "127.0.0.1:8000/v1", "localhost:8000/v1", "ftp://host/v1", "http://[::1/v1"])
def test_an_address_that_is_none_of_the_web_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f"begins with http:// or https://, got {address!r}")):
        Endpoint(address, "secret")


@pytest.mark.parametrize("key", ["secret\n", "secret\0", "sécret", "secret\ud800"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(UsageError, match="the endpoint's key holds") as raised:
        Endpoint("http://127.0.0.1", key)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("address", "key", "exposed"),
    [
        ("http://gpu7:8000/v1", "sk-secret-key", True),
        ("http://10.0.0.7/v1", "sk-secret-key", True),
        ("HTTP://gpu7/v1", "sk-secret-key", True),
        ("http://gpu7:8000/v1", "EMPTY", False),
        ("http://gpu7:8000/v1", None, False),
        ("https://gpu7/v1", "sk-secret-key", False),
        ("http://localhost:8000/v1", "sk-secret-key", False),
        ("http://127.0.0.1:8000/v1", "sk-secret-key", False),
        ("http://[::1]:8000/v1", "sk-secret-key", False),
        ("http://localhost.example.org/v1", "sk-secret-key", True),
        (None, "sk-secret-key", False),
    ],
)
def test_a_key_over_http_to_another_machine_is_exposed(address: str | None, key: str | None, exposed: bool):
    assert Endpoint(address, key).exposes_key is exposed
