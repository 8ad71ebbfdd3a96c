"""Values of options: paths or addresses of object stores, numbers, thresholds, parameters."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import click

from ..errors import UsageError
from ..records.score_kinds import GRADES, PROBABILITIES
from ..tables.grades import UNKNOWN
from .notes import note


def _local_input(path: str | Path, _: click.Context | None) -> Path:
    """Return the path of an input: for an address or a pipe, that of its copy."""
    from ..api.paths import input_path

    return input_path(path, note)


def _local_run_folder(path: str | Path, ctx: click.Context | None) -> Path:
    """Return the path of a run folder: for an address, that of its working copy.

    The working copy is put back when the command ends.
    """
    from ..api.paths import folder_path, put_back

    folder = folder_path(path, note)
    if ctx is not None:
        ctx.with_resource(put_back(folder))
    return folder


def _local_output(path: str | Path, _: click.Context | None) -> Path:
    """Return the path of an output file, which must be on this machine."""
    from ..api.paths import written_path

    return written_path(path)


class _LocalPath(click.Path):
    """Path on this machine; an address of an object store is replaced by that of a local copy."""

    def __init__(
        self, make_local: Callable[[str | Path, click.Context | None], Path], **settings: Any
    ) -> None:
        super().__init__(path_type=Path, **settings)
        self._make_local = make_local

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Make an address local, then check the path as usual."""
        if ctx is not None and ctx.resilient_parsing:
            return Path(value)
        if isinstance(value, str) and "://" in value:
            value = self._make_local(value, ctx)
            if not value.exists():
                return value  # an empty folder of a store, which has no working copy yet
        else:
            self._check(Path(value), param, ctx)
        path = cast("Path", super().convert(value, param, ctx))
        return self._make_local(path, ctx) if self._make_local is _local_input else path

    def _check(self, path: Path, param: click.Parameter | None, ctx: click.Context | None) -> None:
        """Fail if the path does not exist, or is a folder instead of a file or the reverse."""
        expected_kind = "folder" if not self.file_okay else "file"
        try:
            if path.is_dir() and not self.dir_okay:
                self.fail(f"'{path}' is a folder; expected a file.", param, ctx)
            if path.is_file() and not self.file_okay:
                self.fail(f"'{path}' is a file; expected a folder.", param, ctx)
            if self.exists and not path.exists():
                self.fail(f"no such {expected_kind}: '{path}'{_nearest_name(path) or '.'}", param, ctx)
        except OSError as error:  # a name that is too long, for example
            self.fail(f"'{path}': {error.strerror}.", param, ctx)


def _nearest_name(path: Path) -> str:
    """Return a question that suggests a similar name in the folder; empty if there is none."""
    from ..records.explanations import nearest  # only needed for a typo

    if not path.parent.is_dir():
        return ""
    return nearest(path.name, (file.name for file in path.parent.iterdir()))


INPUT = _LocalPath(_local_input, exists=True)
"""An existing file, or a folder of shards."""
INPUT_FILE = _LocalPath(_local_input, dir_okay=False, exists=True)
FOLDER = _LocalPath(_local_run_folder, file_okay=False)
EXISTING_FOLDER = _LocalPath(_local_run_folder, file_okay=False, exists=True)
OUT = _LocalPath(_local_output)
OUT_FILE = _LocalPath(_local_output, dir_okay=False)
OUT_FOLDER = _LocalPath(_local_output, file_okay=False)


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

    def _describe_range(self) -> str:
        return "" if self.min is None and self.max is None else super()._describe_range()


class Whole(click.IntRange):
    """Whole number in a range."""

    name = "whole number"

    def get_metavar(self, *_: Any, **__: Any) -> str:
        """Return N for the help; click would print the name."""
        return "N"


class PassThresholdType(click.ParamType):  # pyright: ignore[reportMissingTypeArgument] - generic only since click 8.4
    """``SCORE`` or ``JUDGE=SCORE``, the score in (0, 1]."""

    name = "threshold"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        """Return the judge's name, empty for all judges, and the threshold."""
        if isinstance(value, tuple):
            return cast("tuple[str, float]", value)
        judge, equals, score = str(value).rpartition("=")
        if equals and not judge:
            self.fail(f"{value!r} names no judge.", param, ctx)
        number = Number().convert(score, param, ctx)
        if not 0 < number <= 1:
            scale = "; on a scale it is (score - worst) / (best - worst), so 4 of 1:5 is 0.75" if number > 1 else ""  # fmt: skip
            self.fail(f"{score} is not in (0, 1]{scale}.", param, ctx)
        return judge, number


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
        if UNKNOWN in {worst, best}:  # refused later, unless a dry run shows the choices
            return cast("tuple[float, float]", (worst, best))
        number = Number()
        return number.convert(worst, param, ctx), number.convert(best, param, ctx)


class NamedScaleType(click.ParamType):  # pyright: ignore[reportMissingTypeArgument] - generic only since click 8.4
    """``[JUDGE=]WORST:BEST``; without a judge the name is empty."""

    name = "scale"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[float, float]]:
        """Return the judge and the two grades."""
        if isinstance(value, tuple):
            return cast("tuple[str, tuple[float, float]]", value)
        judge, equals, scale = str(value).rpartition("=")
        if equals and not judge:
            self.fail(f"{value!r} names no judge.", param, ctx)
        return judge, ScaleType().convert(scale, param, ctx)


class ScoreKindType(click.ParamType):  # pyright: ignore[reportMissingTypeArgument] - generic only since click 8.4
    """``[JUDGE=]probabilities`` or ``[JUDGE=]grades``; without a judge the name is empty."""

    name = "kind"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return the judge and the kind of its scores."""
        if isinstance(value, tuple):
            return cast("tuple[str, str]", value)
        judge, equals, kind = str(value).rpartition("=")
        if equals and not judge:
            self.fail(f"{value!r} names no judge.", param, ctx)
        return judge, click.Choice([PROBABILITIES, GRADES]).convert(kind, param, ctx)


_RESERVED_PARAMETERS = frozenset({"model", "messages", "stream", "n"})
"""Fields of a request that we set ourselves."""


def decoding_parameters(_: click.Context, option: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """Parse the decoding parameters of an option, ``NAME=VALUE`` each; see `parameters_of`."""
    return parameters_of(option.opts[0], values)


def parameters_of(option: str, values: Iterable[str]) -> dict[str, Any]:
    """Parse decoding parameters ``NAME=VALUE``.

    A value is JSON, or else a text; null omits the parameter.

    Raises:
        UsageError: One has no name, or must not be set by a user.
    """
    parameters: dict[str, Any] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not name or not equals:
            raise UsageError(f"{option}: expected NAME=VALUE, got {value!r}")
        if name in _RESERVED_PARAMETERS:
            raise UsageError(f"{option}: {name} is not a decoding parameter")
        try:
            parameters[name] = json.loads(text, parse_constant=str)  # NaN and Infinity stay texts
        except ValueError:
            parameters[name] = text
    return parameters
