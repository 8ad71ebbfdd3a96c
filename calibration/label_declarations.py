"""Ways in which items are chosen for labels, as declared."""

from __future__ import annotations

from typing import Literal, TypeAlias

LabelsChosenBy: TypeAlias = Literal["score", "label", "elsewhere"]
"""How items were chosen for labels, if not at random: by the judge's ``score``, or by their true class
(``label``), from the items of the table or from ``elsewhere``."""

LabelDeclaration: TypeAlias = Literal["random", "system", "score", "label", "elsewhere"]
"""How items were chosen for labels, as declared: also as a ``random`` sample of all, or of each ``system``."""

LabelsDeclaredBy: TypeAlias = (
    LabelDeclaration | Literal["draw", "review", "strata", "phases", "reweight_by", "every_output"]
)
"""What says how items were chosen for labels: a `LabelDeclaration`, another option, labels of `review`, or that every
judged output has one."""

RANDOM_SAMPLES: frozenset[LabelsDeclaredBy] = frozenset({"random", "system", "review", "every_output"})
"""Declarations by which the labels of each system are a random sample of its judged outputs."""
