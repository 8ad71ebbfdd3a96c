"""Rows of a calibration table from a run folder: the judges' verdicts beside what checkers and people say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ..errors import InputError
from ..records import Verdict, read_records
from .table import Table
from .table_builder import TableBuilder


def table_from_run(folder: Path, *, clusters: Mapping[str, str] | None = None) -> Table:
    """The calibration table of a run folder.

    Scores are the verdicts of its judges. Labels are the graded verdicts of its checkers (``verdicts.jsonl``) and
    everything in ``labels.jsonl``, which takes precedence. An item is ``case_id|system|trial``.

    Args:
        folder: Holds ``verdicts.jsonl`` and, perhaps, ``labels.jsonl`` and ``clusters.json``.
        clusters: Cluster by case id, instead of what ``clusters.json`` says; a case that is not named is its own.

    Returns:
        The table; beside ``system`` it has ``label_by`` (who gave the label) and ``error_type`` (the fault it names).

    Raises:
        InputError: A file cannot be read, or no judge has said anything.
    """
    builder = TableBuilder()
    for row in run_rows(folder, clusters):
        builder.add(row, path=folder)
    return builder.build()


def run_rows(folder: Path, clusters: Mapping[str, str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of `table_from_run`, one for each judge, output and repeat.

    Raises:
        InputError: A file cannot be read, or no judge has said anything.
    """
    if clusters is None:
        clusters = _clusters(folder / "clusters.json")
    labels: dict[str, Verdict] = {}
    judged: dict[tuple[str, str, int], Verdict] = {}
    for verdict in read_records(folder / "verdicts.jsonl", Verdict):
        if verdict.source == "judge":
            # After a resume a later line replaces an ungraded one.
            judged[str(verdict.key), verdict.by, verdict.repeat] = verdict
        elif verdict.graded:
            labels[str(verdict.key)] = verdict
    trusted = folder / "labels.jsonl"
    if trusted.exists() and trusted.stat().st_size:
        labels |= {str(verdict.key): verdict for verdict in read_records(trusted, Verdict) if verdict.graded}
    if not judged:
        raise InputError("there is no verdict of a judge to calibrate", path=folder / "verdicts.jsonl")
    for (item, judge, repeat), verdict in judged.items():
        label = labels.get(item)
        yield {
            "item_id": item,
            "judge": judge,
            "score": verdict.score,
            "label": None if label is None else label.score,
            "cluster": clusters.get(verdict.case_id, verdict.case_id),
            "system": verdict.system,
            "repeat": repeat,
            "outcome": verdict.outcome,
            "label_by": None if label is None else label.by,
            "error_type": None if label is None else label.error_type,
        }


def _clusters(path: Path) -> dict[str, str]:
    """Cluster by case id, as the run wrote it; a run without it has no case that depends on another."""
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"cannot be read as clusters by case: {error}", path=path) from error
