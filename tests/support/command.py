"""Runs the command line inside the test's process, as a user would type it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from unittest.mock import patch

from fiducial.cli.main import main
from fiducial.records import Verdict, read_records


@dataclass(frozen=True)
class Result:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


Command: TypeAlias = Callable[..., Result]
"""A fixture that runs one command with the arguments it is given."""


def verdicts_in(folder: str | Path = "run", **said: str) -> list[Verdict]:
    """Return a run folder's verdicts with these fields: ``verdicts_in("run", source="judge")``."""
    found = read_records(Path(folder) / "verdicts.jsonl", Verdict)
    return [
        verdict for verdict in found if all(getattr(verdict, name) == value for name, value in said.items())
    ]


Option: TypeAlias = str | Path | float | tuple[str | Path, ...]


def typed(*args: str | Path, **options: Option) -> list[str | Path]:
    """Return a command line: arguments, then options; ``no_cache=True`` is ``--no-cache``.

    Several values of an option follow each other.
    """
    for name, value in options.items():
        values = () if value is True else value if isinstance(value, tuple) else (value,)
        args += (f"--{name.rstrip('_').replace('_', '-')}", *map(str, values))
    return [*args]


def fiducial(*args: str | Path, **options: Option) -> Result:
    """Run ``fiducial ARGS... --OPTION VALUE...``."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        patch.object(sys, "argv", ["fiducial", *map(str, typed(*args, **options))]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as leave:
            code = leave.code if isinstance(leave.code, int) else 1
    return Result(code, out.getvalue(), err.getvalue())
