"""Progress of long work on stderr: bars on a terminal, an occasional plain line elsewhere."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from ..evaluation.progress import Progress, Silent

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_SECONDS_BETWEEN_LINES = 10.0
"""Time between lines where no bars can be drawn."""
_SECONDS_TO_FIRST_FAILURE = 2.0
"""Seconds until the first line if calls fail and nothing is done: the endpoint may be dead."""
_SECONDS_BETWEEN_REDRAWS = 0.1
"""Time between redraws of bars."""
_SECONDS_BETWEEN_COUNTDOWNS = 0.5
"""Time between redraws that only count down to a retry."""


@contextmanager
def show_progress(*, enabled: bool | None = None) -> Generator[Progress]:
    """Show progress while the block runs.

    By default it is shown on a terminal and in a notebook only.
    """
    is_watched = sys.stderr.isatty() or _in_notebook()
    if not (is_watched if enabled is None else enabled):
        yield Silent()
    elif is_watched and _can_draw():
        failed_calls, replies = FailedCalls(time.monotonic), Replies()
        with _bars(failed_calls, replies) as bars:
            progress = BarProgress(bars, time.monotonic, failed_calls, replies)
            try:
                yield progress
                progress.finish()
            finally:
                progress.close()
    else:
        yield LineProgress(lambda line: click.echo(line, err=True), time.monotonic)


def _can_draw() -> bool:
    """Return whether bars can be drawn.

    A notebook needs ipywidgets; without it rich warns at every bar.
    """
    return not _in_notebook() or find_spec("ipywidgets") is not None


class FailedCalls:
    """Failed calls of a stage: their number, the last reason, and the time of the retry."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._calls, self._reason, self._retried_at = 0, "", 0.0

    def clear(self) -> None:
        """Reset the count for a new stage."""
        self._calls = 0

    def add(self, calls: int, reason: str, wait: float | None) -> None:
        """Count failed calls. See `Progress.failing`."""
        self._calls += calls
        self._reason = reason
        self._retried_at = self._clock() + (wait or 0.0)

    def __str__(self) -> str:
        """Return the failed calls and the time until the retry as text, empty if none failed."""
        if not self._calls:
            return ""
        from ..report.text.number_text import counted  # noqa: PLC0415
        from ..report.text.safe_text import visible  # noqa: PLC0415 - calls seldom fail

        failures = f"{counted(self._calls, 'call')} failed: {visible(self._reason)}"
        wait = math.ceil(self._retried_at - self._clock())
        return f"{failures}; retrying in {wait} s" if wait > 0 else failures


class Replies:
    """Tokens and dollars of verdicts, and unreadable replies, over all stages."""

    def __init__(self) -> None:
        self._tokens = self._unpriced = self._unreadable = 0
        self._dollars = 0.0

    def add(self, tokens: int, unreadable: int, cost: Callable[[], float | None]) -> None:
        """Count a verdict. See `Progress.replied`."""
        self._tokens += tokens
        self._unreadable += unreadable
        dollars = cost() if tokens else 0.0
        self._dollars += dollars or 0.0
        self._unpriced += tokens if dollars is None else 0

    def __str__(self) -> str:
        """Return the counts as text, empty if there are none; no dollars if no price is known."""
        if not (self._tokens or self._unreadable):
            return ""
        from ..report.text.number_text import counted  # noqa: PLC0415 - most stages ask no model

        unreadable = counted(self._unreadable, "unreadable reply") if self._unreadable else ""
        tokens = counted(self._tokens, "token") if self._tokens else ""
        return ", ".join(filter(None, (tokens, self._cost(), unreadable)))

    def _cost(self) -> str:
        if self._unpriced >= self._tokens:
            return ""
        dollars = f"${self._dollars:,.4f}"
        return f"{dollars} without {self._unpriced:,} of unknown price" if self._unpriced else dollars


