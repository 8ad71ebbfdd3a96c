"""The numbers of a statistic that has some, and what is printed."""

from __future__ import annotations

from fiducial.calibration import Calibration, Estimation, Statistic
from fiducial.report.document import as_lines
from fiducial.report.text.calibration_text import calibration_document
from fiducial.report.text.estimation_text import estimation_document


def value_of(found: Statistic) -> float:
    """Its value."""
    assert found.value is not None, found.undefined
    return found.value


def ends_of(found: Statistic) -> tuple[float, float]:
    """The ends of its interval."""
    assert found.low is not None, found.method
    assert found.high is not None
    return found.low, found.high


def covers(found: Statistic, truth: float) -> bool:
    """Return whether a statistic's interval covers the truth."""
    low, high = ends_of(found)
    return low <= truth <= high


def half_width(found: Statistic) -> float:
    """Half of the width of its interval."""
    low, high = ends_of(found)
    return (high - low) / 2


def reason_of(found: Statistic) -> str:
    """Why it has no value."""
    assert found.undefined is not None
    return found.undefined


def printed(found: Calibration | Estimation) -> str:
    """Return the text printed of a statistic."""
    shown = calibration_document(found) if isinstance(found, Calibration) else estimation_document(found)
    return "\n".join(as_lines(shown))
