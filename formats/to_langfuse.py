"""Verdicts as bodies for Langfuse's ``POST /scores``, a line each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..records import Verdict, write_records
from .export_items import ExportContext, ExportItem, Written, identity, with_scores


def write(items: Iterable[ExportItem], path: Path, run: ExportContext) -> Written:
    """Write score bodies as JSON Lines, with the case as trace.

    Verdicts without a score are omitted, since Langfuse requires a value.
    """
    del run
    graded, left_out = with_scores(verdict for item in items for verdict in item.verdicts)
    rows = write_records(path, map(_body, graded))
    return Written(files=[str(path)], rows=rows, left_out=left_out)


def _body(verdict: Verdict) -> dict[str, Any]:
    trace, _, observation = verdict.case_id.partition("/")
    key = f"{verdict.key}|{verdict.by}|{verdict.repeat}"
    return {
        # A verdict that is sent again replaces the earlier one.
        "id": hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32],
        "traceId": trace,
        **({"observationId": observation} if observation else {}),
        "name": verdict.by,
        "value": verdict.score,
        "dataType": "NUMERIC",
        **({} if verdict.reason is None else {"comment": verdict.reason}),
        "metadata": identity(verdict),
    }
