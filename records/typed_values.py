"""Decode JSON, MessagePack and plain data as values of a type, safely in several threads.

When a record type is first used, msgspec collects its fields. Other threads see this data unfinished and crash the process. So types are
built here first, by one thread at a time.
"""

from __future__ import annotations

import os
import threading
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")

_types_built: set[Any] = set()
_build_lock = threading.RLock()


def _replace_lock() -> None:
    """Replace the lock, which a thread of the parent may have held when this process was forked."""
    global _build_lock  # noqa: PLW0603 - a lock cannot be taken back from a thread that is not here
    _build_lock = threading.RLock()


os.register_at_fork(after_in_child=_replace_lock)


def _build(kind: Any) -> None:
    if kind not in _types_built:
        with _build_lock:
            msgspec.json.Decoder(kind)  # making a decoder is what makes msgspec collect the fields
            _types_built.add(kind)


@overload
def convert(value: Any, kind: type[T]) -> T: ...
@overload
def convert(value: Any, kind: Any) -> Any: ...
def convert(value: Any, kind: Any) -> Any:
    """Return plain data as a value of a type.

    Raises:
        msgspec.ValidationError: The data is not of this type.
    """
    if kind not in _types_built:
        _build(kind)
    return msgspec.convert(value, kind)


@overload
def decode_json(raw: bytes | bytearray | memoryview | str, kind: type[T]) -> T: ...
@overload
def decode_json(raw: bytes | bytearray | memoryview | str, kind: Any) -> Any: ...
def decode_json(raw: bytes | bytearray | memoryview | str, kind: Any) -> Any:
    """Return JSON as a value of a type.

    Raises:
        msgspec.DecodeError: The text is not JSON.
        msgspec.ValidationError: The value is not of this type.
    """
    if kind not in _types_built:
        _build(kind)
    return msgspec.json.decode(raw, type=kind)


@overload
def decode_msgpack(raw: bytes, kind: type[T]) -> T: ...
@overload
def decode_msgpack(raw: bytes, kind: Any) -> Any: ...
def decode_msgpack(raw: bytes, kind: Any) -> Any:
    """Return MessagePack as a value of a type.

    Raises:
        msgspec.DecodeError: The bytes are not MessagePack.
        msgspec.ValidationError: The value is not of this type.
    """
    if kind not in _types_built:
        _build(kind)
    return msgspec.msgpack.decode(raw, type=kind)


def json_decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """Return a decoder of JSON texts of one type."""
    _build(kind)
    return msgspec.json.Decoder(kind)
