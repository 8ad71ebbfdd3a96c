"""Rows of any table as examples, by usual or mapped column names; other columns become tags.

`row_example` reads a row of an imported table, `reference_example` one of a joined table of references.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

from ..errors import RecordError
from ..records import Step, TagValue
from ..records.scale import Scale
from ..records.typed_values import convert
from ..tables.alike_grades import PEOPLE, AlikeGrades
from ..tables.column_errors import nothing_asked
from ..tables.column_names import HEADERS, is_person, lists_answers
from ..tables.named_columns import known_fields, people_named_by_user, person_column
from .calls import (
    AgentAnswer,
    answer_of,
    are_messages,
    messages_of,
    plain_calls,
    user_message,
)
from .conversation_turns import ConversationTurn, conversation, is_agents
from .example import Example, answers_of, as_values, passages_of
from .field_reader import FieldReader
from .file_rows import FileRow
from .import_options import Options
from .imported_records import UNREADABLE, Skipped
from .imported_scores import ImportedScore, ScoreConverter, collect_scores
from .json_values import (
    answer_text,
    as_text,
    is_list,
    is_object,
    parsed,
    python_texts,
    question_text,
    tags_of,
)
from .message_parts import results_apart
from .recognized_grades import RecognizedGrades
from .score_columns import RowGrades, ScoreReader, judge_scores, label_readers, score_readers, verdicts_in
from .written_calls import written_calls

_ANSWER_LIST_KEYS = ("text", "aliases")
"""Keys of the list of accepted answers in the objects of SQuAD (text) and TriviaQA (aliases)."""

_AttributeReader: TypeAlias = tuple[str, Callable[[FieldReader], Any]]
"""Name of an attribute of an example, and the function that reads it from a row."""


def row_example(row: FileRow, options: Options, graded: RecognizedGrades) -> tuple[Example, list[Skipped]]:
    """Return the example of a row, and the parts of it that cannot be read."""
    line = row.node
    columns = _columns(tuple(line.value), tuple(options.columns.items()), graded.label, graded.judges)
    fields = _fields(line, columns.names)
    messages = fields.unpacked("messages") if "messages" in columns.names else None
    question, answer = _question_and_answer(fields, line.value, messages, options)
    if answer is None and messages is None and "response" in columns.names:
        answer = AgentAnswer()  # an empty cell in a column of answers is an empty answer
    example = Example(
        number=row.number,
        messages=question,
        tags=_tags(line, columns.others) if columns.others else {},
        answer=answer,
        conversation=[] if messages is None else _turns_of(fields, messages, options),
        in_table=True,
        is_trial="trial" in columns.names and fields.get("trial") is not None,
        labelled_by=None if columns.person is None else as_text(line.value[columns.person]),
        **{attribute: read(fields) for attribute, read in columns.parts},
    )
    if not columns.has_grades:  # most tables have none
        return example, []
    has_answer = answer is not None and not answer.is_empty
    grades = RowGrades(graded, options.converter, options.grades, answered=has_answer)
    readers = _score_readers(columns, line, fields, grades, example.labelled_by)
    skipped = list(collect_scores(example.scores, readers, lambda read: read(), row.position))
    if options.alike.is_watching:
        note_alike(options.alike, example.scores)
    return example, skipped


def note_alike(alike: AlikeGrades, scores: Iterable[ImportedScore]) -> None:
    """Note the grades of judges and people, as the file writes them."""
    for score in scores:
        column = PEOPLE if score.source == "human" else score.by
        if score.source in {"human", "judge"}:
            alike.note(column, [(score.evidence.get("value", score.score), score.score)])


def _tags(line: FieldReader, names: Iterable[str]) -> dict[str, TagValue]:
    return tags_of({name: line.value[name] for name in names if line.value[name] is not None})


def _turns_of(fields: FieldReader, messages: Any, options: Options) -> list[ConversationTurn]:
    """Return the turns of a conversation whose messages include the answers, or an empty list."""
    if fields.first("response", "tool_calls"):
        return []
    return conversation(FieldReader({"messages": messages}, fields.at).nodes("messages"), options.unit)


def _score_readers(
    columns: _Columns, line: FieldReader, fields: FieldReader, grades: RowGrades, by: str | None
) -> Iterator[ScoreReader]:
    """Yield the readers of a row's verdicts, of judges' scores and of people's labels."""
    if "verdicts" in columns.names:
        yield partial(verdicts_in, fields)
    if "score" in columns.names:
        yield from score_readers(fields, columns.names["score"], grades)
    yield from (partial(judge_scores, name, line.value[name], grades) for name in columns.judges)
    people = {name: line.value[name] for name in columns.people}
    if "label" in columns.names:
        people = {columns.names["label"]: fields.get("label")}
    yield from label_readers(people, grades.people, grades.columns, by)


