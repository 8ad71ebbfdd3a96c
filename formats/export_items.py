"""Items for writers: an output with its case and all scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from ..records import Case, Output, Verdict


class ExportItem(NamedTuple):
    """One output with its case and verdicts.

    Attributes:
        case: Its case.
        output: The output.
        verdicts: Verdicts on the output.
        label: The trusted verdict: a person's, else the checker's.
    """

    case: Case
    output: Output
    verdicts: list[Verdict]
    label: Verdict | None = None

    @property
    def item_id(self) -> str:
        """Name of the output in tables."""
        return str(self.output.key)

    @property
    def accepted(self) -> list[Any]:
        """Accepted answers of the case, if any."""
        reference = self.case.reference
        answer = reference.get("answer")
        return reference.get("answers") or ([] if answer is None else [answer])


class ExportContext(NamedTuple):
    """Facts about a run as a whole.

    Attributes:
        task: Name of the run.
        created: Time in ISO 8601.
        thresholds: Pass threshold by author of the verdict; 0.5 for others.
        agreement: Accuracy of judges against labels, by name: value, low, high and n.
    """

    task: str
    created: str
    thresholds: Mapping[str, float]
    agreement: Mapping[str, Mapping[str, float]]

    @property
    def nanoseconds(self) -> int:
        """Time since 1970."""
        return int(datetime.fromisoformat(self.created).timestamp() * 1e9)

    def passes(self, verdict: Verdict) -> bool | None:
        """Return whether a verdict passes, or None if it has no score."""
        return None if verdict.score is None else verdict.score >= self.thresholds.get(verdict.by, 0.5)


class Written(msgspec.Struct, kw_only=True):
    """Summary of what a writer wrote.

    Attributes:
        files: The files.
        rows: Number of rows in the format's units.
        left_out: Number of verdicts that the format cannot express, by reason.
    """

    files: list[str]
    rows: int
    left_out: dict[str, int] = {}


def identity(verdict: Verdict) -> dict[str, Any]:
    """Return the author of a verdict as fields in our namespace.

    OpenTelemetry and others have no fields for it.
    """
    fields: dict[str, Any] = {
        "fiducial.source": verdict.source,
        "fiducial.outcome": verdict.outcome,
        "fiducial.trial": verdict.trial,
        "fiducial.repeat": verdict.repeat,
        "fiducial.system": verdict.system,
        "fiducial.case_id": verdict.case_id,
        "fiducial.error_type": verdict.error_type,
    }
    if verdict.judge is not None:
        names = ("kind", "name", "variant", "model", "fingerprint")
        fields |= {f"fiducial.judge.{name}": getattr(verdict.judge, name) for name in names}
    return {name: value for name, value in fields.items() if value not in {None, ""}}


def with_scores(verdicts: Iterable[Verdict]) -> tuple[list[Verdict], dict[str, int]]:
    """Return the verdicts with a score, and the number without one."""
    all_verdicts = list(verdicts)
    graded = [verdict for verdict in all_verdicts if verdict.score is not None]
    return graded, {"without a score": len(all_verdicts) - len(graded)} if len(graded) < len(
        all_verdicts
    ) else {}
