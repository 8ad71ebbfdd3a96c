"""Verdicts as MLflow assessments: feedback that `Assessment.from_dictionary` reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..records import Source, Verdict, write_records
from .export_items import ExportContext, ExportItem, Written, identity

_SOURCES: dict[Source, str] = {
    "judge": "LLM_JUDGE",
    "human": "HUMAN",
    "checker": "CODE",
    "construction": "CODE",
}


def write(items: Iterable[ExportItem], path: Path, run: ExportContext) -> Written:
    """Write assessments as JSON Lines, with the case as trace."""
    rows = write_records(path, (_assessment(verdict, run) for item in items for verdict in item.verdicts))
    return Written(files=[str(path)], rows=rows)


def _assessment(verdict: Verdict, run: ExportContext) -> dict[str, Any]:
    feedback: dict[str, Any] = {"value": verdict.score}
    if verdict.score is None:
        feedback["error"] = {
            "error_code": verdict.outcome,
            "error_message": verdict.reason or verdict.outcome,
        }
    return {
        "assessment_name": verdict.by,
        "trace_id": verdict.case_id,
        "source": {"source_type": _SOURCES[verdict.source], "source_id": verdict.by},
        "create_time": run.created,
        "last_update_time": run.created,
        "feedback": feedback,
        **({} if verdict.reason is None else {"rationale": verdict.reason}),
        "metadata": {key: str(value) for key, value in identity(verdict).items()},
        "valid": True,
    }
