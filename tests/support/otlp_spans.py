"""Spans of OpenTelemetry, as tests write them down and read them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import fiducial as fd

TRACE, ROOT, CHILD = "0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7", "00f067aa0ba902b8"

Read: TypeAlias = Callable[..., fd.Reading]


def reader_in(folder: Path) -> Read:
    """Return a function that reads lines as a file in a folder."""

    def read(*lines: Any, **options: Any) -> fd.Reading:
        path = folder / "given.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return fd.read(path, **options)

    return read


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    """Return an export of spans."""
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": list(spans)}]}]}


def span(attributes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a span with attributes that are texts."""
    typed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {"traceId": TRACE, "spanId": ROOT, "name": "chat", "startTimeUnixNano": "1", "attributes": typed, **fields}  # fmt: skip
