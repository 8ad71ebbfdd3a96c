"""Statistics over verdicts: arrays and tables in, numbers out; knows no judge and no network.

Names are resolved when they are first used: scipy takes most of a second to import, and a run without labels needs none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agreement.panel import calibrate
    from .agreement.requests import Requests
    from .comparison.contenders import By, Right
    from .comparison.pairs import compare
    from .intervals.measurement import IntervalOption, Settings, measure
    from .sample import Cells, Sample, make_sample
    from .statistic import Statistic
    from .statistics.estimator import AGREEMENT, ESTIMATORS, Estimator
    from .tables.files import read_labels, read_table, table_from_frame, table_from_rows
    from .tables.runs import table_from_run
    from .tables.table import Table
    from .true_rate.estimation import estimate
    from .true_rate.rate_estimates import Target
    from .true_rate.rate_interval import RateInterval

_HOME = {
    "AGREEMENT": "statistics.estimator",
    "By": "comparison.contenders",
    "calibrate": "agreement.panel",
    "Cells": "sample",
    "compare": "comparison.pairs",
    "estimate": "true_rate.estimation",
    "Estimator": "statistics.estimator",
    "ESTIMATORS": "statistics.estimator",
    "IntervalOption": "intervals.measurement",
    "make_sample": "sample",
    "measure": "intervals.measurement",
    "RateInterval": "true_rate.rate_interval",
    "read_labels": "tables.files",
    "read_table": "tables.files",
    "Requests": "agreement.requests",
    "Right": "comparison.contenders",
    "Sample": "sample",
    "Settings": "intervals.measurement",
    "Statistic": "statistic",
    "Table": "tables.table",
    "Target": "true_rate.rate_estimates",
    "table_from_frame": "tables.files",
    "table_from_rows": "tables.files",
    "table_from_run": "tables.runs",
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
