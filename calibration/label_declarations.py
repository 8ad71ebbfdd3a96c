"""Ways in which items are chosen for labels, as declared."""

from __future__ import annotations

from typing import Literal, TypeAlias

LabelsChosenBy: TypeAlias = Literal["score", "label", "elsewhere"]
"""Ways to choose items for labels, other than at random.

* ``score``: by the judge's score.
* ``label``: by true class, from the items of the table.
* ``elsewhere``: by true class, from other items.
"""

LabelDeclaration: TypeAlias = Literal["random", "system", "score", "label", "elsewhere"]
"""Declarations of how items were chosen for labels.

They are those of `LabelsChosenBy`, a ``random`` sample of all items, and a random sample of each ``system``.
"""

LabelsDeclaredBy: TypeAlias = (
    LabelDeclaration | Literal["draw", "review", "strata", "phases", "reweight_by", "every_output"]
)
"""What tells how items were chosen for labels.

It is a `LabelDeclaration`, another option, the review that added the labels, or that every judged output has one.
"""

RANDOM_SAMPLES: frozenset[LabelsDeclaredBy] = frozenset({"random", "system", "review", "every_output"})
"""Declarations by which the labels of each system are a random sample of its judged outputs."""
