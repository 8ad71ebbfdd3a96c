"""What has to be closed can be used in a `with` block."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Base of what holds something open: ``with`` closes it at the end of the block."""

    def close(self) -> None:
        """Let go of what is held open."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
