"""Lock of a run in an object store: an object that names its holder and the last heartbeat."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

import msgspec

from ...errors import RunFolderError
from ...records.json_text import encode_json
from ...records.objects import ObjectFolder
from ...records.typed_values import decode_json

LOCK = ".fiducial-lock"

GONE_AFTER = 15 * 60
"""Seconds without a heartbeat after which a writer counts as gone."""
_YEAR_10000 = 253_402_300_800
"""First second after the years that `datetime` can show."""


class Holder(msgspec.Struct, frozen=True):
    """Holder of a lock.

    Attributes:
        copy: Unique name of the working copy.
        host: Name of its machine.
        process: Id of its process.
        heard: Time of the last heartbeat, in seconds since 1970.
    """

    copy: str
    host: str
    process: int
    heard: Annotated[float, msgspec.Meta(ge=0, lt=_YEAR_10000)]

    def __str__(self) -> str:
        when = datetime.fromtimestamp(self.heard, UTC).isoformat(timespec="seconds")
        return f"{self.host} (process {self.process}, last heard of at {when})"


class RemoteLock:
    """Lock on a run folder in a store, held by one working copy.

    It is taken by a conditional write if the store supports that, and checked by reading it again. Clocks must agree within minutes. A
    machine that continues after more than `GONE_AFTER` of silence is not kept out: until its next `renew`, it writes without the lock.
    """

    def __init__(self, objects: ObjectFolder, copy: str, now: Callable[[], float]) -> None:
        self._objects, self._copy, self._now = objects, copy, now

    def holder(self) -> Holder | None:
        """Return the holder of the lock, or None if there is none."""
        content = self._objects.read(LOCK)
        if content is None:
            return None
        try:
            return decode_json(content, Holder)
        except msgspec.MsgspecError as error:
            raise RunFolderError(
                f"{self._objects.name}/{LOCK}: is not a readable lock; remove it if no process writes this run"
            ) from error

    def is_ours(self) -> bool:
        """Return whether this working copy holds the lock, or held it when it was killed."""
        holder = self.holder()
        return holder is not None and holder.copy == self._copy

    def take(self) -> None:
        """Take the lock; RunFolderError if another working copy holds it."""
        holder = self.holder()
        if holder is not None and holder.copy != self._copy:
            # The distance counts in both directions: a heartbeat in the far future comes from a clock that jumped, and would hold the lock until then.
            if abs(self._now() - holder.heard) < GONE_AFTER:
                raise self._refusal_by(holder)
            self._objects.remove(LOCK)
            holder = None
        if not self._write(only_if_new=holder is None):
            raise self._refusal_by(self.holder())

    def renew(self) -> bool:
        """Write a heartbeat; False if another working copy has taken the lock."""
        return self.is_ours() and self._write(only_if_new=False)

    def release(self) -> None:
        """Release the lock, if this working copy holds it."""
        if self.is_ours():
            self._objects.remove(LOCK)

    def _write(self, *, only_if_new: bool) -> bool:
        this_copy = Holder(self._copy, socket.gethostname(), os.getpid(), self._now())
        return self._objects.write(LOCK, encode_json(this_copy), only_if_new=only_if_new)

    def _refusal_by(self, holder: Holder | None) -> RunFolderError:
        name = self._objects.name
        return RunFolderError(
            f"{name}: is being written by {holder or 'another machine'}; wait for it. If it is gone, the run is free "
            f"{GONE_AFTER // 60} minutes after that, or once {name}/{LOCK} is removed"
        )
