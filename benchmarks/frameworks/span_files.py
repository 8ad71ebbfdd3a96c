"""Spans as lines of a file, as OpenTelemetry's SDK prints them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

_LONGEST = 6000


class SpanFile(SpanExporter):
    """An exporter that appends to a file; traces of stacks, which name folders, are left out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_text("", "utf-8")

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Append spans."""
        with self.path.open("a", encoding="utf-8") as file:
            for span in spans:
                file.write(json.dumps(plain(span), ensure_ascii=False) + "\n")
        return SpanExportResult.SUCCESS


def plain(span: ReadableSpan) -> dict[str, Any]:
    """Return a span as a line."""
    line = json.loads(span.to_json())
    for event in line["events"]:
        event["attributes"].pop("exception.stacktrace", None)
    scope = span.instrumentation_scope
    line |= {"scope": {"name": "" if scope is None else scope.name}, "resource": {"attributes": {}}}
    line["attributes"] = {
        name: value for name, value in line["attributes"].items() if len(str(value)) <= _LONGEST
    }
    return line


def provider_to(path: Path) -> TracerProvider:
    """Return a provider of tracers that writes a file, and set it for the process."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(SpanFile(path)))
    trace.set_tracer_provider(provider)
    return provider
