"""Servers of other makers; `make decisions` brings their packages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sparrow_server import sparrow_server


@pytest.fixture(scope="session")
def sparrow() -> Iterator[str]:
    """Address of a decision model that ships in a package."""
    pytest.importorskip("sparrow_decider", reason="make decisions brings the package")
    with sparrow_server() as url:
        yield url
