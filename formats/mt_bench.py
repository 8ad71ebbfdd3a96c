"""MT-Bench's questions, answers and single-answer judgments, in one file or a folder.

A question is a case of its turns, a choice of a model a trial. A judgment is a verdict of its judge, on the scale that its prompt names.
Judgments of pairs are read as ``pairs``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .calls import user_message
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord, converted
from .imported_scores import ImportedScore, scored, unscored
from .json_values import is_list, is_object, parsed
from .known_columns import row_example
from .recognized_grades import RecognizedGrades

NAME = "mt-bench"
ABOUT = "questions, answers and single-answer judgments of MT-Bench (JSON Lines)"
LOST = "times, prompts and texts of judgments but the reason"

_SCALE_IN_PROMPT = "scale of 1 to 10"

_UNPARSED_SCORE = -1
"""Score of a judgment in which MT-Bench found no rating."""


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a question, an answer or a judgment."""
    if not is_object(glimpse) or "question_id" not in glimpse:
        return False
    return (
        _is_question(glimpse)
        or _is_answer(glimpse)
        or {"judge", "model", "score", "judgment"} <= glimpse.keys()
    )


def _is_question(row: dict[str, Any]) -> bool:
    turns = row.get("turns")
    return is_list(turns) and bool(turns) and all(isinstance(turn, str) for turn in turns)


def _is_answer(row: dict[str, Any]) -> bool:
    choices = row.get("choices")
    return (
        is_list(choices)
        and bool(choices)
        and all(is_object(choice) and is_list(choice.get("turns")) for choice in choices)
    )


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read questions, answers and judgments; see `Format`."""
    questions: dict[str, FileRow] = {}
    answers: list[FileRow] = []
    judgments: list[FileRow] = []

    def take(row: FileRow) -> Iterator[ImportedRecord]:
        value = row.node.value
        if _is_question(value):
            questions[row.node.need("question_id")] = row
        else:
            (answers if _is_answer(value) else judgments).append(row)
        yield from ()

    # Files come in any order, so all rows are sorted by kind before an answer needs its question.
    yield from convert_rows(read_rows(path), take)
    answered = {row.node.name("question_id") for row in answers}
    yield from converted(answers, lambda row: _answers(row, questions, options), _position)
    unanswered = [row for name, row in questions.items() if name not in answered]
    yield from converted(unanswered, lambda row: _records(row, row, None, 0, options), _position)
    yield from converted(judgments, lambda row: [_verdict(row.node, options)], _position)


def _position(row: FileRow) -> FilePosition:
    return row.position


def _answers(row: FileRow, questions: dict[str, FileRow], options: Options) -> Iterator[ImportedRecord]:
    answer = row.node
    question = questions.get(answer.need("question_id"))
    if question is None:
        raise answer.refuse(
            "turns", "the question, which is in question.jsonl: import the folder that holds both"
        )
    for number, choice in enumerate(answer.nodes("choices")):
        yield from _records(question, row, choice, choice.whole("index") or number, options)


def _records(
    question: FileRow, row: FileRow, choice: FieldReader | None, trial: int, options: Options
) -> Iterator[ImportedRecord]:
    question_fields = question.node
    turns = [str(turn) for _, turn in question_fields.items("turns")]
    replies = [] if choice is None else [str(turn) for _, turn in choice.items("turns")]
    messages: list[dict[str, Any]] = []
    # A model may have replied to the first turns only.
    for number, turn in enumerate(turns if not replies else turns[: len(replies)]):
        messages.append({**user_message(turn)})
        if replies:
            messages.append({"role": "assistant", "content": replies[number]})
    fields = {
        "id": question_fields.need("question_id"),
        "messages": messages,
        "trial": trial,
        "system": row.node.name("model_id"),
    }
    example, _ = row_example(FileRow(fields, row.position, row.at, row.number), options, RecognizedGrades())
    category = question_fields.text("category")
    example.tags = {} if category is None else {"category": category}
    yield from records_of(example, row.position, options)


def _verdict(judgment: FieldReader, options: Options) -> Any:
    judge = parsed(judgment.get("judge"))
    by = "/".join(map(str, judge)) if is_list(judge) else judgment.need("judge")
    score = options.converter.convert(_score(by, judgment))
    return score.verdict(judgment.need("question_id"), judgment.need("model"), 0)


def _score(by: str, judgment: FieldReader) -> ImportedScore:
    value, reason = judgment.value.get("score"), judgment.text("judgment")
    if value == _UNPARSED_SCORE:
        return unscored(by, "unparsable", reason)
    has_scale = _SCALE_IN_PROMPT in (judgment.text("user_prompt") or "")
    ends = (1.0, 10.0) if has_scale else (None, None)
    return scored(
        by,
        value,
        ends=ends,
        reason=reason,
        field=judgment.path("score"),
        written="numbers",
        absent="there is no score",
    )
