"""Over the openai library, endpoints are asked, and misbehave, just as they do directly."""

from __future__ import annotations

import asyncio
import json

import pytest
from provider_server import Answer, Body, CutOff, Drop, Hang, ProviderServer, Response, Status

from fiducial.judges import CallError, Endpoint, Reply, connect, make_request

ONE = Answer("1")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library finds its key where it always does."""
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-library")


def ask(server: ProviderServer, attempts: int = 2, timeout: float = 5.0) -> Reply:
    """Ask one question at an endpoint whose key only the library knows."""

    async def run() -> Reply:
        endpoint = Endpoint(server.base_url, None)
        assert endpoint.needs_library
        async with connect(endpoint, attempts=attempts, timeout=timeout) as provider:
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


@pytest.mark.parametrize(
    "fault",
    [
        Status(429, {"retry-after-ms": "1"}),
        Status(500, {"retry-after": "0"}),
        Drop(),
        CutOff(),
        CutOff(short=True),
        Body(b"<html>busy</html>"),
        Body(b'{"choices": []}'),
    ],
    ids=str,
)
def test_a_passing_fault_costs_one_more_call(server: ProviderServer, fault: Response) -> None:
    server.script = lambda seen: fault if seen.attempt == 1 else ONE
    reply = ask(server)
    assert (reply.text, reply.calls, len(server.seen)) == ("1", 2, 2)


def test_a_fault_that_will_not_pass_is_asked_once(server: ProviderServer) -> None:
    server.script = lambda seen: Status(404, code="model_not_found")
    with pytest.raises(CallError, match="HTTP 404: scripted 404"):
        ask(server)
    assert len(server.seen) == 1


def test_a_reply_that_never_comes_ends_with_its_timeout(server: ProviderServer) -> None:
    server.script = lambda seen: Hang()
    with pytest.raises(CallError, match=r"no reply within 0.3 s"):
        ask(server, attempts=1, timeout=0.3)


def test_a_prompt_that_the_content_filter_stops_is_refused(server: ProviderServer) -> None:
    server.script = lambda seen: Status(400, code="content_filter")
    assert ask(server).refusal == "scripted 400"
