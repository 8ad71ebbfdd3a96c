"""Requests on the wire: by way of a proxy, and long ones."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from judge_items import Judging, make_case, make_output, make_pairs
from provider_server import Answer, ProviderServer, Raw

from fiducial.errors import UsageError
from fiducial.judges import Endpoint, connect
from fiducial.judges.transport.sending import connection_failed


@pytest.mark.attack("keys and transport")
def test_a_proxy_that_the_environment_names_is_used(
    server: ProviderServer, judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.base_url.removesuffix("/v1"))
    monkeypatch.delenv("no_proxy", raising=False)
    elsewhere = Endpoint("http://model.invalid/v1", "k")
    (verdict,) = judging(make_pairs(1), provider=connect(elsewhere))
    assert verdict.graded
    assert server.seen[0].path == "http://model.invalid/v1/chat/completions"


@pytest.mark.attack("keys and transport")
def test_addresses_that_are_exempt_are_asked_without_the_proxy(
    server: ProviderServer, judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    (verdict,) = judging(make_pairs(1))
    assert verdict.graded
    assert server.seen[0].path == "/v1/chat/completions"


def test_a_long_request_arrives_whole(server: ProviderServer, judging: Judging) -> None:
    long = "é" * 3_000_000
    (verdict,) = judging([(make_case(query=long), make_output())])
    assert verdict.graded
    assert long in server.seen[0].text


def test_a_server_that_is_not_there_is_named_with_the_reason_alone(judging: Judging) -> None:
    nobody = connect(Endpoint("http://127.0.0.1:1/v1", "k"), attempts=1)
    (verdict,) = judging(make_pairs(1), provider=nobody)
    assert verdict.reason == "the connection failed: 127.0.0.1:1: Connection refused"


def test_an_address_that_is_none_fails_with_the_reason_and_is_asked_once(judging: Judging) -> None:
    nowhere = connect(Endpoint("http://", "k"))
    (verdict,) = judging(make_pairs(1), provider=nowhere)
    assert verdict.outcome == "failed"
    assert verdict.reason is not None
    assert "address cannot be used" in verdict.reason
    assert verdict.usage is not None
    assert verdict.usage.calls == 1


@pytest.mark.attack("keys and transport")
def test_over_the_library_a_response_packed_otherwise_than_asked_for_is_not_read(
    server: ProviderServer, judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-library")
    server.script = lambda seen: Raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n{}")
    (verdict,) = judging(make_pairs(1), provider=connect(Endpoint(server.base_url, None)))
    assert verdict.reason == "the response is packed as 'br', which was not asked for"


@pytest.mark.parametrize("status", [200, 500])
def test_over_the_library_a_packed_response_is_unpacked(
    server: ProviderServer, judging: Judging, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-library")
    told = b'{"error": {"message": "out of order"}}'
    server.script = lambda seen: Raw(
        f"HTTP/1.1 {status} Told\r\nContent-Encoding: gzip\r\n\r\n".encode() + gzip.compress(told)
    )
    provider = connect(Endpoint(server.base_url, None), attempts=1)
    (verdict,) = judging(make_pairs(1), provider=provider)
    assert verdict.outcome == "failed"
    assert "out of order" in (verdict.reason or "")


@pytest.mark.parametrize(
    "numbers", [{"concurrency": 0}, {"attempts": 0}, {"timeout": 0.0}, {"timeout": float("nan")}]
)
def test_numbers_with_which_nothing_could_be_asked_are_refused(
    judging: Judging, numbers: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="expected at least one call in flight"):
        judging(make_pairs(1), provider=connect(Endpoint("http://127.0.0.1:1/v1", "k"), **numbers))


def test_what_can_be_done_meanwhile_is_done_once_and_only_if_the_model_is_asked(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    thinking, begun = threading.Event(), list[int]()

    def steps() -> Iterator[None]:
        begun.append(len(server.seen))
        yield
        thinking.set()

    def think(_: Any) -> Answer:
        assert thinking.wait(10)  # no reply before, so it was begun while the first one was awaited
        return Answer("<S2>1</S2>")

    server.script = think
    for _ in range(2):
        judging(make_pairs(5), cache=tmp_path / "replies.sqlite", meanwhile=steps(), concurrency=1)
    assert len(begun) == 1


def test_a_certificate_that_is_not_trusted_is_told_after_one_try() -> None:
    cause = OSError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate")
    for message, error in ((f"ClientConnectorCertificateError: {cause}", OSError()), ("Connection error.", cause)):  # fmt: skip
        failed = connection_failed(message, error)
        assert not failed.retryable
        assert "SSL_CERT_FILE" in str(failed)
    assert connection_failed("ServerDisconnectedError", OSError()).retryable
