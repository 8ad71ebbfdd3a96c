"""Declarations of how outputs were chosen for labels, kept in the labels' evidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast, get_args

from msgspec.structs import replace

from ...calibration.decisions import CHOSEN_BY, review_of
from ...calibration.label_declarations import RANDOM_SAMPLES, LabelDeclaration, LabelsDeclaredBy
from ...records import Verdict
from ...tables.standing_labels import standing_labels

_DRAWN = "open"
"""Sample of the review page that is drawn at random from undecided outputs."""


def with_choice(label: Verdict, chosen_by: LabelDeclaration | None) -> Verdict:
    """Return a label that records how its output was chosen; unchanged if that is not declared."""
    return label if chosen_by is None else replace(label, evidence={**label.evidence, CHOSEN_BY: chosen_by})


def choice_of(labels: Iterable[Verdict]) -> LabelsDeclaredBy | None:
    """Return how the labelled outputs were chosen, if every label that counts says the same.

    Random samples from the review page and declared ones together are ``random``. None without labels.
    """
    choices: set[LabelsDeclaredBy | None] = {_choice(label) for label in standing_labels(labels).values()}
    if choices == {"review", "random"}:
        return "random"
    return choices.pop() if len(choices) == 1 else None


def choices_not_random(labels: Iterable[Verdict], *, systems: int) -> list[str]:
    """Return declarations of labels that are no random sample of all outputs."""
    known = {choice for label in standing_labels(labels).values() if (choice := _choice(label)) is not None}
    return sorted(known - (RANDOM_SAMPLES if systems == 1 else RANDOM_SAMPLES - {"system"}))


def _choice(label: Verdict) -> LabelsDeclaredBy | None:
    chosen_by = label.evidence.get(CHOSEN_BY)
    if isinstance(chosen_by, str) and chosen_by in get_args(LabelDeclaration):
        return cast("LabelDeclaration", chosen_by)
    return "review" if review_of(label).get("sample") == _DRAWN else None
