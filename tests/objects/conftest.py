"""Fixtures for a store that speaks S3; without its server tests are skipped.

`make objects` installs it.
"""

# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from judge_items import make_case, make_output

from fiducial.records import write_records

_numbers = count()


class Store:
    """A server that speaks S3, on loopback; what is in it stays when it is away for a while."""

    def __init__(self) -> None:
        self._make: Any = import_module("moto.server").ThreadedMotoServer
        self._port = 0
        self._running: Any = None
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._running = self._make("127.0.0.1", self._port, verbose=False)
        self._running.start()
        self._port = self._running.get_host_and_port()[1]

    def stop(self) -> None:
        self._running.stop()
        self._running._server.server_close()


@pytest.fixture(scope="session")
def store() -> Iterator[Store]:
    if any(importlib.util.find_spec(name) is None for name in ("moto", "s3fs")):
        pytest.skip("needs a store that speaks S3: make objects")
    running = Store()
    yield running
    running.stop()


@pytest.fixture
def environment(store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """Return a command's environment: credentials for the store, and the test's cache folder."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    found = {
        "AWS_ENDPOINT_URL": store.address,
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "wJalrSecret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "FIDUCIAL_CHECKPOINT_SECONDS": "0.2",
    }
    for name, value in found.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return {**os.environ}


@pytest.fixture
def bucket(environment: dict[str, str], tmp_path: Path) -> Any:
    """Yield the test's own bucket with 20 cases and outputs; commands know its ``address``."""
    files: Any = import_module("s3fs").S3FileSystem(skip_instance_cache=True, use_listings_cache=False)
    name = f"bucket-{next(_numbers)}"
    files.mkdir(name)
    reference = {"calls": [{"book_hotel": {"city": ["Rome"], "nights": [2]}}]}
    write_records(tmp_path / "cases.jsonl", (make_case(number, reference=reference) for number in range(20)))
    write_records(tmp_path / "outputs.jsonl", (make_output(number, text=None) for number in range(20)))
    for file in ("cases.jsonl", "outputs.jsonl"):
        files.put_file(str(tmp_path / file), f"{name}/in/{file}")
    files.address = f"s3://{name}"
    return files
