"""Text from any source, made safe for a terminal."""

from __future__ import annotations

from ..report.text.safe_text import visible

__all__ = ["visible"]
