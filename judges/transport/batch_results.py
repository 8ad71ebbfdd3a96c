"""Replies from the result files of a provider's batch endpoint (also of `vllm run-batch`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from ...errors import RecordError
from ...records import read_lines
from ...records.typed_values import decode_json
from ..as_json import replace_surrogates
from .completion import read_completion, read_json
from .exchange import CallError, NotRecordedError, Reply, Request
from .served_by import family

_MAX_MESSAGE_LENGTH = 300
"""Maximum characters of an error's message."""


class _Response(msgspec.Struct):
    status_code: int | None = None
    body: msgspec.Raw = msgspec.Raw(b"null")


class _Error(msgspec.Struct):
    code: str | int | None = None
    message: str | None = None
    error: _Error | str | None = None  # a body holds the error one level deeper


class _Line(msgspec.Struct):
    custom_id: str
    response: _Response | None = None
    error: _Error | str | None = None

    @property
    def succeeded(self) -> bool:
        status = self.response.status_code if self.response is not None else HTTPStatus.INTERNAL_SERVER_ERROR
        return self.error is None and (status is None or status < HTTPStatus.BAD_REQUEST)


class _ResultPosition(NamedTuple):
    """Position of a result: file number and offset in bytes; and whether it is a reply."""

    file_number: int
    offset: int
    succeeded: bool


class ResultsTally(NamedTuple):
    """Counts of the results in the files of a batch.

    Attributes:
        results: Requests that have a result.
        unasked: Results that no request of this run asked for. They belong to other prompts, models or outputs, or to outputs that
            have a verdict already.
        superseded: Further results of the same request.
        served_by: Number of replies by models of another family than the requested one, by model name.
    """

    results: int
    unasked: int
    superseded: int
    served_by: dict[str, int]


class BatchResults:
    """Provider that answers only from batch result files.

    Files are indexed once, and results are read on demand. If a request has several results, a reply is preferred to an error, and
    a later result to an earlier one. An unfinished last line of a file is skipped.

    Args:
        paths: Result and error files, in the order in which they were made.
        missing: Error message for a request without a result.

    Raises:
        InputError: A file cannot be read.
        RecordError: A line is not a batch result.
    """

    def __init__(self, paths: Sequence[Path], *, missing: str = "there is no result") -> None:
        self._missing = missing
        self._positions: dict[str, _ResultPosition] = {}
        self._requested = set[str]()
        self._superseded = 0
        self._other_models = Counter[str]()
        for file_number, path in enumerate(paths):
            for line, offset, raw in read_lines(path):
                result = _read_line(raw, path, line)
                if result is not None:
                    self._add(result, file_number, offset)
        self._files: list[BinaryIO] = [path.open("rb") for path in paths]

    def __contains__(self, key: str) -> bool:
        return key in self._positions

    def __len__(self) -> int:
        return len(self._positions)

    def find(self, key: str) -> Reply:
        """Return the reply to the request with this ``custom_id``.

        If a content filter stopped the prompt, the reply is a refusal.

        Raises:
            NotRecordedError: There is no result.
            CallError: The result is an error.
        """
        position = self._positions.get(key)
        if position is None:
            raise NotRecordedError(self._missing)
        file = self._files[position.file_number]
        file.seek(position.offset)
        line = _decode(file.readline())
        if position.succeeded and line.response is not None:
            return read_completion(_body(line.response))
        return _refusal_or_raise(line)

    async def complete(self, request: Request) -> Reply:
        """Look the reply up. See `Provider.complete`."""
        is_first = request.custom_id not in self._requested
        self._requested.add(request.custom_id)
        reply = self.find(request.custom_id)
        if is_first and reply.served_by is not None and family(reply.served_by) != family(request.model):
            self._other_models[reply.served_by] += 1
        return reply

    def tally(self) -> ResultsTally:
        """Return the counts of the results so far."""
        unasked = len(self._positions.keys() - self._requested)
        return ResultsTally(len(self._positions), unasked, self._superseded, dict(self._other_models))

    async def aclose(self) -> None:
        """Close the files. See `Provider.aclose`."""
        self.close()

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def _add(self, result: _Line, file_number: int, offset: int) -> None:
        earlier = self._positions.get(result.custom_id)
        self._superseded += earlier is not None
        if earlier is None or result.succeeded or not earlier.succeeded:
            self._positions[result.custom_id] = _ResultPosition(file_number, offset, result.succeeded)


def _read_line(raw: bytes, path: Path, line: int) -> _Line | None:
    try:
        return _decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        if not raw.endswith(b"\n"):
            return None  # cut off while it was downloaded or written
        raise RecordError(f"not a batch result: {error}", path=path, line=line) from error


def _decode(raw: bytes) -> _Line:
    try:
        return decode_json(raw, _Line)
    except msgspec.DecodeError as error:
        try:  # a lone surrogate in one reply must not make a whole file unreadable
            without_surrogates = replace_surrogates(json.dumps(read_json(raw), ensure_ascii=False))
        except CallError:
            raise error from None
        return decode_json(without_surrogates, _Line)


def _body(response: _Response) -> object:
    """Return the JSON value of a response's body; raise CallError if it is none."""
    try:
        return read_json(bytes(response.body))
    except CallError as error:
        raise CallError(f"the result's body cannot be read: {error}") from error


def _refusal_or_raise(line: _Line) -> Reply:
    """Return a refusal if a content filter stopped the prompt; raise any other error."""
    status = line.response.status_code if line.response is not None else None
    # OpenAI puts errors of the call into the response, and errors of the batch next to it.
    body_error, line_error = _error_in_body(line.response), _as_error(line.error)
    code = body_error.code or line_error.code
    text = body_error.message or line_error.message or "no reason given"
    if status == HTTPStatus.BAD_REQUEST and code == "content_filter":
        return Reply(refusal=text[:_MAX_MESSAGE_LENGTH], finish_reason="content_filter")
    parts = ("HTTP" if status else None, status, code)
    label = " ".join(str(part) for part in parts if part)
    raise CallError(f"in the batch: {label or 'error'}: {text[:_MAX_MESSAGE_LENGTH]}", status=status)


def _error_in_body(response: _Response | None) -> _Error:
    """Return the error in a response's body, or an empty error if the body has none."""
    try:
        error = decode_json(response.body, _Error | None) if response is not None else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        error = None
    error = error or _Error()
    return error if error.error is None else _as_error(error.error)


def _as_error(error: _Error | str | None) -> _Error:
    return _Error(message=error) if isinstance(error, str) else error or _Error()
