"""Values that decoders can give but JSON cannot hold, written the way BFCL's score files do."""

from __future__ import annotations

import json
from typing import Any, cast

_DEEPEST = 200
"""Levels of nesting that are written; hostile answers nest until the interpreter gives up."""

_LARGEST_BITS = 4096
"""Larger integers are written in hexadecimal: Python refuses to write their decimal digits."""


def json_line(value: Any) -> bytes:
    """Write one line of a score file.

    Args:
        value: Anything; what JSON has no form for becomes its ``str``.

    Returns:
        UTF-8 with its newline; characters beyond ASCII stay as they are, unless UTF-8 cannot carry them.
    """
    value = _writable(value, _DEEPEST)
    try:
        return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, default=str).encode("ascii") + b"\n"


def _writable(value: Any, levels: int) -> Any:
    if isinstance(value, int) and value.bit_length() > _LARGEST_BITS:
        return hex(value)
    if not isinstance(value, dict | list | tuple):
        return value
    if not levels:
        return "... nested too deeply to be written"
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {_key(key): _writable(item, levels - 1) for key, item in items}
    return [_writable(item, levels - 1) for item in cast("list[Any]", value)]


def _key(key: Any) -> Any:
    return key if isinstance(key, str | float | bool | None) else str(_writable(key, 0))
