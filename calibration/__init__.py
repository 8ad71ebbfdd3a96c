"""Statistics over verdicts: arrays and tables in, numbers out; knows no judge and no network."""

from .comparison import By, Right, compare
from .estimation import estimate
from .estimator import AGREEMENT, ESTIMATORS, Estimator
from .measurement import IntervalOption, Settings, measure
from .panel import calibrate
from .sample import Cells, Sample, make_sample
from .statistic import Statistic
from .table import Table
from .table_files import read_labels, read_table, table_from_frame, table_from_rows
from .table_runs import table_from_run
from .true_rate import RateInterval

__all__ = [
    "AGREEMENT",
    "ESTIMATORS",
    "By",
    "Cells",
    "Estimator",
    "IntervalOption",
    "RateInterval",
    "Right",
    "Sample",
    "Settings",
    "Statistic",
    "Table",
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
