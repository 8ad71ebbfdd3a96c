"""Forms of options and arguments: the type in click, and what is done with a value."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..errors import UsageError
from ..settings.setting import Form
from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .param_types import (
    EXISTING_FOLDER,
    FOLDER,
    INPUT,
    INPUT_FILE,
    OUT,
    OUT_FILE,
    OUT_FOLDER,
    NamedScaleType,
    PassThresholdType,
    ScaleType,
    ScoreKindType,
    decoding_parameters,
)


class FormReading(NamedTuple):
    """Reading of values of a form.

    Attributes:
        kind: The type in click, or None for that of the setting's values.
        callback: Function that checks or changes the value, if needed.
        is_passed: False if the value is stored, or acted upon, instead of being passed to the command.
        settings: More arguments of `click.Option`.
    """

    kind: click.ParamType[Any] | None = None
    callback: Callable[[click.Context, click.Parameter, Any], Any] | None = None
    is_passed: bool = True
    settings: dict[str, Any] = {}


_IMPORTED_SUFFIXES = frozenset({".csv", ".tsv", ".parquet", ".xlsx", ".eval"})
"""Files that must be imported before they are cases or outputs."""

_TABLE_SUFFIXES = _IMPORTED_SUFFIXES | {".jsonl", ".arrow", ".gz", ".xlsm", ".xls", ".ods", ".numbers"}
"""Files that are probably an input, not a file for JSON to be written to."""


def _require_no_tables(
    ctx: click.Context, param: click.Parameter, paths: tuple[Path, ...]
) -> tuple[Path, ...]:
    """Refuse files that must be imported before they can be cases or outputs."""
    for path in paths:
        if path.suffix.lower() in _IMPORTED_SUFFIXES and path.is_file():
            raise click.BadParameter(
                f"{path} is not JSON Lines: `{shlex.join(['fiducial', 'import', str(path), '--out', 'imported'])}` "
                "makes cases and outputs of it",
                ctx,
                param,
            )
    return paths


def _require_no_input(_ctx: click.Context, _param: click.Parameter, file: str | None) -> str | None:
    """Refuse ``--json TABLE``, which would overwrite an input instead of printing JSON about it."""
    if file is None:
        return None
    path = Path(file)
    if path.is_dir() or (path.suffix.lower() in _TABLE_SUFFIXES and path.exists()):
        raise click.BadParameter(
            f"{file} exists and looks like an input; name another file to write, or use `--json -`"
        )
    return file


def _thresholds_by_judge(
    _: click.Context, __: click.Parameter, thresholds: tuple[tuple[str, float], ...]
) -> Mapping[str, float]:
    if not thresholds:
        return {}
    from ..api.pass_thresholds import ThresholdOverrides

    return ThresholdOverrides(thresholds)


def _out_or_scratch(ctx: click.Context, param: click.Parameter, out: Path | None) -> Path | None:
    """Return ``--out``; for a dry run without it, a path in a temporary folder."""
    if out is not None or ctx.resilient_parsing:
        return out
    if not ctx.params.get("dry_run"):
        raise click.MissingParameter(ctx=ctx, param=param)
    return scratch(ctx)


def scratch(ctx: click.Context) -> Path:
    """Return a path that does not exist, in a folder that is removed when the command ends."""
    from tempfile import TemporaryDirectory

    return Path(ctx.with_resource(TemporaryDirectory())) / "dry-run"


def one_labels_file(files: tuple[Path, ...]) -> Path | None:
    """Return the only file of ``--labels``, or None without one.

    Raises:
        UsageError: There are several.
    """
    if len(files) > 1:
        raise UsageError("--labels was given twice; join the files")
    return files[0] if files else None


def _only_file(_ctx: click.Context, _: click.Parameter, files: tuple[Path, ...]) -> Path | None:
    return one_labels_file(files)


def _whole_numbers(_ctx: click.Context, _param: click.Parameter, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise UsageError(f"--k {text}: expected whole numbers separated by commas") from error


def _reparse(ctx: click.Context, _param: click.Parameter, folder: Path | None) -> None:
    """Reparse a run for ``--reparse``, and exit before other options are checked."""
    if folder is not None and not ctx.resilient_parsing:
        from ..api.run_files import reparse

        reparsed = reparse(folder, progress=True)
        click.echo(str(reparsed))
        failed = reparsed.summary is not None and reparsed.summary.counts.failed
        ctx.exit(EXIT_PARTIAL if failed else EXIT_OK)


def _load_plugins(_ctx: click.Context, _param: click.Parameter, plugins: tuple[str, ...]) -> None:
    for spec in plugins:
        from ..api.decorators import load_plugin

        load_plugin(spec)


_STORED = f"{__name__}.stored"


def _store_value(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Store a value that is not passed to the command, unless it is missing."""
    if value is not None and value != ():
        ctx.meta.setdefault(_STORED, {})[param.name] = value


def stored_values() -> dict[str, Any]:
    """Return the values, as typed, that are not passed to the running command."""
    return click.get_current_context().meta.get(_STORED, {})


READINGS: dict[Form, FormReading] = {
    "accept edited": FormReading(callback=_store_value, is_passed=False),
    "existing folder": FormReading(EXISTING_FOLDER),
    "file unless dry run": FormReading(OUT_FILE, _out_or_scratch),
    "folder": FormReading(FOLDER),
    "grade": FormReading(callback=_store_value, is_passed=False),
    "header": FormReading(callback=_store_value, is_passed=False),
    "input": FormReading(INPUT),
    "input file": FormReading(INPUT_FILE),
    "json": FormReading(callback=_require_no_input, settings={"is_flag": False, "flag_value": "-"}),
    "kind of scores": FormReading(ScoreKindType(), _store_value, is_passed=False),
    "labels of one file": FormReading(INPUT_FILE, _only_file),
    "numbers": FormReading(click.STRING, _whole_numbers),
    "out": FormReading(OUT),
    "out file": FormReading(OUT_FILE),
    "out folder": FormReading(OUT_FOLDER),
    "parameters": FormReading(click.STRING, decoding_parameters),
    "pass at": FormReading(PassThresholdType(), _thresholds_by_judge),
    "plugin": FormReading(callback=_load_plugins, is_passed=False),
    "records": FormReading(INPUT, _require_no_tables),
    "reparse": FormReading(EXISTING_FOLDER, _reparse, is_passed=False),
    "run folder unless dry run": FormReading(FOLDER, _out_or_scratch),
    "scale of a judge": FormReading(NamedScaleType(), _store_value, is_passed=False),
    "scale of grades": FormReading(ScaleType(), _store_value, is_passed=False),
    "verbose": FormReading(callback=_store_value, is_passed=False),
}
