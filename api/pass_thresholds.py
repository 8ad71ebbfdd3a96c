"""Pass thresholds: for all judges, and for some by name."""

from __future__ import annotations

from ..calibration.pass_threshold import PassAt

__all__ = ["PassAt"]