class _Columns(NamedTuple):
    """Meaning of the columns of a row."""

    names: Mapping[str, str]
    """The column of each field."""
    others: list[str]
    """Columns that are neither fields nor judges' scores: tags."""
    judges: list[str]
    """Columns of judges' scores."""
    people: list[str]
    """Columns among the tags with several people's grades."""
    parts: list[_AttributeReader]
    """Readers of the attributes for which there are columns."""
    person: str | None
    """The column that names the person who gave the label."""

    @property
    def has_grades(self) -> bool:
        return bool(self.judges or self.people or not {"label", "score", "verdicts"}.isdisjoint(self.names))


@lru_cache(HEADERS)
def _columns(
    header: tuple[str, ...],
    mapping: tuple[tuple[str, str], ...],
    label: str | None,
    judges: tuple[str, ...],
) -> _Columns:
    """Return the meaning of columns; cached, since the rows of a table share them."""
    names = dict(known_fields(header, mapping))
    names.pop("label", None)
    if label in header:
        names["label"] = label
    input_column = instruction_input(header, names)
    if input_column is not None:
        names["instruction_input"] = input_column
    other_columns = [*_non_field_columns(dict.fromkeys(header), names)]
    judge_columns = [name for name in judges if name in other_columns]
    others = [name for name in other_columns if name not in judge_columns]
    named_people = people_named_by_user(header, dict(mapping))
    person = person_column(others) if "label" in names else None
    return _Columns(
        names=names,
        others=[name for name in others if name != person],
        judges=judge_columns,
        people=[name for name in others if name in named_people or (not named_people and is_person(name))],
        parts=_field_readers(names, _ROW_READERS),
        person=person,
    )


def instruction_input(header: Iterable[str], names: Mapping[str, str]) -> str | None:
    """Return the column `input` that completes an instruction in data like Alpaca's, or None."""
    return "input" if names.get("query", "").lower() == "instruction" and "input" in header else None


def reference_example(
    row: FileRow, names: Mapping[str, str], grades: Scale, columns: RecognizedGrades
) -> tuple[Example, list[Skipped], list[Skipped]]:
    """Return the reference in a row, and the parts and the grades of it that cannot be read.

    A reference is every field of a case except question and answer.
    """
    line = row.node
    fields = _fields(line, names)
    other_columns = _non_field_columns(line.value, names)
    example = Example(
        tags=tags_of({name: value for name, value in other_columns.items() if value is not None}),
        **{
            attribute: read(fields)
            for attribute, read in _field_readers(names, _REFERENCE_READERS)
            if attribute != "expected_calls"
        },
    )
    skipped: list[Skipped] = []
    try:
        example.expected_calls = _expected_calls(fields)
    except UNREADABLE as error:  # the row may have more fields of its case
        skipped.append(row.position.skipped(error))
    people = {name: value for name, value in other_columns.items() if is_person(name)}
    if "label" in names:
        people = {names["label"]: fields.get("label")}
    readers = [*label_readers(people, grades, columns)]
    if "score" in names:
        scores = RowGrades(columns, ScoreConverter(), grades)
        readers = [*score_readers(fields, names["score"], scores), *readers]
    skipped_grades = [*collect_scores(example.scores, readers, lambda read: read(), row.position)]
    return example, skipped, skipped_grades


def _fields(line: FieldReader, names: Mapping[str, str]) -> FieldReader:
    """Return a row's cells by field, with None for NaN, except in a score (a failed judge)."""
    cells = {field: line.value[name] for field, name in names.items()}
    for field, value in cells.items():
        if isinstance(value, float) and math.isnan(value) and field != "score":
            cells[field] = None
    answers = cells.get("accepted_answers")
    if isinstance(answers, str) and lists_answers(names["accepted_answers"]):
        cells["accepted_answers"] = _split_at_bars(answers)
    return FieldReader(cells, line.at)


def _split_at_bars(text: str) -> Any:
    """Return the answers in a text with bars between them; any other text, or a list, unchanged."""
    bar = next((separator for separator in ("||", "|") if separator in text), None)
    if bar is None or is_list(parsed(text)) or python_texts(text) is not None:
        return text
    return [part.strip() for part in text.split(bar) if part.strip()] or text


