"""Fixtures for a third-party server; without it tests are skipped.

`make server-check` installs it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from model_server import Served, model_maker, model_server


@pytest.fixture(autouse=True)
def bare_environment(bare_environment: None) -> None:
    """For every test."""


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    python = os.environ.get("FIDUCIAL_SERVER_PYTHON")
    if not python:
        pytest.skip("needs a server of another maker: make server-check")
    folder = tmp_path_factory.mktemp("server")
    with model_server(python, folder / "log") as base_url:
        yield Served(base_url, model_maker(python, folder))
