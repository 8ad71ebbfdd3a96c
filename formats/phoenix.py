"""Phoenix's evaluated data frames, and its tables of spans.

``NAME_score`` and ``NAME_execution_details`` are a verdict of NAME. Spans with a column per attribute are read as ``otlp`` reads spans.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ..records import Source
from ..records.made_scores import rounded_score
from ..tables.named_columns import known_fields
from .arrow_rows import read_any_rows
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows
from .flat_spans import is_flat_span, nested_spans
from .import_options import Options
from .imported_records import ImportedRecord
from .imported_scores import ImportedScore, collect_scores, scored, unscored
from .json_values import is_object, parsed
from .known_columns import row_example
from .otlp import read_spans
from .recognized_grades import RecognizedGrades
from .traces.recorded_content import NO_ANSWER, recorded

NAME = "phoenix"
ABOUT = "evaluated data frames, exported spans (JSON Lines, JSON, CSV, Parquet)"
LOST = "durations of evaluators"

_DETAILS_ENDING, _SCORE_ENDING = "_execution_details", "_score"


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a row with evaluations, or a span."""
    return is_object(glimpse) and (is_flat_span(glimpse) or _is_evaluated(glimpse))


def _is_evaluated(row: dict[str, Any]) -> bool:
    return any(name.endswith(_DETAILS_ENDING) for name in row)


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read evaluated rows, or spans; see `Format`."""
    rows = iter(read_any_rows(path))
    first_rows = list(islice(rows, 1))
    if any(
        isinstance(row, FileRow) and is_flat_span(row.value) and not _is_evaluated(row.value)
        for row in first_rows
    ):
        yield from read_spans(nested_spans(chain(first_rows, rows)), options)
        return
    yield from convert_rows(chain(first_rows, rows), lambda row: _records(row, options))


def _records(row: FileRow, options: Options) -> Iterator[ImportedRecord]:
    line = row.node
    names = [name.removesuffix(_DETAILS_ENDING) for name in line.value if name.endswith(_DETAILS_ENDING)]
    evaluations = {f"{name}{ending}" for name in names for ending in (_DETAILS_ENDING, _SCORE_ENDING)}
    others = {name: value for name, value in line.value.items() if name not in evaluations}
    example, skipped = row_example(
        FileRow(others, row.position, row.at, row.number), options, RecognizedGrades()
    )
    yield from skipped
    column = known_fields(tuple(others), tuple(options.columns.items())).get("response")
    if column is not None and example.error is None and _is_hidden(others[column]):
        example.answer, example.unrecorded = None, NO_ANSWER
    yield from collect_scores(example.scores, names, lambda name: [_imported_score(name, line)], row.position)
    yield from records_of(example, row.position, options)


def _is_hidden(output: Any) -> bool:
    """Return whether a span's output was not recorded: null or NaN, not an empty text."""
    is_nan = isinstance(output, float) and math.isnan(output)
    return is_nan or recorded(output) is None


def _imported_score(name: str, line: FieldReader) -> ImportedScore:
    details = FieldReader(
        parsed(line.get(f"{name}{_DETAILS_ENDING}")) or {}, line.path(f"{name}{_DETAILS_ENDING}")
    )
    stored = parsed(line.get(f"{name}{_SCORE_ENDING}"))
    status = details.text("status") or "COMPLETED"
    if status == "FAILED":
        exceptions = [str(item) for _, item in details.items("exceptions")]
        return unscored(name, "failed", exceptions[-1] if exceptions else "the evaluator failed")
    if stored is None or stored == "":
        reason = "the evaluator did not run" if status == "DID NOT RUN" else "the evaluator gave no score"
        return unscored(name, "not_applicable", reason)
    score = FieldReader(
        stored if is_object(stored) else {"score": stored}, line.path(f"{name}{_SCORE_ENDING}")
    )
    by, label, reason = score.text("name") or name, score.text("label"), score.text("explanation")
    source: Source = "human" if score.text("kind") == "human" else "judge"
    value, direction = score.value.get("score"), score.text("direction") or "maximize"
    imported_score = scored(
        by,
        label if value is None else value,
        reason=reason,
        source=source,
        field=score.path("score"),
        written="numbers" if value is not None else "any",
        evidence={"label": label},
        absent="the evaluator gave no score",
    )
    if imported_score.score is None:
        return imported_score
    if direction == "minimize":
        evidence = {**imported_score.evidence, "value": value, "direction": direction}
        return imported_score._replace(score=rounded_score(1.0 - imported_score.score), evidence=evidence)
    if direction == "neutral":
        raise score.refuse("direction", "maximize or minimize, since a neutral score has no better end")
    return imported_score
