"""ragas' samples; extra numeric fields are verdicts of the metric of that name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from ..records import TagValue
from ..records.json_text import type_name
from ..records.scale import judge_scale, named_judges
from ..tables.column_names import is_person
from ..tables.fault_columns import direction_options
from ..tables.grade_columns import are_scores
from ..tables.grades import as_number, is_missing
from ..tables.named_columns import columns_by_field
from .arrow_rows import read_any_rows
from .calls import AgentAnswer, answer_of, messages_of, split_question
from .conversation_turns import ConversationTurn, conversation
from .example import Example, answers_of, passages_of
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows
from .import_options import Options
from .imported_records import ImportedRecord, Skipped
from .imported_scores import ImportedScore, collect_scores, scored, unscored
from .json_values import as_text, is_list, is_object, tags_of
from .recognized_grades import LOOKED_AT, RecognizedGrades, recognize_grades
from .score_columns import label_readers
from .unanswered import Unanswered

NAME = "ragas"
ABOUT = "single-turn and multi-turn samples, scored or not (JSON Lines, JSON, CSV, Parquet)"
LOST = "reference contexts, topics"

_FIELDS = frozenset({"id", "user_input", "response", "reference", "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids", "reference_tool_calls", "reference_topics", "rubrics", "multi_responses", "persona_name", "query_style", "query_length", "synthesizer_name"})  # fmt: skip


class _GradeColumns(NamedTuple):
    """Columns besides the fields of a sample."""

    metrics: Sequence[str]
    people: Sequence[str]
    known: RecognizedGrades
    """What the first rows show of these columns, such as a missing scale or direction."""

    @property
    def graded(self) -> tuple[str, ...]:
        return (*self.metrics, *self.people)


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a sample."""
    return is_object(glimpse) and "user_input" in glimpse


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read samples; see `Format`."""
    rows = iter(read_any_rows(path))
    first_rows = list(islice(rows, LOOKED_AT))
    values = [row.value for row in first_rows if isinstance(row, FileRow) and is_object(row.value)]
    columns = _columns(values, options)
    unanswered = Unanswered()
    yield from convert_rows(
        chain(first_rows, rows), lambda row: unanswered.take(list(_records(row, columns, options)))
    )
    yield from unanswered.left(path)


def _columns(rows: Sequence[Mapping[str, Any]], options: Options) -> _GradeColumns:
    """Distinguish metrics, people's grades and tags by the first rows.

    Any column of numbers is a metric, also of numbers in text, as in a CSV. A word among them stands for a failed metric.
    """
    recognized = recognize_grades(rows, options)
    header = dict.fromkeys(name for row in rows for name in row if name not in _FIELDS)
    column_by_field = columns_by_field(header, options.columns)
    label = recognized.label or column_by_field.get("label")
    people = [name for name in header if is_person(name) or name == label]
    scales = options.converter.scales
    metrics = [
        name
        for name in header
        if name not in people
        and (name in named_judges(scales) or are_scores(name, [row.get(name) for row in rows], _is_score))
    ]
    options_by_metric = {
        name: direction_options(name, [row.get(name) for row in rows], judge_scale(scales, name), judge=True)
        for name in metrics
    }
    undirected = {name: options for name, options in options_by_metric.items() if options}
    return _GradeColumns(
        metrics, people, recognized._replace(undirected={**recognized.undirected, **undirected})
    )


def _records(row: FileRow, columns: _GradeColumns, options: Options) -> Iterator[ImportedRecord]:
    example = _example(row, columns, options)
    yield from _add_scores(example, row, columns, options)
    yield from records_of(example, row.position, options)


def _example(row: FileRow, columns: _GradeColumns, options: Options) -> Example:
    line = row.node
    if line.get("user_input") is None:
        raise line.refuse("user_input", "a text or a list of messages")
    question, response = line.unpacked("user_input"), line.text("response")
    answer = AgentAnswer(response) if "response" in line else None
    turns: list[ConversationTurn] = []
    if is_list(question):
        messages = FieldReader({"user_input": question}, line.at).nodes("user_input")
        question_messages, answer_messages = split_question(messages)
        question, answer = (
            [reader.value for reader in question_messages],
            answer_of(answer_messages) if answer_messages else answer,
        )
        turns = conversation(messages, options.unit)
    rubrics = line.unpacked("rubrics")
    return Example(
        id=line.name("id") or "",
        number=row.number,
        messages=messages_of(question, line.path("user_input")),
        expected_calls=_expected_calls(line) or None,
        accepted=answers_of(line.text("reference")),
        context=passages_of(line.unpacked("retrieved_contexts"), line.path("retrieved_contexts")),
        criterion=as_text(rubrics) if rubrics else None,
        tags=_tags(line, columns),
        answer=answer,
        conversation=turns,
    )


def _expected_calls(line: FieldReader) -> list[Any]:
    calls = FieldReader({"reference_tool_calls": line.unpacked("reference_tool_calls")}, line.at)
    return [call for _, call in calls.items("reference_tool_calls")]


def _tags(line: FieldReader, columns: _GradeColumns) -> dict[str, TagValue]:
    other_fields = {
        name: value for name, value in line.value.items() if name not in {*_FIELDS, *columns.graded}
    }
    return tags_of({name: value for name, value in other_fields.items() if isinstance(value, str)})


def _add_scores(
    example: Example, row: FileRow, columns: _GradeColumns, options: Options
) -> Iterator[Skipped]:
    """Add metrics' scores and people's labels to an example, and yield the invalid ones."""
    line = row.node
    metrics = [name for name in columns.metrics if name in line]
    yield from collect_scores(
        example.scores, metrics, lambda name: [_metric_score(name, line, columns.known)], row.position
    )
    readers = label_readers(
        {name: line.value.get(name) for name in columns.people}, options.grades, columns.known
    )
    yield from collect_scores(example.scores, readers, lambda read: read(), row.position)
    for name in metrics:
        # A metric without a known direction was refused above as a whole.
        if name not in columns.known.undirected and not _is_score(value := line.value[name]):
            yield row.position.skipped_part(
                line.path(name), f"expected a number from {name!r}, got {_describe(value)}"
            )


def _is_score(value: Any) -> bool:
    return is_missing(value) or as_number(value) is not None


def _describe(value: Any) -> str:
    return repr(value) if isinstance(value, str) else type_name(value)


def _metric_score(name: str, line: FieldReader, known: RecognizedGrades) -> ImportedScore:
    known.require_direction(name)
    value = line.value[name]
    number = as_number(value)
    if number is None and not is_missing(value):
        return unscored(name, "failed", f"the metric gave {_describe(value)} instead of a score")
    if number is None or math.isnan(number):
        return unscored(name, "failed", "the metric gave no score (NaN)")
    return scored(name, number if isinstance(value, str) else value, field=line.path(name))
