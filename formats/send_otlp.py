"""Verdicts sent to a collector of OpenTelemetry, by its own SDK and exporter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from ..errors import MissingExtraError, ProviderError
from .judged import Judged, Known
from .otlp import EVALUATION
from .to_otlp import evaluated_span, evaluation_attributes


def send(items: Iterable[Judged], endpoint: str, known: Known) -> int:
    """Send a log record for each verdict.

    Raises:
        MissingExtraError: The exporter is not installed.
        ProviderError: The endpoint did not take them.
    """
    try:
        from opentelemetry import _logs as api  # noqa: PLC0415 - an extra  # pyright: ignore[reportMissingImports]
        from opentelemetry.exporter.otlp.proto.http._log_exporter import (  # noqa: PLC0415 - likewise  # pyright: ignore[reportMissingImports]
            OTLPLogExporter,  # pyright: ignore[reportUnknownVariableType]
        )
        from opentelemetry.sdk import _logs as sdk  # noqa: PLC0415 - likewise  # pyright: ignore[reportMissingImports]
        from opentelemetry.sdk._logs import export  # noqa: PLC0415 - likewise  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise MissingExtraError("otel", "sending to a collector of OpenTelemetry") from error
    kept = _Results(cast("Any", OTLPLogExporter)(endpoint=endpoint))
    provider = cast("Any", sdk).LoggerProvider()
    provider.add_log_record_processor(cast("Any", export).SimpleLogRecordProcessor(kept))
    logger = provider.get_logger("fiducial")
    at = known.nanoseconds
    for item in items:
        trace, span = evaluated_span(item)
        for verdict in item.verdicts:
            logger.emit(
                cast("Any", api).LogRecord(
                    timestamp=at,
                    observed_timestamp=at,
                    event_name=EVALUATION,
                    attributes=evaluation_attributes(verdict, item, known),
                    **_context(trace, span),
                )
            )
            if kept.failed:
                raise ProviderError(f"{endpoint} did not take the record of {item.item_id}")
    provider.shutdown()
    return kept.sent


def _context(trace: str, span: str) -> dict[str, Any]:
    """The evaluated span as the record's context."""
    if not trace:
        return {}
    from opentelemetry import trace as traces  # noqa: PLC0415 - an extra  # pyright: ignore[reportMissingImports]

    library = cast("Any", traces)
    context = library.SpanContext(int(trace, 16), int(span, 16), is_remote=True)
    return {"context": library.set_span_in_context(library.NonRecordingSpan(context))}


class _Results:
    """An exporter that counts what was taken."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter
        self.sent, self.failed = 0, 0

    def export(self, batch: Any) -> Any:
        """Send a batch."""
        result = self._exporter.export(batch)
        if result.name == "SUCCESS":
            self.sent += len(batch)
        else:
            self.failed += len(batch)
        return result

    def shutdown(self) -> None:
        """Stop."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing waits."""
        del timeout_millis
        return True
