"""Read and write objects in stores that `fsspec` supports (s3, gs, abfs, memory, ...).

Errors of drivers become one line with the address, which never contains a credential.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigurationError, InputError, MissingExtraError, UsageError
from .addresses import redact

_WILDCARD = re.compile(r"[*\[]")

_DRIVER_PACKAGES = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "az", "adl"), "adlfs"),
}
"""Packages with the drivers of schemes, which errors name if one is missing."""

_VERSION_KEYS = (
    "ETag",
    "etag",
    "md5Hash",
    "crc32c",
    "mtime",
    "LastModified",
    "last_modified",
    "created",
    "updated",
)
"""Keys under which drivers return an object's version; the first that is there counts."""

_MAX_OBJECTS = 100_000
"""Limit on the objects at an address. With more, the address is probably wrong."""

_CHUNK_BYTES = 1024 * 1024

fetched_alone: set[Path] = set()
"""Files that were fetched without their folder, so the workspaces that outputs name are not there."""


class ObjectVersion(NamedTuple):
    """Size and version of an object, which differ if its content does."""

    size: int
    version: str


class ObjectFolder:
    """Objects below an address.

    Args:
        address: The address of an object, of a folder of objects, or of some in a folder (``s3://bucket/part-*.jsonl``).

    Attributes:
        address: The address; only its hash may be stored, since it may contain a secret.
        name: The address without secrets, for messages.

    Raises:
        UsageError: Addresses of this kind are not supported.
        MissingExtraError: `fsspec` is not installed.
        ConfigurationError: The driver for the address is not installed.
    """

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.name = redact(self.address)
        self._secret = self.name != self.address
        scheme = address.partition("://")[0].lower()
        if scheme in {"http", "https"}:
            raise UsageError(
                f"{self.name}: web addresses are not read; download the file first: curl -fLO ADDRESS"
            )
        if "::" in scheme:
            raise UsageError(f"{self.name}: addresses within addresses are not read")
        try:
            core: Any = import_module("fsspec.core")  # an extra
        except ImportError as error:
            raise MissingExtraError("objects", self.name) from error
        with self._translate_errors(scheme):
            self._fs, root = core.url_to_fs(address)
            self._root: str = root.rstrip("/")
        self._pattern: str | None = None
        if _WILDCARD.search(self._root):
            self._pattern, self._root = self._root, self._root.rpartition("/")[0]
            if not self._root or _WILDCARD.search(self._root):
                raise UsageError(f"{self.name}: a pattern is for names in one folder")

    @property
    def is_pattern(self) -> bool:
        """True if the address is a pattern for some objects of a folder."""
        return self._pattern is not None

    def find(self) -> dict[str, ObjectVersion]:
        """Return the objects below the address, by their names relative to it.

        An object at the address itself has the name ``""``.
        """
        with self._translate_errors():
            self._fs.invalidate_cache()  # else an earlier listing would be returned
            objects: dict[str, Any] = (
                self._fs.find(self._root, detail=True)
                if self._pattern is None
                else self._fs.glob(self._pattern, detail=True)
            )
        if len(objects) > _MAX_OBJECTS:
            raise InputError(f"more than {_MAX_OBJECTS:,} objects are below this address", path=self.name)
        return {
            self._relative_name(key): _version_of(info)
            for key, info in objects.items()
            if info.get("type") != "directory" and not key.endswith("/")
        }

    def _relative_name(self, key: str) -> str:
        name = key.removeprefix(self._root).removeprefix("/")
        if name and ({"", ".", ".."} & {*name.split("/")} or "\0" in name):
            raise InputError(f"an object's name leads out of the folder: {name!r}", path=self.name)
        return name

    def fetch(self, name: str, to: Path) -> None:
        """Copy an object to a file, piece by piece."""
        with (
            self._translate_errors(),
            self._fs.open(self._key(name), "rb") as source,
            to.open("xb") as target,
        ):
            while piece := source.read(_CHUNK_BYTES):
                target.write(piece)

    def put(self, name: str, file: Path) -> ObjectVersion:
        """Upload a file as an object, and return the new version."""
        with self._translate_errors():
            self._fs.put_file(str(file), self._key(name))
            self._fs.invalidate_cache()
            return _version_of(self._fs.info(self._key(name)))

    def read(self, name: str) -> bytes | None:
        """Return the content of a small object, or None if it does not exist."""
        with self._translate_errors(), suppress(FileNotFoundError):
            return bytes(self._fs.cat_file(self._key(name)))
        return None

    def write(self, name: str, content: bytes, *, only_if_new: bool = False) -> bool:
        """Write a small object.

        Args:
            name: Its name.
            content: Its new content.
            only_if_new: Whether to write only if there is no such object. The store decides that itself, if it can.

        Returns:
            Whether the object has this content now; False if another process wrote another content.
        """
        with self._translate_errors():
            try:
                self._fs.pipe_file(self._key(name), content, **({"mode": "create"} if only_if_new else {}))
            except Exception:
                # If the object exists now, another process was first: the result says whose content it is.
                if not only_if_new or self.read(name) is None:
                    raise
            self._fs.invalidate_cache()
        return self.read(name) == content

    def remove(self, name: str) -> None:
        """Delete an object if it exists."""
        with self._translate_errors(), suppress(FileNotFoundError):
            self._fs.rm_file(self._key(name))

    def _key(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    @contextmanager
    def _translate_errors(self, scheme: str = "") -> Generator[None]:
        """Translate errors that drivers raise into one line.

        If the address contains a secret, the cause is dropped, because its text may contain the secret, too.
        """
        try:
            yield
        except FileNotFoundError as error:
            raise self._error("there is no such object, or no such bucket") from self._cause(error)
        except (InputError, UsageError, ConfigurationError):
            raise
        except ImportError as error:
            driver = _DRIVER_PACKAGES.get(scheme)
            remedy = f"pip install {driver}" if driver else redact(str(error))
            raise ConfigurationError(
                f"{self.name}: the driver of {scheme}:// is not installed: {remedy}"
            ) from error
        except Exception as error:  # noqa: BLE001 - drivers have no common base class of errors
            # fsspec says "Protocol not known".
            if scheme and isinstance(error, ValueError) and "rotocol" in str(error):
                raise UsageError(f"{self.name}: fsspec does not support {scheme}://") from self._cause(error)
            raise self._error(_reason_of_failure(error)) from self._cause(error)

    def _error(self, message: str) -> InputError:
        return InputError(message, path=self.name)

    def _cause(self, error: Exception) -> Exception | None:
        return None if self._secret else error


def _version_of(info: dict[str, Any]) -> ObjectVersion:
    version = next((str(info[key]) for key in _VERSION_KEYS if info.get(key)), "")
    return ObjectVersion(int(info.get("size") or 0), version.strip('"'))


def _reason_of_failure(error: Exception) -> str:
    """Return the reason of a failure, by the class names of the error and its causes."""
    causes, cause = list[BaseException](), error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    names = " ".join(type(exception).__name__ for exception in causes)
    if "Credential" in names or "Token" in names:
        return "the driver finds no credentials that it can use"
    if "Permission" in names or "Forbidden" in names or "AccessDenied" in names:
        return "not permitted; check the driver's credentials and their permissions"
    if "Timeout" in names:
        return "the store did not answer in time"
    if any(part in names for part in ("Connect", "Endpoint", "gaierror", "DNS", "ClientOS")):
        return "the store cannot be reached"
    lines = redact(str(error)).strip().splitlines()
    return f"the store said: {lines[0] if lines else type(error).__name__}"