class BarProgress:
    """Progress as one bar per stage.

    Bars are redrawn at most ten times a second, so that drawing is never the bottleneck. Only a countdown to a retry uses a thread, since
    workers are forked while bars are shown.
    """

    def __init__(
        self, bars: Bars, clock: Callable[[], float], failed: FailedCalls, replies: Replies | None = None
    ) -> None:
        self._bars = bars
        self._clock = clock
        self._failed = failed
        self._replies = replies or Replies()
        self._remaining, self._is_uncounted = 0, False
        self._countdown: threading.Thread | None = None
        self._is_closed = threading.Event()
        self._task: TaskID | None = None
        self._pending = 0
        self._drawn_at = 0.0

    def begin(self, stage: str, total: int) -> None:
        """Draw a new bar below the ones that are done."""
        self.finish()
        if self._task is not None and self._is_uncounted:
            self._bars.update(self._task, total=1, completed=1)  # stop the pulse of a bar without a total
        self._failed.clear()
        self._remaining, self._is_uncounted = total, not total
        self._task = self._bars.add_task(_one_line(stage), total=total or None)
        self._bars.refresh()

    def advance(self, count: int = 1) -> None:
        """Count, and redraw if due or done: what follows a stage may take long."""
        self._pending += count
        self._remaining -= count
        if self._remaining <= 0 or self._clock() - self._drawn_at >= _SECONDS_BETWEEN_REDRAWS:
            self.finish()

    def replied(self, tokens: int, unreadable: int, cost: Callable[[], float | None]) -> None:
        """Count tokens, cost and unreadable replies, which bars show when they are drawn."""
        self._replies.add(tokens, unreadable, cost)

    def failing(self, calls: int, reason: str, wait: float | None) -> None:
        """Count failed calls, which are shown below the bars."""
        self._failed.add(calls, reason, wait)
        if self._countdown is None:
            self._countdown = threading.Thread(target=self._count_down, name="countdown", daemon=True)
            self._countdown.start()

    def _count_down(self) -> None:
        while not self._is_closed.wait(_SECONDS_BETWEEN_COUNTDOWNS):
            self._bars.refresh()

    def finish(self) -> None:
        """Draw counts that were not yet drawn."""
        self._drawn_at = self._clock()
        if self._task is not None and self._pending:
            self._bars.update(self._task, advance=self._pending, refresh=True)
        self._pending = 0

    def close(self) -> None:
        """End the countdown."""
        self._is_closed.set()
        if self._countdown is not None:
            self._countdown.join()


class LineProgress:
    """Progress as a line when a stage begins and every ten seconds, for logs and pipes."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float]) -> None:
        self._write = write
        self._clock = clock
        self._failed, self._replies = FailedCalls(clock), Replies()
        self._stage, self._total, self._done, self._written_at, self._has_written = "", 0, 0, 0.0, False

    def begin(self, stage: str, total: int) -> None:
        """Print the name of the stage that begins."""
        self._failed.clear()
        self._stage, self._total, self._done, self._written_at = _one_line(stage), total, 0, self._clock()
        self._has_written = False
        self._write(f"{self._stage}: {total:,} to do" if total else self._stage)

    def advance(self, count: int = 1) -> None:
        """Count, and print the count if due."""
        self._done += count
        self._write_if_due(_SECONDS_BETWEEN_LINES)

    def replied(self, tokens: int, unreadable: int, cost: Callable[[], float | None]) -> None:
        """Count tokens, cost and unreadable replies, for the next line."""
        self._replies.add(tokens, unreadable, cost)

    def failing(self, calls: int, reason: str, wait: float | None) -> None:
        """Count failed calls, and print the count if due."""
        self._failed.add(calls, reason, wait)
        self._write_if_due(
            _SECONDS_BETWEEN_LINES if self._done or self._has_written else _SECONDS_TO_FIRST_FAILURE
        )

    def _write_if_due(self, seconds: float) -> None:
        """Print the count unless the last line is younger than this."""
        if self._clock() - self._written_at < seconds:
            return
        self._has_written = True
        self._written_at = self._clock()
        replies = f", {text}" if (text := str(self._replies)) else ""
        if failed := str(self._failed):
            self._write(f"{self._stage}: {self._done:,}/{self._total:,}{replies}, {failed}")
        else:
            self._write(f"{self._stage}: {self._done:,} of {self._total:,}{replies}")


def _one_line(stage: str) -> str:
    """Return the name of a stage for one line of a terminal; judges' names may be hostile."""
    if stage.isascii() and stage.isprintable():
        return stage
    from ..report.text.safe_text import visible  # noqa: PLC0415 - few names hold anything but letters

    return " ".join(visible(stage).split())


def _in_notebook() -> bool:
    """Return whether a notebook's kernel runs this process; rich draws there, too."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def _bars(failed_calls: FailedCalls, replies: Replies) -> Bars:
    """Make bars with tokens, unreadable replies and failed calls below them."""
    from rich.console import Console  # noqa: PLC0415 - rich is loaded only when there is a terminal to draw on
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as RichProgress  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    class BarsAboveFailedCalls(RichProgress):
        def get_renderables(self) -> Iterable[RenderableType]:
            yield from super().get_renderables()
            if usage_text := str(replies):
                yield Text(usage_text)
            if failure_text := str(failed_calls):
                yield Text(failure_text, style="red")

    names = TextColumn("{task.description}", markup=False)  # brackets in a name are not style markup
    columns = (names, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return BarsAboveFailedCalls(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
