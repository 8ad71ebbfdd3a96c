"""Values that decoders can give but JSON cannot hold, written the way BFCL's score files do."""

from __future__ import annotations

import json
from typing import Any, cast


def json_line(value: Any) -> bytes:
    """Write one line of a score file.

    Args:
        value: Anything; what JSON has no form for becomes its ``str``.

    Returns:
        UTF-8 with its newline; characters beyond ASCII stay as they are, unless UTF-8 cannot carry them.
    """
    value = _with_text_keys(value)
    try:
        return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, default=str).encode("ascii") + b"\n"


def _with_text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {_key(key): _with_text_keys(item) for key, item in items}
    if isinstance(value, list | tuple):
        return [_with_text_keys(item) for item in cast("list[Any]", value)]
    return value


def _key(key: Any) -> Any:
    return key if isinstance(key, str | int | float | None) else str(key)
