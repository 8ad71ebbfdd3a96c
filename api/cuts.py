"""Pass thresholds: for all judges, and for some by name."""

from __future__ import annotations

from ..calibration.cuts import PassAt

__all__ = ["PassAt"]
