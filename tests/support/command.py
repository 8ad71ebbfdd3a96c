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


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str


Command: TypeAlias = Callable[..., Result]
"""A fixture that runs one command with the arguments it is given."""


def fiducial(*args: str | Path) -> Result:
    """Run ``fiducial ARGS...``."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with patch.object(sys, "argv", ["fiducial", *map(str, args)]), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as leave:
            code = leave.code if isinstance(leave.code, int) else 1
    return Result(code, out.getvalue(), err.getvalue())
