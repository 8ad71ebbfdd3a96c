"""Statistics over verdicts: arrays and tables in, numbers out; knows no judge and no network.

Names are resolved when they are first used: scipy takes most of a second to import, and a run without labels needs none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .comparison import compare
    from .contenders import By, Right
    from .estimation import estimate
    from .estimator import AGREEMENT, ESTIMATORS, Estimator
    from .measurement import IntervalOption, Settings, measure
    from .panel import calibrate
    from .rate_estimates import Target
    from .rate_interval import RateInterval
    from .requests import Requests
    from .sample import Cells, Sample, make_sample
    from .statistic import Statistic
    from .table import Table
    from .table_files import read_labels, read_table, table_from_frame, table_from_rows
    from .table_runs import table_from_run

_HOME = {
    "AGREEMENT": "estimator",
    "By": "contenders",
    "calibrate": "panel",
    "Cells": "sample",
    "compare": "comparison",
    "estimate": "estimation",
    "Estimator": "estimator",
    "ESTIMATORS": "estimator",
    "IntervalOption": "measurement",
    "make_sample": "sample",
    "measure": "measurement",
    "RateInterval": "rate_interval",
    "read_labels": "table_files",
    "read_table": "table_files",
    "Requests": "requests",
    "Right": "contenders",
    "Sample": "sample",
    "Settings": "measurement",
    "Statistic": "statistic",
    "Table": "table",
    "Target": "rate_estimates",
    "table_from_frame": "table_files",
    "table_from_rows": "table_files",
    "table_from_run": "table_runs",
}

__all__ = [
    "AGREEMENT",
    "ESTIMATORS",
    "By",
    "Cells",
    "Estimator",
    "IntervalOption",
    "RateInterval",
    "Requests",
    "Right",
    "Sample",
    "Settings",
    "Statistic",
    "Table",
    "Target",
    "calibrate",
    "compare",
    "estimate",
    "make_sample",
    "measure",
    "read_labels",
    "read_table",
    "table_from_frame",
    "table_from_rows",
    "table_from_run",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)
