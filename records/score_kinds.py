"""Kinds of judges' scores: probabilities that an output passes, or grades."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

ScoreKind: TypeAlias = Literal["probabilities", "grades"]
"""``probabilities``: that an output passes; ``grades``: such as shares and levels."""

PROBABILITIES: Final = "probabilities"
GRADES: Final = "grades"
