"""Text for a terminal: counts with their nouns, and any text made safe."""

from __future__ import annotations

from ..report.text.number_text import counted
from ..report.text.safe_text import shortened, visible

__all__ = ["counted", "shortened", "visible"]
