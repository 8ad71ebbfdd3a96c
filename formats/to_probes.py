"""Probes for a judge of another tool: Inspect, promptfoo, Azure.

Files say only what a judge may see: ids are hashes, and all probes have the same system, so that neither tells the fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..records import atomic_write, message_text, write_records
from .export_items import ExportContext, ExportItem
from .json_values import as_text
from .to_inspect import arguments_object, write_log

PROBE = "probe"
"""Key of the probe's id in the metadata of a promptfoo test."""


def write_inspect(items: Sequence[ExportItem], out: Path, run: ExportContext) -> list[Path]:
    """Write ``dataset.jsonl``, and ``log.json`` with every probe answered.

    Both are for ``inspect score``.
    """
    dataset, log = out / "dataset.jsonl", out / "log.json"
    rows = (
        {
            "id": item.case.id,
            "input": _question(item),
            "target": _accepted(item) or "",
            "metadata": {
                "output": _answer_text(item),
                "context": _passages(item),
                "fiducial_case": item.case,
            },
        }
        for item in items
    )
    write_records(dataset, rows)
    write_log(items, log, run)
    return [dataset, log]


def write_promptfoo(items: Sequence[ExportItem], out: Path, run: ExportContext) -> list[Path]:
    """Write ``promptfooconfig.json``, whose echo provider returns each probe's output.

    Add your own judge to ``defaultTest.assert``.
    """
    config: dict[str, Any] = {
        "description": run.task,
        "prompts": ["{{output}}"],
        "providers": ["echo"],
        "defaultTest": {"assert": []},
        "tests": [
            {
                "description": item.case.id,
                "metadata": {PROBE: item.case.id},
                "vars": {
                    "output": _raw(_answer_text(item)),
                    "question": _raw(_question(item)),
                    "context": _raw("\n\n".join(_passages(item))),
                    "expected": _raw("\n".join(_accepted(item))),
                },
            }
            for item in items
        ],
    }
    file = out / "promptfooconfig.json"
    with atomic_write(file) as target:
        target.write(json.dumps(config, indent=1).encode())
    return [file]


def write_azure(items: Sequence[ExportItem], out: Path, run: ExportContext) -> list[Path]:
    """Write ``rows.jsonl`` for ``evaluate(data=...)``."""
    del run
    file = out / "rows.jsonl"
    write_records(file, map(_azure_row, items))
    return [file]


WRITERS: dict[str, Callable[[Sequence[ExportItem], Path, ExportContext], list[Path]]] = {
    "inspect": write_inspect,
    "promptfoo": write_promptfoo,
    "azure": write_azure,
}
"""Writers of probes, by tool."""


def _azure_row(item: ExportItem) -> dict[str, Any]:
    row: dict[str, Any] = {"id": item.case.id, "query": _question(item), "response": item.output.text or ""}
    if item.output.tool_calls is not None:
        row["tool_calls"] = [
            {
                "type": "tool_call",
                "tool_call_id": f"call_{number}",
                "name": call.name,
                "arguments": arguments_object(call.arguments),
            }
            for number, call in enumerate(item.output.tool_calls)
        ]
    if item.case.tools:
        row["tool_definitions"] = [
            {"parameters": {}, **tool["function"]} for tool in msgspec.to_builtins(item.case.tools)
        ]
    if item.case.context:
        row["context"] = "\n\n".join(_passages(item))
    if _accepted(item):
        row["ground_truth"] = _accepted(item)[0]
    return row


def _question(item: ExportItem) -> str:
    messages = item.case.all_messages
    if len(messages) == 1:
        return message_text(messages[0])
    return "\n\n".join(f"{message['role']}: {message_text(message)}" for message in messages)


def _answer_text(item: ExportItem) -> str:
    calls = [{"name": call.name, "arguments": call.arguments} for call in item.output.tool_calls or []]
    parts = [item.output.text, as_text(calls) if calls else None]
    return "\n".join(part for part in parts if part)


def _passages(item: ExportItem) -> list[str]:
    return [as_text(passage.content) or "" for passage in item.case.context]


def _accepted(item: ExportItem) -> list[str]:
    return list(map(str, item.accepted))


def _raw(text: str) -> str:
    """Return a text that a promptfoo template leaves unchanged."""
    return f"{{% raw %}}{text}{{% endraw %}}" if "{{" in text or "{%" in text else text
