"""Cache replies in a SQLite file that all runs share, so that no call is paid for twice."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ...errors import InputError
from ...records.typed_values import json_decoder
from ...spelling import without
from .exchange import Provider, Reply, Request, WrappingProvider

_SCHEMA = """
CREATE TABLE IF NOT EXISTS reply (key TEXT PRIMARY KEY, model TEXT NOT NULL, made REAL NOT NULL, body BLOB NOT NULL)
WITHOUT ROWID
"""
_COLUMNS = ["key", "model", "made", "body"]
_BUSY_SECONDS = 30.0
"""Time to wait for another process that locks the file."""

_encode = msgspec.json.Encoder().encode
_decode = json_decoder(Reply).decode


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """Content of a reply cache.

    Attributes:
        path: The file.
        replies: Number of replies.
        size_bytes: Its size, write-ahead log included.
        models: Replies by model.
    """

    path: Path
    replies: int
    size_bytes: int
    models: dict[str, int]


class ReplyCache:
    """Replies by key, in one SQLite file.

    Every reply is committed before it is returned, so a killed process loses only calls in flight. The file is in write-ahead mode,
    so several processes may read and write at the same time.

    Args:
        path: The file; it and its folder are created if they are missing.

    Raises:
        InputError: The file cannot be opened, or is not a reply cache.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if path.is_symlink():
                raise InputError(
                    "is a symbolic link; a reply cache is read and written where it is", path=path
                )
            _restrict_to_owner(path)
            self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise _unusable_error(path, error) from error
        try:
            self._require_own_file()
            self._run("PRAGMA journal_mode = WAL")
            # A killed process loses nothing; a power cut may lose the newest replies, but does not damage the file.
            self._run("PRAGMA synchronous = NORMAL")
            self._run(_SCHEMA)
        except BaseException:
            self.close()
            raise

    def get(self, key: str) -> Reply | None:
        """Return the cached reply, with 0 calls, or None if it is missing or damaged.

        Raises:
            InputError: The file cannot be read.
        """
        rows = self._run("SELECT body FROM reply WHERE key = ?", (key,))
        if not rows:
            return None
        try:  # a damaged reply is requested again
            return msgspec.structs.replace(_decode(rows[0][0]), calls=0, from_cache=True)
        except msgspec.DecodeError:
            return None

    def put(self, key: str, model: str, reply: Reply) -> None:
        """Store a reply under its key, durably; `info` counts replies by ``model``.

        Raises:
            InputError: The file cannot be written: the disk is full, or another process locks it.
        """
        self._run(
            "INSERT OR REPLACE INTO reply VALUES (?, ?, ?, ?)", (key, model, time.time(), _encode(reply))
        )

    def info(self) -> CacheInfo:
        """Count the cached replies."""
        rows = self._run("SELECT model, count(*) FROM reply GROUP BY model ORDER BY model")
        models = {str(model): int(count) for model, count in rows}
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        size = sum(file.stat().st_size for file in files if file.exists())
        return CacheInfo(self.path, sum(models.values()), size, models)

    def clear(self, model: str | None = None) -> int:
        """Delete all replies, or those of one model, free their space, and return their number."""
        where, values = ("", ()) if model is None else (" WHERE model = ?", (model,))
        self._run(f"DELETE FROM reply{where}", values)  # noqa: S608 - fixed text
        ((count,),) = self._run("SELECT changes()")
        self._run("VACUUM")
        return int(count)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _require_own_file(self) -> None:
        """Refuse another program's database before anything is written."""
        if not self._run("SELECT name FROM sqlite_master"):
            return  # a new file; another process may create the same table now
        columns = [column for _, column, *_ in self._run("PRAGMA table_info(reply)")]
        if columns != _COLUMNS:
            raise InputError("is a SQLite file, but no reply cache; nothing was changed", path=self.path)

    def _run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        started = time.monotonic()
        try:
            try:
                return self._connection.execute(statement, values).fetchall()
            except sqlite3.OperationalError as error:
                remaining = _BUSY_SECONDS - (time.monotonic() - started)
                if not _is_busy(error) or remaining <= 0:
                    raise
                return self._run_again(statement, values, remaining)
        except sqlite3.Error as error:
            raise _unusable_error(self.path, error) from error

    def _run_again(self, statement: str, values: Sequence[Any], seconds: float) -> list[tuple[Any, ...]]:
        """Retry while another process locks the file, for at most ``seconds``.

        SQLite waits itself, except where it suspects a deadlock: if two processes switch a file to write-ahead mode at once.
        """
        import tenacity  # noqa: PLC0415 - slow to import, and few runs begin a cache at the same moment

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_is_busy),
            wait=tenacity.wait_random(0.001, 0.05),
            stop=tenacity.stop_after_delay(seconds),
            reraise=True,
        )
        return retrying(lambda: self._connection.execute(statement, values).fetchall())


def _restrict_to_owner(path: Path) -> None:
    """Create a missing file, and make it readable and writable for its owner alone.

    SQLite gives its log the same mode. The mode of another owner's file cannot be changed, and stays.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
    with suppress(OSError):
        path.chmod(0o600)


def _is_busy(error: BaseException) -> bool:
    """Return whether an error means that another process locks the file."""
    # The low byte of an extended error code is the basic code.
    return (
        isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    )


def _unusable_error(path: Path, error: Exception) -> InputError:
    return InputError(
        f"cannot be used as a reply cache: {error}; {without('cache')} does without one", path=path
    )


def cache_key(namespace: str, request: Request) -> str:
    """Return the cache key of a request's reply.

    The namespace is the endpoint's identity: the same name at two endpoints may be two models.
    """
    # Not the judge's fingerprint: docs/decisions/0004-replies-are-kept-by-request.md
    return hashlib.sha256(f"{namespace}\n{request.key}".encode()).hexdigest()


class CachingProvider(WrappingProvider):
    """Provider that answers from the cache, stores new replies, and closes the cache in the end.

    A request with ``anew`` ignores the cached reply, unless this provider has replaced it already.
    """

    def __init__(self, inner: Provider, cache: ReplyCache, namespace: str) -> None:
        super().__init__(inner)
        self._cache = cache
        self._namespace = namespace
        self._asked_anew = set[str]()

    async def complete(self, request: Request) -> Reply:
        """Look up or ask. See `Provider.complete`."""
        key = cache_key(self._namespace, request)
        if not request.anew or key in self._asked_anew:
            cached = self._cache.get(key)
            if cached is not None:
                return cached
        reply = await self._inner.complete(request)
        self._cache.put(key, request.model, reply)
        self._asked_anew.add(key)
        return reply

    async def aclose(self) -> None:
        """Close the cache and the inner provider."""
        self._cache.close()
        await super().aclose()
