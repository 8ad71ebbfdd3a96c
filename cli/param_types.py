"""Parameter types of options: paths or addresses of object stores, numbers, thresholds."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import click


def _copy(address: str, _: click.Context | None) -> Path:
    """Return the copy of an input."""
    from ..api.paths import input_path  # most places are on this machine

    return input_path(address)


def _working_copy(address: str, ctx: click.Context | None) -> Path:
    """Return the working copy of a run folder that is read or written.

    It is put back when the command ends.
    """
    from ..api.paths import folder_path, put_back

    folder = folder_path(address, _note)
    if ctx is not None:
        ctx.with_resource(put_back(folder))
    return folder


def _note(text: str) -> None:
    click.echo(f"note: {text}", err=True)


def _refused(address: str, _: click.Context | None) -> Path:
    """Refuse an address for an output file, which must be on this machine."""
    from ..api.paths import written_path

    return written_path(address)


class _Place(click.Path):
    """Path on this machine; an address of an object store becomes a local one."""

    def __init__(self, reached: Callable[[str, click.Context | None], Path], **settings: Any) -> None:
        super().__init__(path_type=Path, **settings)
        self._reached = reached

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Look whether what an address came to is what the option wants."""
        if isinstance(value, str) and "://" in value and not (ctx is not None and ctx.resilient_parsing):
            value = self._reached(value, ctx)
        path = super().convert(value, param, ctx)
        if self._reached is not _copy or (ctx is not None and ctx.resilient_parsing):
            return path
        from ..records.disk_files import copy_of_pipe  # only inputs may be pipes

        return copy_of_pipe(Path(os.fsdecode(path)), _note)


INPUT = _Place(_copy)
"""A file, or a folder of shards."""
INPUT_FILE = _Place(_copy, dir_okay=False)
EXISTING = _Place(_copy, exists=True)
EXISTING_FILE = _Place(_copy, dir_okay=False, exists=True)
FOLDER = _Place(_working_copy, file_okay=False)
OUT = _Place(_refused)
OUT_FILE = _Place(_refused, dir_okay=False)
OUT_FOLDER = _Place(_refused, file_okay=False)


class Number(click.FloatRange):
    """Number in a range.

    It must be a number: neither ``nan``, which passes every comparison, nor ``inf``.
    """

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert as usual, then refuse a number that is not finite."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class Whole(click.IntRange):
    """Whole number in a range."""

    name = "n"


class PassThresholdType(click.ParamType):  # pyright: ignore[reportMissingTypeArgument] - generic only since click 8.4
    """``SCORE`` or ``JUDGE=SCORE``, the score in (0, 1]."""

    name = "cut"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        """Return the judge's name, empty for all judges, and the threshold."""
        if isinstance(value, tuple):
            return cast("tuple[str, float]", value)
        judge, equals, score = str(value).rpartition("=")
        if equals and not judge:
            self.fail(f"{value!r} names no judge.", param, ctx)
        return judge, Number(0, 1, min_open=True).convert(score, param, ctx)


class ScaleType(click.ParamType):  # pyright: ignore[reportMissingTypeArgument] - generic only since click 8.4
    """``WORST:BEST``, two numbers."""

    name = "scale"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        """Return the two grades."""
        if isinstance(value, tuple):
            return cast("tuple[float, float]", value)
        worst, colon, best = str(value).partition(":")
        if not colon:
            self.fail(f"{value!r} is not WORST:BEST, such as 1:5.", param, ctx)
        number = Number()
        return number.convert(worst, param, ctx), number.convert(best, param, ctx)
