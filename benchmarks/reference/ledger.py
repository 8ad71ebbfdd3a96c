"""Values that the commands gave for an `expected.json`, and their comparison."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import pandas as pd
from click.testing import CliRunner

from fiducial.cli.main import cli

Rows = list[dict[str, Any]]


class Found(NamedTuple):
    """A value of ours.

    Attributes:
        value: A number, or None when it is undefined.
        how: The command with its options, or the function.
        tolerance: None for the usual one: 1e-6, p-values 1e-8.
    """

    value: float | None
    how: str
    tolerance: float | None = None


Ours = dict[str, Found]
"""By path of the expected value: keys joined by ``/``, places in lists as ``[0]``."""


def leaves(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number, text and null of a JSON value, with its path."""
    if isinstance(value, dict):
        for key, each in cast("dict[str, object]", value).items():
            yield from leaves(each, f"{path}/{key}" if path else key)
    elif isinstance(value, list):
        for number, each in enumerate(cast("list[object]", value)):
            yield from leaves(each, f"{path}[{number}]")
    else:
        yield path, value


class Commands:
    """Runs commands on tables written to a folder."""

    def __init__(self, folder: Path, form: str = "jsonl") -> None:
        self.folder, self.form, self.written = folder, form, 0

    def __call__(self, command: str, rows: Rows, *options: str) -> tuple[dict[str, Any], str]:
        """The JSON of `fiducial COMMAND TABLE OPTIONS`, and these words."""
        self.written += 1
        path = self.folder / f"table{self.written}.{self.form}"
        _write(path, rows)
        words = [command, str(path), *options, "--json", "-"]
        result = CliRunner().invoke(cli, words, standalone_mode=False)
        if result.exception is not None:
            raise result.exception
        path.unlink()
        return json.loads(result.stdout), " ".join(["fiducial", command, "TABLE", *options])


def _write(path: Path, rows: Rows) -> None:
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return
    frame = pd.DataFrame(rows)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        # Parquet has one type a column; beside scores and labels some columns of the data mix texts and numbers.
        mixed = {name: "string" for name in frame if name not in {"score", "label"}}
        frame.astype(mixed).to_parquet(path)


def half_width(statistic: Mapping[str, Any]) -> float:
    """Half of the interval; of a symmetric one, standard errors times the quantile."""
    return (statistic["high"] - statistic["low"]) / 2


def interval(
    ours: Ours, path: str, statistic: Mapping[str, Any], how: str, tolerance: float | None = None
) -> None:
    """Enter both ends."""
    for place, end in enumerate(("low", "high")):
        ours[f"{path}[{place}]"] = Found(statistic[end], how, tolerance)


_P_VALUE = re.compile(r"(_p|midp|sign_test_p|/exact)$|^adjusted/")


def agrees(path: str, expected: float, found: Found) -> bool:
    """Return whether two values agree to the tolerance; expected ones have ten digits."""
    if found.value is None or not math.isfinite(found.value):
        return False
    tolerance = found.tolerance
    if tolerance is None:
        tolerance = 1e-8 if _P_VALUE.search(path) else 1e-6
    return abs(found.value - expected) <= tolerance
