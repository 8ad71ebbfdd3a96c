"""Statistics over verdicts: arrays and tables in, numbers out.

Nothing here calls a judge or the network.

Public names are imported when they are first used: scipy takes most of a second to import, and a run without labels
needs none of it.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agreement.calibrate import Requests, calibrate
    from .agreement.calibration_results import Calibration, JudgeCalibration
    from .comparison.compare import compare
    from .comparison.comparison_results import Comparison
    from .corrected_rate.estimation import estimate
    from .corrected_rate.estimation_results import Estimation
    from .corrected_rate.rate_interval import RateInterval
    from .intervals.measurement import Settings, measure
    from .sample import Sample, make_sample
    from .statistic import Caution, Statistic
    from .statistic_catalogue import AGREEMENT, ESTIMATORS
    from .tables.calibration_table import Table
    from .tables.table_files import read_table, table_from_frame, table_from_rows

_HOME = {
    "AGREEMENT": "statistic_catalogue",
    "calibrate": "agreement.calibrate",
    "Calibration": "agreement.calibration_results",
    "Caution": "statistic",
    "compare": "comparison.compare",
    "Comparison": "comparison.comparison_results",
    "estimate": "corrected_rate.estimation",
    "Estimation": "corrected_rate.estimation_results",
    "ESTIMATORS": "statistic_catalogue",
    "JudgeCalibration": "agreement.calibration_results",
    "make_sample": "sample",
    "measure": "intervals.measurement",
    "RateInterval": "corrected_rate.rate_interval",
    "read_table": "tables.table_files",
    "Requests": "agreement.calibrate",
    "Sample": "sample",
    "Settings": "intervals.measurement",
    "Statistic": "statistic",
    "Table": "tables.calibration_table",
    "table_from_frame": "tables.table_files",
    "table_from_rows": "tables.table_files",
}
"""Module of each public name."""

__all__ = [
    "AGREEMENT",
    "ESTIMATORS",
    "Calibration",
    "Caution",
    "Comparison",
    "Estimation",
    "JudgeCalibration",
    "RateInterval",
    "Requests",
    "Sample",
    "Settings",
    "Statistic",
    "Table",
    "calibrate",
    "compare",
    "estimate",
    "make_sample",
    "measure",
    "read_table",
    "table_from_frame",
    "table_from_rows",
]


_FORMER = {
    "CalibrationNumbers": "Calibration",
    "ComparisonNumbers": "Comparison",
    "EstimationNumbers": "Estimation",
}
"""Former public names, which still work with a warning."""


def __getattr__(name: str) -> Any:
    if name in _FORMER:
        warnings.warn(f"{__name__}.{name} is now {_FORMER[name]}", DeprecationWarning, stacklevel=2)
        name = _FORMER[name]
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)
