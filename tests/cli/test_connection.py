"""`--connection` on the commands that ask models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command import Result, fiducial
from provider_server import ProviderServer

KEY = "sk-of-the-connection"


@pytest.fixture
def connection(tmp_path: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEAM_KEY", KEY)
    path = tmp_path / "team.yml"
    path.write_text(
        f"type: open_ai\napi_key: ${{env:TEAM_KEY}}\nbase_url: {server.base_url}\n", encoding="utf-8"
    )
    return path


@pytest.fixture
def judge(inputs: tuple[Path, Path], tmp_path: Path) -> Callable[..., Result]:
    cases, outputs = inputs
    fixed = ("--outputs", outputs, "--judge", "tool_call_accuracy", "--model", "m", "--out", tmp_path / "run")
    return lambda *more: fiducial("judge", "-v", cases, *fixed, *more)


def test_the_model_is_asked_where_the_connection_says_and_its_key_is_kept_nowhere(
    judge: Callable[..., Result], connection: Path, server: ProviderServer, tmp_path: Path
):
    done = judge(
        "--connection", connection, "--record", tmp_path / "replies.jsonl", "--cache", tmp_path / "c.sqlite"
    )
    assert (done.code, len(server.seen)) == (0, 20)
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    kept = [file for file in tmp_path.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]
    assert (kept, KEY in done.out + done.err) == ([], False)


def test_a_connection_and_an_endpoint_do_not_go_together(judge: Callable[..., Result], connection: Path):
    done = judge("--connection", connection, "--base-url", "http://127.0.0.1:1/v1")
    assert (done.code, done.err) == (
        2,
        "fiducial: --connection has the address and the key; drop --base-url\n",
    )


def test_what_is_typed_wins_over_what_a_team_shares(
    judge: Callable[..., Result],
    connection: Path,
    server: ProviderServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("FIDUCIAL_TRUST_CONFIG", "1")
    team = tmp_path / "fiducial.toml"
    team.write_text('[model]\nbase-url = "http://127.0.0.1:1/v1"\n')
    assert (judge("--connection", connection).code, len(server.seen)) == (0, 20)
    team.write_text(f'[model]\nconnection = "{connection}"\nrepeats = 2\n')
    monkeypatch.setenv("OPENAI_API_KEY", "sk-typed")
    assert judge("--base-url", server.base_url, "--out", tmp_path / "other").code == 0
    assert server.seen[-1].headers["authorization"] == "Bearer sk-typed"


def test_a_connection_that_cannot_be_used_is_one_line_and_leaves_nothing(
    judge: Callable[..., Result], connection: Path, tmp_path: Path
):
    connection.write_text("type: serp\napi_key: k\n", encoding="utf-8")
    done = judge("--connection", connection)
    assert (done.code, done.err.count("\n"), (tmp_path / "run").exists()) == (2, 1, False)
    assert "team.yml:1: type: expected an OpenAI, Azure OpenAI or serverless connection" in done.err
