"""Verdicts as OpenTelemetry log records (`gen_ai.evaluation.result`), in a file or sent.

A record has the evaluated trace and span, if the case came from a trace. The judge, its fingerprint, the outcome and its
agreement with labels are in ``fiducial.*``, since the conventions have no fields for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from ..errors import MissingExtraError, ProviderError
from ..records import Verdict, atomic_write
from ..records.json_text import encode_json
from .export_items import ExportContext, ExportItem, Written, identity
from .otlp import EVALUATION, SPAN_TAG, TRACE_TAG

_SCOPE = "fiducial"
_SEVERITY_INFO = 9
"""OpenTelemetry's severity number of INFO."""


def evaluation_attributes(verdict: Verdict, item: ExportItem, run: ExportContext) -> dict[str, Any]:
    """Return the attributes of an evaluation event."""
    attributes: dict[str, Any] = {"gen_ai.evaluation.name": verdict.by}
    passes = run.passes(verdict)
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
    for name, value in run.agreement.get(verdict.by, {}).items():
        attributes[f"fiducial.judge.accuracy.{name}"] = value
    return attributes


def evaluated_span(item: ExportItem) -> tuple[str, str]:
    """Return the trace and span of an output in hexadecimal, or "" if it came from no trace."""
    trace, span = (item.case.tags.get(name) for name in (TRACE_TAG, SPAN_TAG))
    return (trace, span) if isinstance(trace, str) and isinstance(span, str) else ("", "")


def write(items: Iterable[ExportItem], path: Path, run: ExportContext) -> Written:
    """Write verdicts as an OTLP JSON file of logs."""
    records = [_record(verdict, item, run) for item in items for verdict in item.verdicts]
    scope = {"scope": {"name": _SCOPE}, "logRecords": records}
    resource = {"attributes": list(_attribute_list({"service.name": _SCOPE}))}
    with atomic_write(path) as file:
        file.write(encode_json({"resourceLogs": [{"resource": resource, "scopeLogs": [scope]}]}))
    return Written(files=[str(path)], rows=len(records))


def _record(verdict: Verdict, item: ExportItem, run: ExportContext) -> dict[str, Any]:
    trace, span = evaluated_span(item)
    nanoseconds = str(run.nanoseconds)
    return {
        "timeUnixNano": nanoseconds,
        "observedTimeUnixNano": nanoseconds,
        "severityNumber": _SEVERITY_INFO,
        "eventName": EVALUATION,
        "attributes": list(_attribute_list(evaluation_attributes(verdict, item, run))),
        **({"traceId": trace, "spanId": span} if trace else {}),
    }


def _attribute_list(attributes: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key, value in attributes.items():
        yield {"key": key, "value": _typed_value(value)}


def _typed_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}  # OTLP JSON writes 64-bit integers as text
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}


def send(items: Iterable[ExportItem], endpoint: str, run: ExportContext) -> int:
    """Send a log record for each verdict.

    Raises:
        MissingExtraError: The exporter is not installed.
        ProviderError: The endpoint did not accept them.
    """
    try:
        from opentelemetry import _logs as api  # noqa: PLC0415 - an extra  # pyright: ignore[reportMissingImports]
        from opentelemetry.exporter.otlp.proto.http._log_exporter import (  # noqa: PLC0415 - an extra  # pyright: ignore[reportMissingImports]
            OTLPLogExporter,  # pyright: ignore[reportUnknownVariableType]
        )
        from opentelemetry.sdk import _logs as sdk  # noqa: PLC0415 - an extra  # pyright: ignore[reportMissingImports]
        from opentelemetry.sdk._logs import export  # noqa: PLC0415 - an extra  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise MissingExtraError("otel", "sending to a collector of OpenTelemetry") from error
    results = _CountingExporter(cast("Any", OTLPLogExporter)(endpoint=endpoint))
    provider = cast("Any", sdk).LoggerProvider()
    provider.add_log_record_processor(cast("Any", export).SimpleLogRecordProcessor(results))
    logger = provider.get_logger("fiducial")
    nanoseconds = run.nanoseconds
    for item in items:
        trace, span = evaluated_span(item)
        for verdict in item.verdicts:
            logger.emit(
                cast("Any", api).LogRecord(
                    timestamp=nanoseconds,
                    observed_timestamp=nanoseconds,
                    event_name=EVALUATION,
                    attributes=evaluation_attributes(verdict, item, run),
                    **_context(trace, span),
                )
            )
            if results.failed:
                raise ProviderError(f"{endpoint} did not take the record of {item.item_id}")
    provider.shutdown()
    return results.sent


def _context(trace: str, span: str) -> dict[str, Any]:
    """Return the evaluated span as the record's context."""
    if not trace:
        return {}
    from opentelemetry import trace as traces  # noqa: PLC0415 - an extra  # pyright: ignore[reportMissingImports]

    library = cast("Any", traces)
    context = library.SpanContext(int(trace, 16), int(span, 16), is_remote=True)
    return {"context": library.set_span_in_context(library.NonRecordingSpan(context))}


class _CountingExporter:
    """Exporter that counts the records that another exporter sent, and failed to send."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter
        self.sent, self.failed = 0, 0

    def export(self, batch: Any) -> Any:
        result = self._exporter.export(batch)
        if result.name == "SUCCESS":
            self.sent += len(batch)
        else:
            self.failed += len(batch)
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Return True, since no record is buffered."""
        del timeout_millis
        return True
