"""ToolBench's queries, answers and ToolEval's annotations.

An answer is an output of the method that made it; its steps are cut off in these files, so only its text is read. Each annotation is a
verdict of ``tooleval``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .calls import AgentAnswer, user_message
from .example import Example
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import ImportedRecord
from .imported_scores import ImportedScore, unscored
from .json_values import as_text, is_list, is_object, parsed, tags_of

NAME = "toolbench"
ABOUT = "queries, answers and ToolEval's annotations of ToolBench (JSON)"
LOST = "steps of answers, template responses of APIs"

_ANNOTATION_FIELDS = {"query", "is_solved"}
_RAW_ANSWER = "answer_generation"
_SCORES = {"solved": 1.0, "unsolved": 0.0}
_GAVE_UP = "give_up_and_restart"


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a query, an answer, or answers by their ids."""
    if not is_object(glimpse):
        return False
    first: Any = next(iter(glimpse.values()), None)
    return _is_item(glimpse) or (is_object(first) and _is_item(first) and "api_list" not in first)


def _is_item(value: dict[str, Any]) -> bool:
    if is_list(value.get("api_list")) and "query" in value:
        return True
    answer = value.get("answer")
    is_answer = is_object(answer) and "final_answer" in answer and "answer_details" in answer
    is_annotation = value.keys() >= _ANNOTATION_FIELDS and is_object(value["is_solved"])
    raw = value.get(_RAW_ANSWER)
    return is_answer or is_annotation or (is_object(raw) and "final_answer" in raw)


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read queries, answers or annotations; see `Format`."""
    yield from convert_rows(read_rows(path, _by_id), lambda row: _records(row, options))


def _by_id(document: FieldReader) -> list[tuple[str, Any]] | None:
    """Return the items that a document has by their ids, or None if it is an item itself."""
    if _is_item(document.value):
        return None
    return [
        (document.path(name), {"query_id": name, **item} if is_object(item) else item)
        for name, item in document.value.items()
    ]


def _records(row: FileRow, options: Options) -> Iterator[ImportedRecord]:
    item = row.node
    if is_object(item.value.get(_RAW_ANSWER)):
        raw_answer = item.node(_RAW_ANSWER)
        # A raw answer has a file of its own, whose name begins with the query's id.
        query_id = row.position.path.stem.partition("_")[0]
        item = FieldReader({**raw_answer.value, "query_id": query_id}, raw_answer.at)
    answer = item.node("answer") if is_object(item.get("answer")) else item
    relevant = item.get("relevant APIs", "relevant_apis")
    example = Example(
        id=item.name("query_id", "id") or "",
        number=row.number,
        messages=[user_message(item.text("query"))],
        tools=[
            *(reader.value for reader in item.nodes("available_tools", "function")),
            *map(_tool, item.nodes("api_list")),
        ],
        tags=tags_of({} if relevant is None else {"relevant_apis": relevant}),
        answer=_answer(answer),
        system=answer.text("method"),
    )
    if is_object(item.get("is_solved")):
        example.scores = [
            _annotation(number, key, value)
            for number, (key, value) in enumerate(item.node("is_solved").value.items())
        ]
    yield from records_of(example, row.position, options)


def _tool(api: FieldReader) -> dict[str, Any]:
    parameters = [*api.items("required_parameters"), *api.items("optional_parameters")]
    with_json_types = [
        {**parameter, "type": str(parameter.get("type", "")).lower()}
        for _, parameter in parameters
        if is_object(parameter)
    ]
    tool = {"name": api.need("api_name"), "description": api.text("api_description") or ""}
    return {**tool, "parameters": with_json_types or {"type": "object", "properties": {}}}


def _answer(answer: FieldReader) -> AgentAnswer | None:
    """Return the final answer, an argument of the finishing call if there is one.

    It is empty if the agent gave up.
    """
    if "final_answer" not in answer:
        return None
    final_answer = parsed(answer.value["final_answer"])
    if is_object(final_answer):
        gave_up = final_answer.get("return_type") == _GAVE_UP
        final_answer = "" if gave_up else final_answer.get("final_answer")
    return AgentAnswer(as_text(final_answer))


def _annotation(repeat: int, key: str, value: Any) -> ImportedScore:
    word = str(value).rpartition(".")[2].lower()
    if word not in _SCORES:
        return unscored("tooleval", "undecided", f"{key}: {value}")._replace(repeat=repeat)
    return ImportedScore("tooleval", _SCORES[word], evidence={"value": value}, repeat=repeat)
