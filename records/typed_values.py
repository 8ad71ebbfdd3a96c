"""Values of a type from JSON or plain data, safe for several threads.

msgspec builds what it knows of a record type when the type is first used, and shows the unfinished half to other threads,
which then crash the process. So each type is built here, one at a time.
"""

from __future__ import annotations

import os
import threading
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")

_built: set[Any] = set()
_building = threading.RLock()


def _forget_holder() -> None:
    """Replace the lock, which a thread of the parent may have held when this process was forked."""
    global _building  # noqa: PLW0603 - a lock cannot be taken back from a thread that is not here
    _building = threading.RLock()


os.register_at_fork(after_in_child=_forget_holder)


def _build(kind: Any) -> None:
    if kind not in _built:
        with _building:
            msgspec.json.Decoder(kind)
            _built.add(kind)


@overload
def convert(value: Any, kind: type[T]) -> T: ...
@overload
def convert(value: Any, kind: Any) -> Any: ...
def convert(value: Any, kind: Any) -> Any:
    """Return plain data as a value of a type.

    Raises:
        msgspec.ValidationError: It has another shape.
    """
    if kind not in _built:
        _build(kind)
    return msgspec.convert(value, kind)


@overload
def decode_json(raw: bytes | bytearray | memoryview | str, kind: type[T]) -> T: ...
@overload
def decode_json(raw: bytes | bytearray | memoryview | str, kind: Any) -> Any: ...
def decode_json(raw: bytes | bytearray | memoryview | str, kind: Any) -> Any:
    """Return JSON as a value of a type.

    Raises:
        msgspec.DecodeError: It is not JSON.
        msgspec.ValidationError: It has another shape.
    """
    if kind not in _built:
        _build(kind)
    return msgspec.json.decode(raw, type=kind)


@overload
def decode_msgpack(raw: bytes, kind: type[T]) -> T: ...
@overload
def decode_msgpack(raw: bytes, kind: Any) -> Any: ...
def decode_msgpack(raw: bytes, kind: Any) -> Any:
    """Return MessagePack as a value of a type.

    Raises:
        msgspec.DecodeError: It is not MessagePack.
        msgspec.ValidationError: It has another shape.
    """
    if kind not in _built:
        _build(kind)
    return msgspec.msgpack.decode(raw, type=kind)


def json_decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """Return a decoder of JSON texts of one type."""
    _build(kind)
    return msgspec.json.Decoder(kind)
