"""Crashes of custom agents: their text in outputs, and tracebacks from the agent's code on."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, TracebackType

_PACKAGE = __name__.partition(".evaluation.")[0]
_STANDARD_LIBRARY, *_INSTALLED = (
    str(Path(sysconfig.get_path(name))) + "/" for name in ("stdlib", "purelib", "platlib")
)


def crash_text(error: BaseException) -> str:
    """Return an exception's type and message, with the line of the agent: ``(my_agent.py:12)``.

    The place has no folder, so that machines with other folders write the same text.
    """
    text = f"{type(error).__name__}: {error}"
    cause = error.__cause__
    frames = [
        *_outside_frames(error.__traceback__),
        *_outside_frames(None if cause is None else cause.__traceback__),
    ]
    # The last frame is the innermost; a cause lies deeper than the exception.
    agents_frames = [frame for frame in frames if not _is_installed(frame)] or frames
    if not agents_frames:
        return text
    return f"{text} ({_file_and_line(agents_frames[-1].tb_frame.f_code, agents_frames[-1].tb_lineno)})"


def calling_place() -> str:
    """Return the file and line of the call to the function that calls this one."""
    frame = sys._getframe(2)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - as `logging` finds its caller
    return _file_and_line(frame.f_code, frame.f_lineno)


def _file_and_line(code: CodeType, line: int) -> str:
    return f"{Path(code.co_filename).name}:{line}"


def with_agent_traceback(error: BaseException) -> BaseException:
    """Return the exception with a traceback that starts in the agent's code, if that raised it."""
    first_frame = next(_outside_frames(error.__traceback__), None)
    return error if first_frame is None else error.with_traceback(first_frame)


def _outside_frames(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """Yield the frames outside this package and the standard library."""
    while traceback is not None:
        name = str(traceback.tb_frame.f_globals.get("__name__", ""))
        file = traceback.tb_frame.f_code.co_filename
        if not (name == _PACKAGE or name.startswith(f"{_PACKAGE}.")) and not _is_standard(file):
            yield traceback
        traceback = traceback.tb_next


def _is_standard(file: str) -> bool:
    # Folders of installed packages may lie in that of the standard library.
    return file.startswith("<frozen ") or (
        file.startswith(_STANDARD_LIBRARY) and not file.startswith(tuple(_INSTALLED))
    )


def _is_installed(traceback: TracebackType) -> bool:
    return traceback.tb_frame.f_code.co_filename.startswith(tuple(_INSTALLED))
