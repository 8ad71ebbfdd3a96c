"""Formats for exporting a run, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TypeAlias, cast

from ..errors import UsageError
from ..records import nearest
from .export_items import ExportContext, ExportItem, Written

Writer: TypeAlias = Callable[[Iterable[ExportItem], Path, ExportContext], Written]

WRITERS: dict[str, tuple[str, str, str]] = {
    "inspect": ("to_inspect", "write_log", "a log (model `none/none`); for several systems a folder"),
    "precomputed_scores": ("to_inspect", "write_scores", "scores of one judge on one system, for `inspect score --scorer precomputed_scores`"),
    "otlp": ("to_otlp", "write", "`gen_ai.evaluation.result` log records (OTLP JSON), on the evaluated spans"),
    "mlflow": ("to_mlflow", "write", "assessments, one a line"),
    "langfuse": ("to_langfuse", "write", "bodies for `POST /scores`, one a line"),
    "junit": ("to_junit", "write", "JUnit XML: a suite per system, a test per case and judge"),
    "csv": ("to_tables", "write_csv", "a row per verdict, a judge's with the label, for `fiducial calibrate`; an apostrophe before formulas"),
    "parquet": ("to_tables", "write_parquet", "the same, as Parquet"),
    "hf": ("to_tables", "write_hf", "a folder for `datasets.load_dataset`, a row per output"),
}  # fmt: skip
"""Module, function and description by name."""


def writer_of(name: str) -> Writer:
    """Return the writer of a format.

    Raises:
        UsageError: There is no such format.
    """
    if name not in WRITERS:
        raise UsageError(f"unknown format {name!r}{nearest(name, WRITERS)}; there are {', '.join(WRITERS)}")
    module, function, _ = WRITERS[name]
    return cast("Writer", getattr(import_module(f".{module}", __package__), function))
