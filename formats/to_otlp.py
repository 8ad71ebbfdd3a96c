"""Verdicts as log records ``gen_ai.evaluation.result`` of OpenTelemetry: an OTLP JSON file, or sent by the official exporter.

A record has the trace and span of what was evaluated, where the case came from a trace. Who judged, its fingerprint, the outcome and how far the
judge agrees with labels stand in ``fiducial.*``, since the conventions have no place for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..records import Verdict, atomic_write
from .judged import Judged, Known, Written, identity
from .otlp import EVALUATION, SPAN_TAG, TRACE_TAG

_SCOPE = "fiducial"
_INFO = 9
"""The severity number of INFO."""


def evaluation_attributes(verdict: Verdict, item: Judged, known: Known) -> dict[str, Any]:
    """The attributes of an evaluation event."""
    attributes: dict[str, Any] = {"gen_ai.evaluation.name": verdict.by}
    passes = known.passes(verdict)
    if verdict.score is None or passes is None:
        attributes["error.type"] = verdict.error_type or verdict.outcome
    else:
        attributes["gen_ai.evaluation.score.value"] = float(verdict.score)
        attributes["gen_ai.evaluation.score.label"] = "pass" if passes else "fail"
    if verdict.reason:
        attributes["gen_ai.evaluation.explanation"] = verdict.reason
    response = item.case.tags.get("gen_ai.response.id")
    if isinstance(response, str):
        attributes["gen_ai.response.id"] = response
    attributes |= identity(verdict)
    for name, value in known.agreement.get(verdict.by, {}).items():
        attributes[f"fiducial.judge.accuracy.{name}"] = value
    return attributes


def evaluated_span(item: Judged) -> tuple[str, str]:
    """The trace and the span that an output was read from, in hexadecimal; empty where it was from none."""
    trace, span = (item.case.tags.get(name) for name in (TRACE_TAG, SPAN_TAG))
    return (trace, span) if isinstance(trace, str) and isinstance(span, str) else ("", "")


def write(items: Iterable[Judged], path: Path, known: Known) -> Written:
    """Write verdicts as an OTLP JSON file of logs."""
    records = [_record(verdict, item, known) for item in items for verdict in item.verdicts]
    scope = {"scope": {"name": _SCOPE}, "logRecords": records}
    resource = {"attributes": list(_typed({"service.name": _SCOPE}))}
    with atomic_write(path) as file:
        file.write(msgspec.json.encode({"resourceLogs": [{"resource": resource, "scopeLogs": [scope]}]}))
    return Written(files=[str(path)], rows=len(records))


def _record(verdict: Verdict, item: Judged, known: Known) -> dict[str, Any]:
    trace, span = evaluated_span(item)
    nanoseconds = str(known.nanoseconds)
    return {
        "timeUnixNano": nanoseconds,
        "observedTimeUnixNano": nanoseconds,
        "severityNumber": _INFO,
        "eventName": EVALUATION,
        "attributes": list(_typed(evaluation_attributes(verdict, item, known))),
        **({"traceId": trace, "spanId": span} if trace else {}),
    }


def _typed(attributes: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key, value in attributes.items():
        yield {"key": key, "value": _value(value)}


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}
