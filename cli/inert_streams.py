"""Standard streams that keep texts from data from acting as commands of a CI runner."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, TextIO, cast

from ..api.inert_text import inert

_MAX_UNFINISHED = 64
"""Characters of an unfinished line that are kept, since a command may be written in parts."""


@contextmanager
def inert_streams() -> Generator[None]:
    """Break commands in every text that is printed during the block.

    Such texts are results, Markdown, notes, progress and errors. Bytes, which `fiducial mcp` writes, pass unchanged.
    """
    streams = sys.stdout, sys.stderr
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            # Names in data may contain characters that a terminal cannot show: lone surrogates, or letters that its encoding lacks.
            # Where the encoding is ASCII, click would open a UTF-8 stream of its own, past this one.
            is_ascii = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding="utf-8" if is_ascii else None, errors="backslashreplace")
    sys.stdout, sys.stderr = (cast("TextIO", InertStream(stream)) for stream in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def echo_command(line: str, *, err: bool = False) -> None:
    """Print one command of a CI runner; the caller has escaped data as the command requires."""
    stream = sys.stderr if err else sys.stdout
    if isinstance(stream, InertStream):
        stream.write_command(line)
    else:
        stream.write(f"{line}\n")


class InertStream:
    """Text stream that breaks commands of CI runners on their way to another stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._unfinished_line = ""

    def write(self, text: str, /) -> int:
        """Write a text with its commands broken, even a command that an earlier text began."""
        # `inert` inserts nothing into the unfinished line, whose commands are broken already.
        inert_text = inert(self._unfinished_line + text)[len(self._unfinished_line) :]
        self._stream.write(inert_text)
        last_line = (self._unfinished_line + inert_text).replace("\r", "\n").rpartition("\n")[2]
        forgotten, end = last_line[:-_MAX_UNFINISHED], last_line[-_MAX_UNFINISHED:]
        # A dash stands for forgotten words, so that ``end`` does not look like the beginning of a line, where commands are obeyed.
        self._unfinished_line = f"-{end}" if forgotten.strip() else end
        return len(text)

    def write_command(self, line: str) -> None:
        """Write ``::NAME ...`` as one line that the runner obeys; break any other command in it."""
        if self._unfinished_line:
            self.write("\n")
        after_colons = line.removeprefix("::").replace("\r", " ").replace("\n", " ")
        self._stream.write(f"::{inert(after_colons)}\n")

    def writelines(self, lines: Iterable[str], /) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
