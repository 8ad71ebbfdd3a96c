"""How batches are waited for."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec


class BatchMode(msgspec.Struct, frozen=True):
    """How batches are waited for.

    Attributes:
        poll_seconds: Between two looks at how far they are.
        sleep: Waits; replaced in tests.
    """

    poll_seconds: float = 30.0
    sleep: Callable[[float], None] = time.sleep
