"""Conversion of HTML to Markdown or plain text, in processes killed after a time limit."""

from __future__ import annotations

import atexit
import json
import math
import os
import select
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from ....errors import MissingExtraError

MAX_HTML = 1 << 20
"""Maximum number of bytes of a page that are converted."""

PAGE_SECONDS = 20.0
"""Time limit for fetching and converting a page together."""

_SCRIPT = Path(__file__).with_name("convert_html.py")
_PIECE_BYTES = 1 << 16
_MAX_HEAD_LENGTH = 32
"""Maximum length of a reply's first line, which is a number."""
_idle: dict[int, list[_Child]] = {}
"""Idle child processes, by the process that started them, since a fork must not use those of its parent."""


class ConversionError(Exception):
    """A page cannot be converted, or not in time."""


def html_to_text(html: str, form: str, seconds: float = PAGE_SECONDS) -> str:
    """Return a page as ``markdown`` or ``plain`` text.

    Raises:
        ConversionError: The page cannot be converted, or not within the time limit.
        MissingExtraError: The library that converts HTML is not installed.
    """
    if find_spec("html_to_markdown") is None:
        raise MissingExtraError("web", "reading HTML pages")
    idle = _idle.setdefault(os.getpid(), [])
    try:
        child = idle.pop()  # starting a process takes longer than converting a page
    except IndexError:
        child = _Child()
    try:
        text = child.convert(html.encode("utf-8", "replace")[:MAX_HTML], form, seconds)
    except BaseException:  # its pipes may still contain a part of the reply
        child.end()
        raise
    idle.append(child)
    return text


class _Child:
    """Child process that converts pages."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own script
            [sys.executable, "-P", str(_SCRIPT), json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout

    def convert(self, page: bytes, form: str, seconds: float) -> str:
        """Convert a page, or raise a ConversionError; see `html_to_text`."""
        deadline = monotonic() + seconds
        # The process's own limit is longer than ours, so it matters only if nobody kills the process.
        own_seconds = math.ceil(max(seconds, 0)) + 1
        request = {"form": form, "bytes": len(page), "seconds": own_seconds}
        try:
            self._stdin.write(json.dumps(request).encode() + b"\n" + page)
            self._stdin.flush()
        except OSError as error:
            raise ConversionError("the page could not be converted") from error
        head = b""
        while b"\n" not in head:
            head += self._read(deadline, seconds)
            if len(head.partition(b"\n")[0]) > _MAX_HEAD_LENGTH:
                raise ConversionError("the page could not be converted")
        length_line, _, text = head.partition(b"\n")
        if (length := int(length_line)) < 0:
            raise ConversionError("the page could not be converted")
        pieces, received = [text], len(text)
        while received < length:
            pieces.append(self._read(deadline, seconds))
            received += len(pieces[-1])
        return b"".join(pieces).decode("utf-8", "replace")

    def _read(self, deadline: float, seconds: float) -> bytes:
        waiting = select.poll()
        waiting.register(self._stdout, select.POLLIN)
        if not waiting.poll(max(0.0, deadline - monotonic()) * 1000):
            raise ConversionError(f"the page could not be converted within {seconds:.0f} seconds")
        piece = os.read(self._stdout.fileno(), _PIECE_BYTES)
        if not piece:
            raise ConversionError("the page could not be converted")
        return piece

    def end(self) -> None:
        self._process.kill()
        with suppress(OSError):
            self._stdin.close()
        self._stdout.close()
        self._process.wait()


@atexit.register
def _end_all() -> None:
    for child in _idle.pop(os.getpid(), []):
        child.end()
