"""Answers that commands print: JSON within other text, or else the text."""

from __future__ import annotations

from itertools import chain
from typing import Any, cast

import msgspec

from ...errors import RecordError, UsageError
from ...records import Case
from .agent_answers import answer_fields, expected_instead, output_of
from .attempt import Attempt

MAX_OUTPUT = 16 * 1024 * 1024
"""Maximum number of bytes that a command may print."""

TOO_MUCH = {"error": f"it printed more than {MAX_OUTPUT >> 20} MiB"}

_MAX_CHARS_SHOWN = 200
_MAX_STARTS = 8
"""Number of lines, from the last, that are tried as the first line of JSON."""


def read_answer(raw: bytes, case: Case) -> Any:
    """Return the answer that a command printed, or its failure.

    JSON may be the whole text, its last lines together, or the last line that is an object, list or string. Without JSON, the
    text is the answer.
    """
    if not raw.strip():
        return {"error": "it printed nothing"}
    value = _json_in(raw)
    if value is not None:
        problem = _why_no_output(value, raw, case)
        return value if problem is None else {"error": f"it printed what is no output: {problem}"}
    try:
        text = raw.decode("utf-8").strip()
    except UnicodeDecodeError:
        return {"error": f"it printed what is no UTF-8: {printed_start(raw)}"}
    return {"error": f"it printed what is no JSON: {printed_start(raw)}"} if text.startswith("{") else text


def json_line(raw: bytes) -> Any:
    """Return a JSON object, list or string, or None for anything else."""
    try:
        value: Any = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return cast("Any", value) if isinstance(value, dict | list | str) else None


def printed_start(raw: bytes) -> str:
    """Return the beginning of what a command printed, on one line."""
    return " ".join(raw[:_MAX_CHARS_SHOWN].decode("utf-8", "replace").split())


def _json_in(raw: bytes) -> Any:
    if (value := json_line(raw)) is not None:
        return value
    lines = raw.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if line[:1] in {b"{", b"["}][-_MAX_STARTS:]
    last_lines = (b"".join(lines[start:]) for start in reversed(starts))
    # The last JSON counts, since agents print logs before their answer.
    candidates = (json_line(text) for text in chain(last_lines, reversed(lines)))
    return next((value for value in candidates if value is not None), None)


def _why_no_output(value: Any, raw: bytes, case: Case) -> str | None:
    """Return the reason why a value is not an output, or None if it is one."""
    try:
        if answer_fields(value, case) is None:
            return f"{printed_start(raw)}; expected {expected_instead(value)}"
        output_of(value, Attempt(case=case), "", 0, in_turns=False, renamed=True)
    except (RecordError, UsageError) as error:
        return str(error)
    return None
