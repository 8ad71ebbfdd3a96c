"""Text from any source, made safe for a terminal."""

from __future__ import annotations

from ..report.text.safe_text import shortened, visible

__all__ = ["shortened", "visible"]
