"""Run folders by address: an object store cannot append, so that a run works in a copy on this machine, which is put back as it grows.

The copy stays when the run ends, however it ends: after a kill the same command goes on with it. Manifests are put last, so that none promises what is not there yet.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import filelock
import msgspec

from ...errors import FiducialError, InputError, RunFolderError, as_named, call
from ...records import atomic_write
from ...records.fetching import fetch_input, hashed, make_private, refuse_too_much
from ...records.objects import Mark, ObjectFolder
from .remote_lock import RemoteLock
from .seals import Seal

_MANIFEST = "run.json"
_EVERY = 60.0
_SHARE = 20
"""Seconds between two looks at what has grown; and how many times as long as putting it took is waited at least."""

_PATIENCE = 600
"""Seconds that another process of this machine is waited for while it fetches."""

_TRIES, _NOTED_AFTER = 3, 0.5
_SCRATCH = "putting-"


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    """An object as it was when copy and store agreed: the file's size and time, and the object's mark."""

    size: int
    modified: int
    mark: Mark


class _State(msgspec.Struct):
    """What is known of a copy.

    Attributes:
        address: What it is a copy of.
        copy: A name that no other copy has.
        objects: What copy and store agreed on, by name.
    """

    address: str
    copy: str
    objects: dict[str, _Kept] = {}


class WorkingCopy:
    """A folder on this machine that stands for one in a store.

    Args:
        address: Where the folder is.
        cache: The folder for such copies.
        every: Seconds between two times that it is put back while a run goes on, at least.
        now: The clock, in seconds since 1970.

    Attributes:
        name: The address as it may be shown.
        place: Where everything about the copy is.
        folder: The copy itself.
        set_aside: Where work went that the store never got, and that somebody else has meanwhile done otherwise; None where there was none.
    """

    def __init__(
        self, address: str, cache: Path, *, every: float = _EVERY, now: Callable[[], float] = time.time
    ) -> None:
        self._objects = ObjectFolder(address)
        if self._objects.is_pattern:
            raise InputError("a pattern is no folder", path=self._objects.name)
        self.name = self._objects.name
        self._cache = cache
        self.place = cache / hashed(self._objects.address)
        self.folder = self.place / "folder"
        self.set_aside: Path | None = None
        self._every = every
        make_private(self.place)
        self._written = 0.0
        with self._undisturbed():
            self._state = self._read_state()
        self._lock = RemoteLock(self._objects, self._state.copy, now)
        self._alone = filelock.FileLock(self.place / "writing.lock", timeout=0, thread_local=False)
        self._guard, self._ended = threading.RLock(), threading.Event()
        self._holders, self._locked, self._lost = 0, False, False
        self._before: dict[str, tuple[int, int]] = {}
        call(self.folder, self.name)

    def fetch(self) -> None:
        """Bring the copy to what the store has, unless it is this copy that wrote there last.

        Raises:
            InputError: The store cannot be read, or changes meanwhile.
        """
        with self._undisturbed():
            self._state = self._read_state()
            if self._is_written() or self._lock.is_ours():
                return
            for _ in range(_TRIES):
                marks = self._marks()
                if marks == self._agreed():
                    return
                if self._differing():
                    self._put_aside()
                self._fetch(marks)
            raise InputError("changes while it is read; again, when it is all there", path=self.name)

    def _is_written(self) -> bool:
        """Whether a process of this machine writes the copy now."""
        if not self._locked:
            try:
                self._alone.acquire()
            except filelock.Timeout:
                return True
            self._alone.release()
        return self._locked

    @contextmanager
    def _undisturbed(self) -> Generator[None]:
        """One process of this machine at a time."""
        try:
            with filelock.FileLock(self.place / "fetching.lock", timeout=_PATIENCE):
                yield
        except filelock.Timeout as error:
            raise RunFolderError(
                f"{self.name}: another process has been fetching this for long; again, when it is done"
            ) from error

    def fetch_beside(self, address: str) -> Path | None:
        """An input of the run that is in the same store; None of any other: a run folder may be a stranger's, and say whom to ask."""
        scheme, found, rest = self._objects.address.partition("://")
        bucket = f"{scheme}{found}{rest.partition('/')[0]}/"
        if not address.startswith(bucket):
            return None
        objects = ObjectFolder(address)
        return fetch_input(objects, objects.find(), self._cache.parent / "inputs")

    @contextmanager
    def held(self) -> Generator[None]:
        """Whatever is changed in the folder until the end of the outermost block is put back then, in one piece with the lock."""
        with self._guard:
            self._holders += 1
            if self._holders == 1:
                self._before = self._files()
        try:
            yield
        finally:
            with self._guard:
                self._holders -= 1
                if not self._holders:
                    self._settle()

    @contextmanager
    def written(self) -> Generator[None]:
        """The same for who writes a run: from the beginning nobody else writes there, and what there is is put back as it grows.

        Raises:
            RunFolderError: Somebody else is writing it.
        """
        with self.held():
            self._begin()
            self._ended = threading.Event()
            threading.Thread(
                target=self._keep_up, args=[self._ended], name="checkpoints", daemon=True
            ).start()
            yield

    def _begin(self) -> None:
        with self._guard:
            if self._locked:
                return
            try:
                self._alone.acquire(timeout=1)  # somebody may be looking whether it is taken
            except filelock.Timeout as error:
                raise RunFolderError(
                    f"{self.name}: another process is writing this run; wait for it"
                ) from error
            try:
                for left in self.place.glob(f"{_SCRATCH}*"):  # by a kill
                    shutil.rmtree(left, ignore_errors=True)
                ours = self._lock.is_ours()
                self._lock.take()
                if not ours:
                    self._refuse_other_content()
            except BaseException:
                self._alone.release()
                raise
            self._locked, self._lost = True, False

    def _refuse_other_content(self) -> None:
        if self._marks() != self._agreed():
            self._lock.release()
            raise RunFolderError(
                f"{self.name}: was written by another machine just now; the same command goes on with that"
            )

    def _agreed(self) -> dict[str, Mark]:
        return {name: kept.mark for name, kept in self._state.objects.items()}

    def _keep_up(self, ended: threading.Event) -> None:
        """Put the folder back from time to time; what cannot be put now is put later."""
        wait = self._every
        while not ended.wait(wait):
            started = time.monotonic()
            with suppress(FiducialError, OSError), self._guard:
                if ended.is_set() or not self._still_ours():
                    return
                self._put()
            wait = max(self._every, _SHARE * (time.monotonic() - started))

    def _still_ours(self) -> bool:
        self._lost = self._lost or not self._lock.renew()
        return not self._lost

    def _settle(self) -> None:
        """Put back what was changed, and let others write."""
        self._ended.set()
        if not self._locked and (self._files() == self._before or self._is_written()):
            return  # or whoever writes it puts this, too
        try:
            self._begin()
            if not self._still_ours():
                raise RunFolderError(
                    f"{self.name}: {self._lock.holder() or 'somebody'} has taken this run over"
                )
            self._put()
            self._lock.release()
        except FiducialError as error:
            raise RunFolderError(
                f"{as_named(error)}. What was done is kept on this machine ({self.place}); the same command goes on with it"
            ) from error
        finally:
            self._locked = False
            self._alone.release()

    def _put(self) -> None:
        """Put what differs, as it is at one moment: the manifests last."""
        self._state = self._read_state()
        if not self._differing() and not self._gone():
            return
        with TemporaryDirectory(prefix=_SCRATCH, dir=self.place) as scratch:
            files = self._copied(Path(scratch))
            self._break_seals(Path(scratch), files)
            for name in sorted(files, key=_manifests_last):
                size, modified = files[name]
                mark = self._objects.put(name, Path(scratch, name))
                self._note(name, _Kept(size, modified, mark))
        for name in self._gone():
            self._objects.remove(name)
            del self._state.objects[name]
        for name, mark in self._marks().items():  # as a listing has it, where that says it in another way
            if name in files:
                self._state.objects[name] = msgspec.structs.replace(self._state.objects[name], mark=mark)
        self._write_state()

    def _copied(self, scratch: Path) -> dict[str, tuple[int, int]]:
        """What differs, copied while the manifest did not change, so that it is true of the rest; sizes and times as they were before."""
        while True:
            manifest, files = self._manifest_stamp(), self._differing()
            for name in files:
                target = scratch / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.folder / name, target, follow_symlinks=False)
            if manifest == self._manifest_stamp():
                return files

    def _manifest_stamp(self) -> tuple[int, int, int] | None:
        try:
            status = (self.folder / _MANIFEST).stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def _break_seals(self, scratch: Path, files: Collection[str]) -> None:
        """Take the seals off the stored manifest that what is put next would not bear out: an upload that is cut off must not look like a change by hand."""
        stored = self._objects.read(_MANIFEST) if _MANIFEST in self._state.objects else None
        if stored is None:
            return
        try:
            manifest: dict[str, Any] = msgspec.json.decode(stored)
            seals = msgspec.convert(manifest.get("journals") or {}, dict[str, Seal])
        except (msgspec.MsgspecError, AttributeError):
            return  # somebody else's, about to be replaced
        broken = {name for name in seals if name in files and not _bears_out(scratch / name, seals[name])}
        if broken:
            manifest["journals"] = {name: seals[name] for name in seals.keys() - broken}
            self._objects.write(_MANIFEST, msgspec.json.encode(manifest))

    def _fetch(self, marks: Mapping[str, Mark]) -> None:
        known = self._state.objects
        wanted = {name: mark for name, mark in marks.items() if name not in known or known[name].mark != mark}
        refuse_too_much(wanted, self.place, self.name)
        for name in sorted(wanted, key=_manifests_last):
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_name(f".{file.name}.0.tmp")
            part.unlink(missing_ok=True)
            try:
                self._objects.fetch(name, part)
                part.replace(file)
            finally:
                part.unlink(missing_ok=True)
            status = file.stat()
            self._note(name, _Kept(status.st_size, status.st_mtime_ns, wanted[name]))
        for name in known.keys() - marks.keys():
            (self.folder / name).unlink(missing_ok=True)
            del known[name]
        self._write_state()

    def _put_aside(self) -> None:
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        self.set_aside = self.folder.rename(self.place / f"set-aside-{moment}-{uuid.uuid4().hex[:6]}")
        self._state.objects = {}
        self._write_state()

    def _marks(self) -> dict[str, Mark]:
        return {name: mark for name, mark in self._objects.find().items() if _belongs(name)}

    def _files(self) -> dict[str, tuple[int, int]]:
        """Size and time of every file of the copy that belongs to the run."""
        found = dict[str, tuple[int, int]]()
        for file in self.folder.rglob("*"):
            name = file.relative_to(self.folder).as_posix()
            if not _belongs(name) or file.is_symlink() or not file.is_file():
                continue
            with suppress(FileNotFoundError):
                status = file.stat()
                found[name] = status.st_size, status.st_mtime_ns
        return found

    def _differing(self) -> dict[str, tuple[int, int]]:
        """The files that are not as they were when copy and store agreed."""
        known = self._state.objects
        return {
            name: stamp
            for name, stamp in self._files().items()
            if name not in known or stamp != (known[name].size, known[name].modified)
        }

    def _gone(self) -> set[str]:
        return self._state.objects.keys() - self._files().keys()

    def _note(self, name: str, kept: _Kept) -> None:
        """Keep in mind what was just brought to agreement; written now and then, since there may be thousands."""
        self._state.objects[name] = kept
        if time.monotonic() - self._written > _NOTED_AFTER:
            self._write_state()

    def _read_state(self) -> _State:
        try:
            return msgspec.json.decode((self.place / "state.json").read_bytes(), type=_State)
        except FileNotFoundError:
            self._state = _State(self.name, uuid.uuid4().hex)
            self._write_state()
            return self._state

    def _write_state(self) -> None:
        self._written = time.monotonic()
        with atomic_write(self.place / "state.json") as file:
            file.write(msgspec.json.encode(self._state))


def _belongs(name: str) -> bool:
    """Whether a file is the run's: neither a lock nor unfinished, nor the address itself."""
    last = name.rpartition("/")[2]
    return bool(name) and not name.startswith(".") and not (last.startswith(".") and last.endswith(".tmp"))


def _manifests_last(name: str) -> tuple[bool, str]:
    return name.rpartition("/")[2] == _MANIFEST, name


def _bears_out(file: Path, seal: Seal) -> bool:
    """Whether a file begins with what was sealed."""
    digest, left = hashlib.sha256(), seal.bytes
    with file.open("rb") as opened:
        while left and (piece := opened.read(min(left, 1 << 20))):
            digest.update(piece)
            left -= len(piece)
    return not left and digest.hexdigest() == seal.sha256
