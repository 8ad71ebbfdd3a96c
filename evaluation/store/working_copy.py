"""Run folders by address: a run works in a local copy, which is uploaded as it grows.

Object stores cannot append to files. The copy stays after the run, so that the same command can continue after a kill.
Manifests are uploaded last, so that they never name missing files.
"""

from __future__ import annotations

import shutil
import threading
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from ...errors import FiducialError, InputError, RunFolderError, as_named, register_alias
from ...records.fetching import fetch_input, hash_for_name, make_private
from ...records.objects import ObjectFolder, ObjectVersion
from ...records.process_lock import ProcessLock
from .agreed_state import Agreement, Stamp, of_the_run
from .remote_lock import RemoteLock
from .transfer import fetch, put

_UPLOAD_INTERVAL_SECONDS = 60.0
"""Seconds between two uploads."""

_MIN_PAUSE_FACTOR = 20
"""Minimum pause between uploads, as a multiple of the time that the last one took."""

_FETCH_TIMEOUT_SECONDS = 600
"""Seconds to wait for another process of this machine that is fetching."""

_MAX_FETCHES = 3
"""Number of downloads in a row after which a store that keeps changing is given up."""
_UPLOAD_PREFIX = "putting-"
"""Beginning of the names of folders for one upload each."""


class WorkingCopy:
    """Local copy of a run folder in an object store.

    Args:
        address: Address of the run folder.
        cache: Folder of all working copies.
        every: Minimum number of seconds between two uploads during a run.
        now: Clock for the lock.

    Attributes:
        set_aside: Folder of work that was never uploaded and conflicts with another machine's; None without a conflict.
    """

    def __init__(
        self,
        address: str,
        cache: Path,
        *,
        every: float = _UPLOAD_INTERVAL_SECONDS,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._objects = ObjectFolder(address)
        if self._objects.is_pattern:
            raise InputError("a pattern is no folder", path=self._objects.name)
        self.name = self._objects.name
        self._cache = cache
        self.place = cache / hash_for_name(self._objects.address)
        self.set_aside: Path | None = None
        self._every = every
        make_private(self.place)
        with self._fetch_lock():
            self._agreement = Agreement(self.place, self.name)
        self.folder = self._agreement.folder
        self._lock = RemoteLock(self._objects, self._agreement.copy, now)
        self._writing_lock = ProcessLock(
            self.place / "writing.lock", f"{self.name}: another process is writing this run; wait for it"
        )
        # Uploads run in another thread; the guard lets only one thread at a time use the copy's state.
        self._guard, self._ended = threading.RLock(), threading.Event()
        self._block_depth, self._locked, self._lost_lock = 0, False, False
        self._files_before: dict[str, Stamp] = {}
        register_alias(self.folder, self.name)

    def fetch(self) -> None:
        """Download changes from the store, unless this copy wrote there last.

        Raises:
            InputError: The store keeps changing during the download.
        """
        with self._fetch_lock():
            self._agreement.read()
            if self._is_written() or self._lock.is_ours():
                return
            for _ in range(_MAX_FETCHES):
                marks = self._stored_versions()
                if marks == self._agreement.marks:
                    return
                if self._agreement.differing():
                    self._set_files_aside()
                fetch(self._objects, self._agreement, marks)
            raise InputError("changes while it is read; rerun when it is complete", path=self.name)

    def _is_written(self) -> bool:
        """Return whether a process on this machine is writing the copy."""
        return self._locked or not self._writing_lock.is_free()

    @contextmanager
    def _fetch_lock(self) -> Generator[None]:
        busy_message = f"{self.name}: another process is still fetching this run; rerun when it is done"
        with ProcessLock(self.place / "fetching.lock", busy_message).held(_FETCH_TIMEOUT_SECONDS):
            yield

    def fetch_beside(self, address: str) -> Path | None:
        """Fetch an input of the run from the same store, or None if it is elsewhere.

        Addresses in a run folder are not trusted, since another person may have written it.
        """
        scheme, separator, rest = self._objects.address.partition("://")
        bucket = f"{scheme}{separator}{rest.partition('/')[0]}/"
        if not address.startswith(bucket) or ".." in address.split("/"):
            return None  # a driver that follows dots would leave the bucket
        objects = ObjectFolder(address)
        return fetch_input(objects, objects.find(), self._cache.parent / "inputs")

    @contextmanager
    def held(self) -> Generator[None]:
        """Upload changes to the folder at the end of the outermost block, together with the lock."""
        with self._guard:
            self._block_depth += 1
            if self._block_depth == 1:
                self._files_before = self._agreement.files()
        try:
            yield
        finally:
            with self._guard:
                self._block_depth -= 1
                if not self._block_depth:
                    self._upload_and_release()

    @contextmanager
    def written(self) -> Generator[None]:
        """Lock the run for writing, and upload its files as they grow.

        Raises:
            RunFolderError: Another process writes the run.
        """
        with self.held():
            self._begin()
            self._ended = threading.Event()
            threading.Thread(
                target=self._upload_repeatedly, args=[self._ended], name="checkpoints", daemon=True
            ).start()
            yield

    def _begin(self) -> None:
        """Take the locks of this machine and of the store."""
        with self._guard:
            if self._locked:
                return
            self._writing_lock.take(wait=1)  # another process may be testing the lock
            try:
                for leftover in self.place.glob(f"{_UPLOAD_PREFIX}*"):  # from a killed upload
                    shutil.rmtree(leftover, ignore_errors=True)
                is_ours_already = self._lock.is_ours()
                self._lock.take()
                if not is_ours_already:
                    self._require_same_content()
            except BaseException:
                self._writing_lock.release()
                raise
            self._locked, self._lost_lock = True, False

    def _require_same_content(self) -> None:
        """Refuse to continue from a copy that another machine has outdated since it was fetched."""
        if self._stored_versions() != self._agreement.marks:
            self._lock.release()
            raise RunFolderError(
                f"{self.name}: another machine wrote this run just now; rerun the command to continue from there"
            )

    def _upload_repeatedly(self, ended: threading.Event) -> None:
        """Upload the folder from time to time; a failed upload is repeated later."""
        wait = self._every
        while not ended.wait(wait):
            started = time.monotonic()
            with suppress(FiducialError, OSError), self._guard:
                if ended.is_set() or not self._keeps_lock():
                    return
                put(self._objects, self._agreement, self.place / _UPLOAD_PREFIX)
            wait = max(self._every, _MIN_PAUSE_FACTOR * (time.monotonic() - started))

    def _keeps_lock(self) -> bool:
        """Renew the lock in the store; return False once it has belonged to another copy."""
        self._lost_lock = self._lost_lock or not self._lock.renew()
        return not self._lost_lock

    def _upload_and_release(self) -> None:
        self._ended.set()
        if not self._locked and (self._agreement.files() == self._files_before or self._is_written()):
            return  # nothing changed, or the process that writes the copy uploads this change
        try:
            self._begin()
            if not self._keeps_lock():
                raise RunFolderError(
                    f"{self.name}: {self._lock.holder() or 'somebody'} has taken this run over"
                )
            put(self._objects, self._agreement, self.place / _UPLOAD_PREFIX)
            self._lock.release()
        except FiducialError as error:
            raise RunFolderError(
                f"{as_named(error)}. Finished work is saved on this machine ({self.place}); rerun the command to continue"
            ) from error
        finally:
            self._locked = False
            self._writing_lock.release()

    def _set_files_aside(self) -> None:
        """Move the copy's files to another folder, and start with an empty copy."""
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        self.set_aside = self.folder.rename(self.place / f"set-aside-{moment}-{uuid.uuid4().hex[:6]}")
        self._agreement.forget()

    def _stored_versions(self) -> dict[str, ObjectVersion]:
        return of_the_run(self._objects.find())
