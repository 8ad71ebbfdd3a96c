"""How far long work is: bars on a terminal, gone once it is done, and a plain line now and then elsewhere; both on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from ..evaluation.progress import Progress, Silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_REDRAWS = 0.1


@contextmanager
def shown_progress(*, wanted: bool | None = None) -> Generator[Progress]:
    """Show progress while the block runs: if wanted, or, where nobody says, on a terminal and in a notebook."""
    looked_at = sys.stderr.isatty() or _in_notebook()
    if not (looked_at if wanted is None else wanted):
        yield Silent()
    elif looked_at and _can_draw():
        with _bars() as bars:
            shown = BarProgress(bars, time.monotonic)
            yield shown
            shown.finish()
    else:
        yield LineProgress(lambda line: click.echo(line, err=True), time.monotonic)


def _can_draw() -> bool:
    """A notebook needs ipywidgets to draw in; without them rich warns at every bar."""
    return not _in_notebook() or find_spec("ipywidgets") is not None


class BarProgress:
    """A bar a stage, redrawn at most ten times a second, so that drawing never is the bottleneck."""

    def __init__(self, bars: Bars, clock: Callable[[], float]) -> None:
        self._bars = bars
        self._clock = clock
        self._task: TaskID | None = None
        self._pending = 0
        self._drawn = 0.0

    def begin(self, what: str, total: int) -> None:
        """Draw a new bar below the ones that are done."""
        self.finish()
        self._task = self._bars.add_task(what, total=total)

    def advance(self, count: int = 1) -> None:
        """Count, and redraw when it is time."""
        self._pending += count
        if self._clock() - self._drawn >= _SECONDS_BETWEEN_REDRAWS:
            self.finish()

    def finish(self) -> None:
        """Draw what was counted but not drawn."""
        self._drawn = self._clock()
        if self._task is not None and self._pending:
            self._bars.update(self._task, advance=self._pending)
        self._pending = 0


class LineProgress:
    """A line when a stage begins and every ten seconds, for logs and pipes."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float]) -> None:
        self._write = write
        self._clock = clock
        self._what, self._total, self._done, self._said = "", 0, 0, 0.0

    def begin(self, what: str, total: int) -> None:
        """Say what begins."""
        self._what, self._total, self._done, self._said = what, total, 0, self._clock()
        self._write(f"{what}: {total:,} to do")

    def advance(self, count: int = 1) -> None:
        """Count, and say so when it is time."""
        self._done += count
        if self._clock() - self._said >= _SECONDS_BETWEEN_LINES:
            self._said = self._clock()
            self._write(f"{self._what}: {self._done:,} of {self._total:,}")


def _in_notebook() -> bool:
    """Whether a notebook's kernel runs this; rich draws there, too."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def _bars() -> Bars:
    from rich.console import Console  # noqa: PLC0415 - rich is loaded only when there is a terminal to draw on
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as RichProgress  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return RichProgress(*columns, console=Console(stderr=True), transient=True)
