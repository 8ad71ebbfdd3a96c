"""Lock files that one process at a time can take; a crash releases them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import filelock

from ..errors import RunFolderError


class ProcessLock:
    """Lock on a file that other processes on this machine respect.

    Args:
        path: The lock file; it is created, and never removed.
        busy: Error message if another process has the lock.
    """

    def __init__(self, path: Path, busy: str) -> None:
        self._lock = filelock.FileLock(path, thread_local=False)  # threads of this process share it
        self._busy = busy

    def take(self, wait: float = 0) -> None:
        """Take the lock, waiting up to a number of seconds for another process to release it.

        Raises:
            RunFolderError: Another process has the lock.
            OSError: The file cannot be made or locked.
        """
        try:
            self._lock.acquire(timeout=wait)
        except filelock.Timeout as error:
            raise RunFolderError(self._busy) from error

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()

    def is_free(self) -> bool:
        """Return whether no other process has the lock at this moment."""
        try:
            self.take()
        except RunFolderError:
            return False
        self.release()
        return True

    @contextmanager
    def held(self, wait: float = 0) -> Generator[None]:
        """Keep the lock while the block runs; see `take`."""
        self.take(wait)
        try:
            yield
        finally:
            self.release()
