"""Display of judging forecasts for a run, an audit or a preference."""

from __future__ import annotations

from ..evaluation.forecast import Forecast
from ..report.text.forecast_text import forecasts_document
from .display import Document, Result


class Forecasts(Result, frozen=True, kw_only=True):
    """Forecast of judging."""

    judges: list[Forecast]

    def document(self) -> Document:
        """Return the forecast as a document."""
        return forecasts_document(self.judges)
