"""Verdicts as tables (CSV, Parquet, a Hugging Face folder), as calibration reads them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from ..records import Case, atomic_write, kind_spec, message_text
from ..records.json_text import encode_json
from ..records.output import messages_asked
from ..tables.arrow_file import pyarrow
from ..tables.spreadsheet import as_text_cell
from .export_items import ExportContext, ExportItem, Written

_COLUMNS: tuple[str, ...] = ("item_id", "judge", "score", "cluster", "system", "repeat", "outcome", "case_id", "trial", "kind", "source", "error_type", "reason", "label", "label_by")  # fmt: skip


def verdict_rows(items: Iterable[ExportItem]) -> Iterator[dict[str, Any]]:
    """Yield a row per verdict, with the columns of a calibration table first.

    A judge's row has the output's label.
    """
    for item in items:
        for verdict in item.verdicts:
            label = item.label if verdict.source == "judge" else None
            yield {
                "item_id": item.item_id,
                "judge": verdict.by,
                "score": verdict.score,
                "cluster": item.case.cluster_id,
                "system": verdict.system,
                "repeat": verdict.repeat,
                "outcome": verdict.outcome,
                "case_id": verdict.case_id,
                "trial": verdict.trial,
                "kind": item.case.kind,
                "source": verdict.source,
                "error_type": verdict.error_type,
                "reason": verdict.reason,
                "label": None if label is None else label.score,
                "label_by": None if label is None else label.by,
            }


def write_csv(items: Iterable[ExportItem], path: Path, run: ExportContext) -> Written:
    """Write verdicts as CSV."""
    del run
    rows = 0
    with atomic_write(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
        writer = csv.DictWriter(
            text,
            _COLUMNS,
            quoting=csv.QUOTE_ALL,  # else a ; in a text would begin a cell where spreadsheets separate by it
        )
        writer.writeheader()
        for row in verdict_rows(items):
            writer.writerow(
                {
                    name: as_text_cell(value) if isinstance(value, str) else value
                    for name, value in row.items()
                }
            )
            rows += 1
        text.flush()
        text.detach()
    return Written(files=[str(path)], rows=rows)


def write_parquet(items: Iterable[ExportItem], path: Path, run: ExportContext) -> Written:
    """Write verdicts as Parquet."""
    del run
    numbers = {"score": "float64", "label": "float64", "repeat": "int64", "trial": "int64"}
    rows = list(verdict_rows(items))
    _parquet(rows, {name: numbers.get(name, "string") for name in _COLUMNS}, path)
    return Written(files=[str(path)], rows=len(rows))


def write_hf(items: Iterable[ExportItem], path: Path, run: ExportContext) -> Written:
    """Write a folder for ``datasets.load_dataset``: a card, and a row per output."""
    rows = [_output_row(item) for item in items]
    file, card = path / "data" / "outputs.parquet", path / "README.md"
    numbers = {"trial": "int64"}
    _parquet(rows, {name: numbers.get(name, "string") for name in _OUTPUT_COLUMNS}, file)
    judges = sorted({verdict.by for item in rows for verdict in cast("list[Any]", item.pop("_verdicts"))})
    with atomic_write(card) as out:
        out.write(_card(run, len(rows), judges).encode("utf-8", "backslashreplace"))
    return Written(files=[str(card), str(file)], rows=len(rows))


_OUTPUT_COLUMNS = ("id", "query", "messages", "tool_definitions", "accepted_answers", "expected_calls", "criterion", "context", "cluster", "system", "trial", "response", "error", "tool_calls", "turns", "verdicts")  # fmt: skip


def _expected_calls(case: Case) -> str | None:
    """Return the calls a case expects as JSON.

    An empty list means that no call is due; None, that a column cannot express them.
    """
    if kind_spec(case.kind).call == "none":
        return _json([])
    calls = case.reference.get("calls")
    return _json(calls) if _are_plain(calls) else None


def _output_row(item: ExportItem) -> dict[str, Any]:
    case, output = item.case, item.output
    reference = case.reference
    messages = messages_asked(case, output)
    is_plain_question = len(messages) == 1 and messages[0]["role"] == "user"
    return {
        "id": case.id,
        "query": message_text(messages[0]) if is_plain_question else None,
        "messages": None if is_plain_question or not messages else _json(messages),
        "tool_definitions": _json(case.tools) if case.tools else None,
        "accepted_answers": _json(item.accepted) if item.accepted else None,
        "expected_calls": _expected_calls(case),
        "criterion": reference.get("criterion"),
        "context": _json(case.context) if case.context else None,
        "cluster": case.cluster,
        "system": output.system,
        "trial": output.trial,
        "response": output.text,
        "error": output.error,
        "tool_calls": None if output.tool_calls is None else _json(output.tool_calls),
        "turns": None if output.turns is None else _json(output.turns),
        "verdicts": _json(item.verdicts),
        "_verdicts": item.verdicts,
    }


def _are_plain(calls: Any) -> bool:
    return bool(calls) and all(isinstance(call, dict) and "arguments" in call for call in calls)


def _json(value: Any) -> str:
    """Return a value as JSON text.

    A column of structs would give every row every key.
    """
    return encode_json(value).decode()


def _card(run: ExportContext, rows: int, judges: list[str]) -> str:
    judge_list = "\n".join(f"* `{name.replace('`', '')}`" for name in judges)
    return (
        "---\nconfigs:\n- config_name: default\n  data_files: data/outputs.parquet\n---\n\n"
        f"# {' '.join(run.task.split())}\n\n"
        f"{rows:,} outputs with their verdicts, written {run.created} by fiducial.\n\n"
        "Columns `messages`, `tool_definitions`, `context`, `tool_calls`, `turns` and `verdicts` hold JSON text. A verdict without a score says why in\n"
        "`outcome`.\n\n"
        f"Said by:\n\n{judge_list}\n"
    )


def _storable(value: Any) -> Any:
    r"""Return a value that Parquet can hold; lone surrogates, which it cannot, as ``\u`` escapes."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _parquet(rows: list[dict[str, Any]], columns: Mapping[str, str], path: Path) -> None:
    arrow, parquet = pyarrow("writing Parquet")
    schema = arrow.schema([(name, getattr(arrow, kind)()) for name, kind in columns.items()])
    table = arrow.Table.from_pylist(
        [{name: _storable(row[name]) for name in columns} for row in rows], schema=schema
    )
    with atomic_write(path) as file:
        parquet.write_table(table, file)