def _non_field_columns(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    taken = set(names.values())
    return {name: value for name, value in row.items() if name not in taken}


def _read_list(fields: FieldReader, name: str) -> list[Any] | None:
    """Return a field as a list: a single value is a list of one, and None stays None."""
    value = fields.unpacked(name)
    if value is None:
        return None
    return value if is_list(value) else [value]


def _read_calls(fields: FieldReader, name: str) -> list[Any] | None:
    """Return calls as objects; texts may each contain one call or several.

    Raises:
        RecordError: A text cannot be read as calls.
    """
    items = _read_list(fields, name)
    if items is None or not any(isinstance(item, str) for item in items):
        return items
    path, allow_names = fields.path(name), name == "expected_calls"
    calls: list[Any] = []
    for item in items:
        calls += written_calls(item, path, names=allow_names) if isinstance(item, str) else [item]
    return calls


def _expected_calls(fields: FieldReader) -> list[Any] | None:
    """Return expected calls.

    Raises:
        RecordError: A call cannot be read, or its arguments are not JSON.
    """
    calls, at = _read_calls(fields, "expected_calls"), fields.path("expected_calls")
    for call in plain_calls(calls or [], at):
        if not is_object(parsed(call.arguments)):
            raise RecordError(f"the arguments of {call.name} are not a JSON object", field=at)
    return calls


def _accepted(fields: FieldReader) -> list[str]:
    value = fields.unpacked("accepted_answers")
    if not is_object(value):
        return answers_of(value)
    answers = next((value[name] for name in _ANSWER_LIST_KEYS if is_list(value.get(name))), None)
    return answers_of(answer_text(value) if answers is None else [*answers_of(value.get("value")), *answers])


def _question_and_answer(
    fields: FieldReader, row: Mapping[str, Any], messages: Any, options: Options
) -> tuple[list[Any], AgentAnswer | None]:
    query = fields.unpacked("query")
    if messages is None and query is not None and are_messages(query):
        messages = query
    answer = _answer(fields)
    if messages is not None:
        nodes = list(results_apart(FieldReader({"messages": messages}, fields.at).nodes("messages")))
        question_end = len(nodes)
        while answer is None and question_end and is_agents(nodes[question_end - 1]):
            question_end -= 1
        question, reply = nodes[:question_end], nodes[question_end:]
        answer = answer or (answer_of(reply) if reply else None)
        return messages_of([reader.value for reader in question], "messages"), answer
    is_asked_or_answered = query is not None or answer is not None
    if not is_asked_or_answered and fields.first("accepted_answers", "context", "expected_calls") is None:
        raise RecordError(nothing_asked(row, fields.value, options.recognized.guesses))
    if query is None:
        return [], answer
    text = question_text(query) if is_object(query) else as_text(fields.get("query"))
    if text is not None and "instruction_input" in fields and (addition := fields.text("instruction_input")):
        text = f"{text}\n\n{addition}"
    return [] if text is None else [user_message(text)], answer


def _answer(fields: FieldReader) -> AgentAnswer | None:
    response = fields.unpacked("response")
    calls = _read_calls(fields, "tool_calls") if "tool_calls" in fields else None
    if isinstance(response, str) and calls is None:
        return AgentAnswer(fields.get("response"))
    if response is None and calls is None:
        return None
    if are_messages(response):
        answer = answer_of(FieldReader({"response": response}, fields.at).nodes("response"))
    elif response is None:
        answer = None if calls is None else AgentAnswer()
    else:
        raw_response = fields.get("response")
        answer = AgentAnswer(answer_text(response) if is_object(response) else as_text(raw_response))
    if calls is not None and answer is not None:
        return answer._replace(calls=plain_calls(calls, "tool_calls"))
    return answer


def _tools(fields: FieldReader) -> list[dict[str, Any]]:
    return [
        FieldReader(tool, "tool_definitions").value for tool in as_values(fields.unpacked("tool_definitions"))
    ]


def _id(name: str | None) -> str:
    return name if name is not None and name.strip() else ""


def _trial(fields: FieldReader) -> int:
    value = fields.get("trial")
    # Data frames write 1 as "1.0" in a column with empty cells.
    digits, _, decimals = value.partition(".") if isinstance(value, str) else ("", "", "")
    if digits.removeprefix("-").isdecimal() and not decimals.strip("0"):
        fields = FieldReader({"trial": int(digits)}, fields.at)
    trial = fields.whole("trial") or 0
    if trial < 0:
        raise RecordError(f"expected a whole number from 0, got {trial}", field=fields.path("trial"))
    return trial


def _turns(fields: FieldReader) -> list[list[Step]] | None:
    turns = fields.unpacked("turns")
    return None if turns is None else convert(turns, list[list[Step]])


_REFERENCE_READERS: Mapping[str, _AttributeReader] = {
    "id": ("id", lambda fields: _id(fields.name("id"))),
    "expected_calls": ("expected_calls", _expected_calls),
    "accepted_answers": ("accepted", _accepted),
    "context": ("context", lambda fields: passages_of(fields.unpacked("context"), fields.path("context"))),
    "criterion": ("criterion", lambda fields: as_text(fields.get("criterion"))),
    "cluster": ("cluster", lambda fields: fields.name("cluster")),
}
"""Readers of the fields of a reference."""

_ROW_READERS: Mapping[str, _AttributeReader] = {
    **_REFERENCE_READERS,
    "tool_definitions": ("tools", _tools),
    "error": ("error", lambda fields: as_text(fields.get("error"))),
    "system": ("system", lambda fields: fields.name("system")),
    "trial": ("trial", _trial),
    "turns": ("turns", _turns),
}
"""Readers of a row's fields, except those of conversation and scores."""


def _field_readers(fields: Iterable[str], readers: Mapping[str, _AttributeReader]) -> list[_AttributeReader]:
    return [readers[field] for field in fields if field in readers]
