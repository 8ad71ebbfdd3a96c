"""Pass thresholds by judge, as the command line makes them."""

from __future__ import annotations

from ..calibration.pass_threshold import ThresholdOverrides

__all__ = ["ThresholdOverrides"]
