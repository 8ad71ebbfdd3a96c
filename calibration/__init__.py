"""Statistics over verdicts: arrays and tables in, numbers out.

Knows no judge and no network.

Names are resolved when they are first used: scipy takes most of a second to import, and a run without labels needs none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agreement.calibrate import calibrate
    from .agreement.calibration_results import Calibration, JudgeCalibration
    from .agreement.requests import Requests
    from .cautions import Caution
    from .comparison.compare import compare
    from .comparison.comparison_results import Comparison
    from .intervals.measurement import Settings, measure
    from .sample import Sample, make_sample
    from .statistic import Statistic
    from .statistics.estimator import AGREEMENT, ESTIMATORS
    from .tables.files import read_table, table_from_frame, table_from_rows
    from .tables.table import Table
    from .true_rate.estimation import estimate
    from .true_rate.estimation_results import Estimation
    from .true_rate.rate_interval import RateInterval

_HOME = {
    "AGREEMENT": "statistics.estimator",
    "calibrate": "agreement.calibrate",
    "Calibration": "agreement.calibration_results",
    "Caution": "cautions",
    "compare": "comparison.compare",
    "Comparison": "comparison.comparison_results",
    "estimate": "true_rate.estimation",
    "Estimation": "true_rate.estimation_results",
    "ESTIMATORS": "statistics.estimator",
    "JudgeCalibration": "agreement.calibration_results",
    "make_sample": "sample",
    "measure": "intervals.measurement",
    "RateInterval": "true_rate.rate_interval",
    "read_table": "tables.files",
    "Requests": "agreement.requests",
    "Sample": "sample",
    "Settings": "intervals.measurement",
    "Statistic": "statistic",
    "Table": "tables.table",
    "table_from_frame": "tables.files",
    "table_from_rows": "tables.files",
}

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


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)
