"""Results of tables: calibrations, comparisons, estimates and plans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from ..calibration.agreement.calibration_results import CalibrationNumbers, calibration_json
from ..calibration.comparison.comparison_results import ComparisonNumbers
from ..calibration.corrected_rate.estimation_results import EstimationNumbers, estimation_json
from ..calibration.planning.plan_results import PlanNumbers, plan_json
from ..report.text.calibration_screen import calibration_screen
from ..report.text.calibration_text import calibration_document
from ..report.text.caution_text import comparison_cautions, sentences
from ..report.text.comparison_screen import comparison_screen
from ..report.text.comparison_text import comparison_document
from ..report.text.estimation_screen import estimation_screen
from ..report.text.estimation_text import estimation_document
from ..report.text.one_screen import one_screen
from ..report.text.plan_text import plan_document
from ..report.text.safe_text import SCREEN
from ..tables.frames import data_frame
from .display import Document, Shown, ShownOnPage, statistics_frame

if TYPE_CHECKING:
    import pandas as pd

    from ..report.page import ResultPage


class Calibration(CalibrationNumbers, Shown, frozen=True, kw_only=True):
    """Agreement of judges with labels: ``calibration["judge"].cohen_kappa.low``."""

    def document(self, *, slices: Iterable[str] = ()) -> Document:
        """Return the results as a document with tables.

        Args:
            slices: Columns to show by value.
        """
        return calibration_document(self, slices=slices)

    def screen(self, room: int = SCREEN - 1, *, slices: Iterable[str] = ()) -> Document:
        """Return the verdicts on the judges and their rates, in one screen of a terminal.

        Args:
            room: Lines for it.
            slices: Columns to show by value.
        """
        return one_screen(calibration_screen(self, slices=slices), room)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as ``calibrate --json`` prints them."""
        return calibration_json(self) | {"warnings": sentences(self.cautions, self.judges)}

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per judge and statistic."""
        return statistics_frame(
            ({"judge": judge, "statistic": name}, each)
            for judge, panel in self.judges.items()
            for name, each in panel.statistics.items()
        )


class Comparison(ComparisonNumbers, ShownOnPage, frozen=True, kw_only=True):
    """Pairwise comparison of judges or systems: ``comparison.pairs[0].difference``."""

    _document = staticmethod(comparison_document)
    _screen = staticmethod(comparison_screen)

    def _page(self) -> ResultPage:
        from ..report.comparison_page import comparison_page  # noqa: PLC0415 - numbers need no page

        return comparison_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as ``compare --json`` prints them."""
        return msgspec.to_builtins(self) | {"warnings": comparison_cautions(self.cautions)}

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per pair."""
        counts = ("a", "b", "n", "a_only_right", "b_only_right", "p", "adjusted_p", "better")
        return statistics_frame(
            ({name: getattr(pair, name) for name in counts}, pair.difference) for pair in self.pairs
        )


class Estimation(EstimationNumbers, Shown, frozen=True, kw_only=True):
    """Rate corrected by labels: ``estimation.all.ppi_plus_plus.low``, ``estimation["me"]``."""

    _document = staticmethod(estimation_document)
    _screen = staticmethod(estimation_screen)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as ``estimate --json`` prints them."""
        parts = estimation_json(self)
        return {name: part | {"warnings": sentences(self[name].cautions)} for name, part in parts.items()}

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per part (all, and each system) and estimate."""
        return statistics_frame(
            ({"part": name, "estimate": estimate}, statistic)
            for name, part in self.parts.items()
            for estimate, statistic in part.estimates.items()
        )


class SamplePlan(PlanNumbers, Shown, frozen=True, kw_only=True):
    """Planned numbers of labels or items, and the items to label next."""

    _document = staticmethod(plan_document)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as ``plan --json`` prints it."""
        return plan_json(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per drawn item.

        Without a draw, it has one row per rate or comparison, with the number of labels or items needed.
        """
        if self.draw is not None:
            return data_frame(self.draw.rows())
        needed = {**(self.labels or {}), **({} if self.items is None else {"comparison": self.items})}
        return data_frame([{"for": name, "n": number} for name, number in needed.items()])
