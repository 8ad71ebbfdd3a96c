"""Requests over the openai library are those sent directly.

Faults are in `test_faults.py`.
"""

from __future__ import annotations

import asyncio
import json

import pytest
from provider_server import Answer, ProviderServer

from fiducial.judges import Endpoint, Reply, connect, make_request

ONE = Answer("1")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library finds its key where it always does."""
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-library")


def ask(server: ProviderServer) -> Reply:
    """Ask one question at an endpoint whose key only the library knows."""

    async def run() -> Reply:
        endpoint = Endpoint(server.base_url, None)
        assert endpoint.needs_library
        async with connect(endpoint) as provider:
            question = [{"role": "user", "content": "0 or 1, dächte man?"}]
            return await provider.complete(make_request("m", question, {"temperature": 0.0}))

    return asyncio.run(run())


def test_what_is_sent_is_the_request_with_the_librarys_key(server: ProviderServer) -> None:
    server.script = lambda seen: ONE
    assert (ask(server).text, ask(server).calls) == ("1", 1)
    seen = server.seen[0]
    assert seen.headers["authorization"] == "Bearer of-the-library"
    assert json.loads(seen.raw) == {
        "model": "m",
        "messages": [{"role": "user", "content": "0 or 1, dächte man?"}],
        "temperature": 0.0,
    }
