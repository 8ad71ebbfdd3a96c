"""Declarations of how outputs were chosen for labels, kept in the labels' evidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast, get_args

from msgspec.structs import replace

from ...calibration.decisions import CHOSEN_BY, review_of
from ...calibration.label_declarations import RANDOM_SAMPLES, LabelDeclaration, LabelsDeclaredBy
from ...records import Verdict
from ...tables.standing_labels import standing_labels

_RANDOM_SAMPLE = "open"
"""Kind of the review page's sample that is drawn at random from undecided outputs."""


def with_choice(label: Verdict, chosen_by: LabelDeclaration | None) -> Verdict:
    """Return a label with the declaration of how its output was chosen, if there is one."""
    return label if chosen_by is None else replace(label, evidence={**label.evidence, CHOSEN_BY: chosen_by})


def choice_of(labels: Iterable[Verdict]) -> LabelsDeclaredBy | None:
    """Return how the labelled outputs were chosen, if all current labels agree on it, else None.

    Random samples from the review page together with declared ones are ``random``.
    """
    choices: set[LabelsDeclaredBy | None] = {
        _declared_choice(label) for label in standing_labels(labels).values()
    }
    if choices == {"review", "random"}:
        return "random"
    return choices.pop() if len(choices) == 1 else None


def choices_not_random(labels: Iterable[Verdict], *, systems: int) -> list[str]:
    """Return the declarations under which labels are not a random sample of all outputs.

    A sample per system is one only if there is a single system.
    """
    declared_choices = {
        choice
        for label in standing_labels(labels).values()
        if (choice := _declared_choice(label)) is not None
    }
    return sorted(declared_choices - (RANDOM_SAMPLES if systems == 1 else RANDOM_SAMPLES - {"system"}))


def _declared_choice(label: Verdict) -> LabelsDeclaredBy | None:
    chosen_by = label.evidence.get(CHOSEN_BY)
    if isinstance(chosen_by, str) and chosen_by in get_args(LabelDeclaration):
        return cast("LabelDeclaration", chosen_by)
    return "review" if review_of(label).get("sample") == _RANDOM_SAMPLE else None
