"""OpenInference's evaluations among the attributes of a span."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..field_reader import FieldReader
from ..imported_scores import ImportedScore, scored, unscored
from .attributes import unflattened


def evaluations_of(attributes: Mapping[str, Any]) -> list[Any]:
    """Return the evaluations among a span's attributes."""
    groups = ("evaluations", "annotations", "trace.evaluations", "trace.annotations")
    return [item for group in groups for item in unflattened(dict(attributes), group)]


def openinference_score(evaluation: Any) -> ImportedScore:
    """Return the score of an evaluation."""
    outer = FieldReader(evaluation, "evaluations")
    inner = outer.node("evaluation", "annotation")
    by, label = inner.need("name"), inner.text("label")
    is_human = (inner.text("annotator_kind") or "").upper() == "HUMAN"
    source, identifier = "human" if is_human else "judge", inner.text("identifier")
    if is_human and identifier:
        by = f"{identifier}/{by}"
    value, reason = inner.value.get("score"), inner.text("explanation")
    if value is None and label is None:
        return unscored(by, "not_applicable", reason or "the evaluation has no score", source=source)
    return scored(
        by,
        label if value is None else value,
        reason=reason,
        source=source,
        field="evaluation.score",
        written="numbers" if value is not None else "any",
        evidence={"label": label, "identifier": identifier},
    )
