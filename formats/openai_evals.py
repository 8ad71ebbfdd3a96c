"""Rows of OpenAI's hosted Evals product: dashboard exports, uploaded data, API items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import RecordError
from .calls import AgentAnswer, answer_of, are_messages, messages_of
from .example import Example, answers_of
from .field_reader import FieldReader
from .file_rows import FileRow
from .imported_scores import ImportedScore, scored, unscored
from .json_values import as_text, question_text, tags_of

_ANSWER_FIELDS = (
    "expected",
    "answer",
    "ground_truth",
    "reference",
    "target",
    "ideal",
    "correct_label",
    "label",
)
_QUESTION_FIELDS = ("messages", "input", "question", "query", "prompt")


def is_evals_row(value: Mapping[str, Any]) -> bool:
    """Return whether an object is a row of Evals."""
    return isinstance(value.get("item", value.get("datasource_item")), dict)


def evals_example(row: FileRow) -> Example:
    """Return the example of a row accepted by `is_evals_row`."""
    fields = row.node
    item, sample = fields.node("item", "datasource_item"), fields.node("sample")
    number = fields.name("data_source_idx", "datasource_item_id")
    question_field, answer_field = item.first(*_QUESTION_FIELDS), item.first(*_ANSWER_FIELDS)
    query = item.get(*_QUESTION_FIELDS)
    fields_read = {question_field, answer_field}
    error = sample.get("error")
    sent_input = sample.get("input")
    if are_messages(sent_input):
        query = sent_input
    if isinstance(query, str) or are_messages(query):
        messages = messages_of(query, item.path("input"))
    else:
        messages = messages_of(question_text(query) or as_text(item.value))
    return Example(
        id=f"item-{row.number - 1 if number is None else number}",  # the product counts items from 0
        messages=messages,
        accepted=answers_of(item.get(*_ANSWER_FIELDS)),
        tags=tags_of(
            {name: value for name, value in item.value.items() if name not in fields_read and name != "id"}
        ),
        answer=_answer(sample),
        error=None if not error else as_text(error),
        system=sample.text("model") or fields.name("run_id"),
        scores=list(_imported_scores(fields)),
    )


def _answer(sample: FieldReader) -> AgentAnswer | None:
    messages = sample.nodes("outputs", "output") if not isinstance(sample.get("output"), str) else []
    if messages:
        return answer_of(messages)
    text = sample.text("output_text", "output")
    return None if text is None else AgentAnswer(text)


def _imported_scores(fields: FieldReader) -> Iterator[ImportedScore]:
    grades, passes = fields.node("grades"), fields.node("passes")
    for name, value in grades.value.items():
        yield _imported_score(name, value, passes.value.get(name), grades.path(name))
    for result in fields.nodes("results"):
        yield _imported_score(
            result.need("name"), result.value.get("score"), result.value.get("passed"), result.path("score")
        )


def _imported_score(name: str, value: Any, passed: Any, field: str) -> ImportedScore:
    if passed is not None and not isinstance(passed, bool):
        raise RecordError("expected true or false", field=field)
    if value is None and passed is None:
        return unscored(name, "failed", "the grader gave no score")
    return scored(
        name, passed if value is None else value, passed=passed, field=field, evidence={"pass": passed}
    )
