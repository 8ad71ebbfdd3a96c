"""Input and output lines of OpenAI's batches, which only `custom_id` brings together."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from ..errors import RecordError
from ..tables.json_rows import decode
from .file_rows import FileRow
from .imported_records import FilePosition
from .json_values import is_object

_REPLY_FIELDS = ("response", "error")


class _StoredLine(NamedTuple):
    """A line as bytes, which take less memory than its objects."""

    raw: bytes
    position: FilePosition
    number: int


def is_request(value: Any) -> bool:
    """Return whether a line asks a batch: an id and a body, without an answer."""
    return (
        is_object(value)
        and isinstance(value.get("custom_id"), str)
        and is_object(value.get("body"))
        and not value.keys() & {*_REPLY_FIELDS}
    )


def is_reply(value: Any) -> bool:
    """Return whether a line is a batch's answer, which does not repeat the request."""
    if not is_object(value) or not isinstance(value.get("custom_id"), str) or "body" in value:
        return False
    response = value.get("response")
    if is_object(response):
        return "status_code" in response and "body" in response
    return response is None and value.keys() >= {*_REPLY_FIELDS} and "messages" not in value


def missing_request(row: FileRow) -> RecordError:
    """Return the error for an answer whose request is in no file that was given."""
    name, file = row.value["custom_id"], shlex.quote(str(row.position.path))
    return RecordError(
        f"the question of {name!r} is in the batch's input file; give both: fiducial import INPUT {file}",
        field="custom_id",
    )


class BatchLines:
    """Lines of batches, kept until all files are read, since either file may come first."""

    def __init__(self) -> None:
        self._requests: dict[str, _StoredLine] = {}
        self._replies: dict[str, _StoredLine] = {}

    def __bool__(self) -> bool:
        """Return whether any line waits."""
        return bool(self._requests or self._replies)

    def holds(self, row: FileRow) -> bool:
        """Store a line of a batch and return True, or return False for any other line."""
        if is_request(row.value):
            lines_by_id = self._requests
        elif is_reply(row.value):
            lines_by_id = self._replies
        else:
            return False
        name = row.value["custom_id"]
        if name in lines_by_id:
            raise RecordError(f"another line has the custom_id {name!r}", field="custom_id")
        lines_by_id[name] = _StoredLine(msgspec.json.encode(row.value), row.position, row.number)
        return True

    def rows(self) -> Iterator[FileRow]:
        """Yield each request with its answer, then the answers without a request, and forget them."""
        requests, replies = self._requests, self._replies
        self._requests, self._replies = {}, {}
        for name, request in requests.items():
            reply = replies.pop(name, None)
            line = decode(request.raw)
            if reply is not None:
                answer = decode(reply.raw)
                line |= {field: answer.get(field) for field in _REPLY_FIELDS}
            yield FileRow(line, request.position, number=request.number)
        for reply in replies.values():
            yield FileRow(decode(reply.raw), reply.position, number=reply.number)
