"""A small web on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from small_web import SmallWeb


@pytest.fixture
def web() -> Iterator[SmallWeb]:
    small = SmallWeb()
    yield small
    small.close()
