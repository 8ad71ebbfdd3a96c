"""Tests of a server of another maker are skipped where there is none; `make server-check` brings it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_server import Served, model_maker, model_server


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, no endpoint; the user's cache folder is the test's own."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    python = os.environ.get("FIDUCIAL_SERVER_PYTHON")
    if not python:
        pytest.skip("needs a server of another maker: make server-check")
    folder = tmp_path_factory.mktemp("server")
    with model_server(python, folder / "log") as base_url:
        yield Served(base_url, model_maker(python, folder))
