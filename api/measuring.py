"""`fiducial.calibrate`, `compare` and `estimate`: what verdicts are worth, from tables in whatever form they have."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union, cast, get_args

from ..calibration.agreement.panel import calibrate as calibrate_table
from ..calibration.agreement.requests import Requests
from ..calibration.agreement.results import Calibration
from ..calibration.comparison.compare import compare as compare_table
from ..calibration.comparison.results import By, Comparison, Right
from ..calibration.cuts import GivenPassAt
from ..calibration.intervals.measurement import IntervalOption, Settings
from ..calibration.tables.files import read_table
from ..calibration.tables.table import Table
from ..calibration.true_rate.estimation import estimate as estimate_table
from ..calibration.true_rate.rate_interval import RateInterval
from ..calibration.true_rate.results import Estimation, Target
from ..errors import UsageError
from ..records import FolderPath, InputPath, memory_file
from ..records.frames import frame_rows, is_frame
from .run import Run
from .sources import FilePath, Labels, label_source

if TYPE_CHECKING:
    import pandas as pd

Rows: TypeAlias = Union[FilePath, Run, "pd.DataFrame", Iterable[Mapping[str, Any]]]
"""A table's file, a run's folder, a run, a data frame, or mappings: rows with ``item_id``, ``judge``, ``score`` and, where known, ``label``."""

Tables: TypeAlias = Rows | Table | Iterable[FilePath | Run]
"""The same, a table that was read, or several files, folders and runs that together are one."""

_REPLICATES = 2_000


def calibrate(
    table: Tables,
    *,
    labels: Labels | None = None,
    columns: Mapping[str, str] | None = None,
    pass_at: GivenPassAt = None,
    interval: IntervalOption | None = None,
    level: float = 0.95,
    seed: int = 0,
    replicates: int = _REPLICATES,
    requests: Requests | None = None,
) -> Calibration:
    """How far judges agree with trusted labels: ``found["judge"].cohen_kappa.low``.

    Args:
        table: In any form.
        labels: Trusted verdicts, of items that are named ``case_id|system|trial``.
        columns: Names in the table by the names of the contract, where they differ: ``{"label": "gold"}``.
        pass_at: From which score on verdicts pass, for all judges or by judge; None for the cuts that judges declare, and 0.5 for others.
        interval: Intervals as other software has them; None for the best of each statistic.
        level: Nominal coverage.
        seed: Of the bootstrap.
        replicates: Of the bootstrap.
        requests: What else to look for.

    Returns:
        The calibration.

    Raises:
        InputError: The table cannot be used; the message names file or row, and field.
        UsageError: It is no table.
    """
    return calibrate_table(
        read(table, labels=labels, columns=columns),
        pass_at=pass_at,
        interval=interval,
        level=level,
        seed=seed,
        replicates=replicates,
        requests=requests,
    )


def compare(
    a: Tables,
    b: Rows | None = None,
    *,
    by: By = "judge",
    labels: Labels | None = None,
    columns: Mapping[str, str] | None = None,
    right: Right | None = None,
    pass_at: GivenPassAt = None,
    against: str | None = None,
    statistic: str = "accuracy",
    level: float = 0.95,
) -> Comparison:
    """Compare judges, or systems, on the items that both have.

    Args:
        a: A table in any form.
        b: Another, of the same items; None where ``a`` holds all that is compared.
        by: ``judge``: which is right more often? ``system``: which passes more often?
        labels: Trusted verdicts, of items that are named ``case_id|system|trial``.
        columns: Names in the tables by the names of the contract, where they differ.
        right: What counts as right; None for what is usual.
        pass_at: As in `calibrate`.
        against: Compare only with this one.
        statistic: Whose difference is estimated.
        level: Nominal coverage.

    Returns:
        Every pair, with its test and the interval of the difference.

    Raises:
        InputError: A table cannot be used, or there are not two to compare.
        UsageError: It is no table, or ``by`` is neither of the two.
    """
    if by not in get_args(By):
        raise UsageError(f"by: expected {' or '.join(get_args(By))}, got {by!r}")
    together = a if b is None else _Several((a, b))
    return compare_table(
        read(together, labels=labels, columns=columns, outputs=by == "system" and right != "agrees"),
        by=by,
        right=right,
        pass_at=pass_at,
        against=against,
        statistic=statistic,
        settings=Settings(level=level),
    )


def estimate(
    table: Tables,
    *,
    labels: Labels | None = None,
    columns: Mapping[str, str] | None = None,
    judge: str | None = None,
    pass_at: GivenPassAt = None,
    interval: RateInterval = "logit",
    level: float = 0.95,
    target: Target = "population",
    strata: str | None = None,
    part: Literal["open", "all"] = "open",
) -> Estimation:
    """Estimate the true pass rate from a judge's scores and some labels.

    Args:
        table: In any form.
        labels: Trusted verdicts on a random sample of it, of items that are named ``case_id|system|trial``.
        columns: Names in the table by the names of the contract, where they differ.
        judge: Whose scores are used, where there are several.
        pass_at: As in `calibrate`.
        interval: ``logit`` is clustered, ``wald`` takes items as independent.
        level: Nominal coverage.
        target: The ``population`` behind the items, or the ``finite`` set that they are.
        strata: Also estimate stratum by stratum: a column, or ``score``.
        part: Of runs, ``open`` takes what no checker decided, ``all`` everything.

    Returns:
        The estimates, of all rows and of each system.

    Raises:
        InputError: The table cannot be used.
        UsageError: It is no table.
    """
    return estimate_table(
        read(table, labels=labels, columns=columns, open_only=part == "open"),
        judge=judge,
        pass_at=pass_at,
        interval=interval,
        level=level,
        target=target,
        strata=strata,
    )


def read(
    given: Tables,
    *,
    labels: Labels | None = None,
    columns: Mapping[str, str] | None = None,
    open_only: bool = False,
    outputs: bool = False,
) -> Table:
    """A calibration table in any form, read as a file is.

    Args:
        given: The table.
        labels: Trusted verdicts that become its labels.
        columns: Names in it by the names of the contract, where they differ.
        open_only: Take of runs only what no checker decided.
        outputs: Take of runs all outputs, judged or not.

    Returns:
        The table.

    Raises:
        InputError: It cannot be used.
        UsageError: It is nothing of the kind, or labels come for a table that was read before.
    """
    if isinstance(given, Table):
        if labels is not None or columns:
            raise UsageError("a table that was read has its labels and columns; give them where it is read")
        return given
    sources = [_source(each) for each in _several(given)]
    return read_table(
        sources,
        labels=None if labels is None else label_source(labels),
        columns=columns,
        open_only=open_only,
        outputs=outputs,
    )


class _Several(tuple[Any, ...]):
    """Tables that together are one."""

    __slots__ = ()


def _several(given: Any) -> Iterable[Any]:
    if isinstance(given, _Several):
        return given
    one = (
        isinstance(given, (str, os.PathLike, Run, Mapping))
        or is_frame(given)
        or not isinstance(given, Iterable)
    )
    if one:
        return [given]
    rows = list(cast("Iterable[Any]", given))
    return rows if rows and all(isinstance(each, (str, os.PathLike, Run)) for each in rows) else [rows]


def _source(given: Any) -> FolderPath | InputPath:
    if isinstance(given, Run):
        return given.kept
    if isinstance(given, (str, os.PathLike)):
        return Path(cast("FilePath", given))
    if is_frame(given):
        return memory_file("table", frame_rows(given))
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        kind = type(given).__name__  # pyright: ignore[reportUnknownArgumentType]
        raise UsageError(f"table: expected a path, a run, a data frame or rows, got {kind}")
    return memory_file("table", cast("Iterable[Any]", given))
