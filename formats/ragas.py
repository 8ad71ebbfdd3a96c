"""ragas' samples; extra numeric fields are verdicts of the metric of that name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .arrow_rows import read_any_rows
from .calls import AgentAnswer, answer_of, divided, messages_of
from .conversation_turns import ConversationTurn, conversation
from .example import Example, answers_of, as_values
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows
from .import_options import Options
from .imported_records import ImportedRecord
from .imported_scores import ImportedScore, collect_scores, scored, unscored
from .json_values import as_text, is_list, is_object, tags_of

NAME = "ragas"
ABOUT = "single-turn and multi-turn samples, scored or not (JSON Lines, JSON, CSV, Parquet)"
LOST = "reference contexts, topics"

_FIELDS = frozenset({"id", "user_input", "response", "reference", "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids", "reference_tool_calls", "reference_topics", "rubrics", "multi_responses", "persona_name", "query_style", "query_length", "synthesizer_name"})  # fmt: skip


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a sample."""
    return is_object(glimpse) and "user_input" in glimpse


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read samples; see `Format`."""
    yield from convert_rows(read_any_rows(path), lambda row: _records(row, options))


def _records(row: FileRow, options: Options) -> Iterator[ImportedRecord]:
    line = row.node
    if line.get("user_input") is None:
        raise line.refuse("user_input", "a text or a list of messages")
    question, response = line.unpacked("user_input"), line.text("response")
    answer = None if response is None else AgentAnswer(response)
    turns: list[ConversationTurn] = []
    if is_list(question):
        messages = FieldReader({"user_input": question}, line.at).nodes("user_input")
        before, after = divided(messages)
        question, answer = [each.value for each in before], answer_of(after) if after else answer
        turns = conversation(messages, options.unit)
    rubrics = line.unpacked("rubrics")
    expected = line.unpacked("reference_tool_calls")
    example = Example(
        id=line.name("id") or "",
        number=row.number,
        messages=messages_of(question, line.place("user_input")),
        expected_calls=[
            item
            for _, item in FieldReader({"reference_tool_calls": expected}, line.at).items(
                "reference_tool_calls"
            )
        ]
        or None,
        accepted=answers_of(line.text("reference")),
        context=as_values(line.unpacked("retrieved_contexts")),
        criterion=as_text(rubrics) if rubrics else None,
        tags=tags_of(
            {
                name: value
                for name, value in line.value.items()
                if name not in _FIELDS and isinstance(value, str)
            }
        ),
        answer=answer,
        conversation=turns,
    )
    numbers = [
        name
        for name, value in line.value.items()
        if name not in _FIELDS and (value is None or isinstance(value, int | float))
    ]
    yield from collect_scores(example.opinions, numbers, lambda name: [_opinion(name, line)], row.place)
    yield from records_of(example, row.place, options)


def _opinion(name: str, line: FieldReader) -> ImportedScore:
    value = line.value[name]
    if value is None or math.isnan(value):
        return unscored(name, "failed", "the metric gave no score (NaN)")
    return scored(name, value, field=line.place(name))
