"""Rows of azure-ai-evaluation and promptflow, and results of `evaluate`.

Fields: ``id``, ``query``, ``response``, ``context``, ``ground_truth``, ``tool_calls``, ``tool_definitions``, ``conversation``, ``criterion``. In results they begin with
``inputs.``, verdicts with ``outputs.EVALUATOR.``; promptflow's with ``outputs.`` (``get_details``), or they have no prefix but a
``line_number`` (``flow_outputs/output.jsonl``). Results without a question give only verdicts. Texts may be lists of messages. Functions in
``ground_truth`` are expected calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from ..records import UNGRADED, Message, Outcome
from .calls import AgentAnswer, answer_of, messages_of, plain_calls, split_question, user_message
from .conversation_turns import conversation
from .example import Example, answers_of, as_values
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import ImportedRecord, Skipped
from .imported_scores import ImportedScore, collect_scores, scored, unscored
from .json_values import is_list, is_object, tags_of
from .recognized_grades import LOOKED_AT

NAME = "azure"
ABOUT = "rows (JSON Lines), results of `evaluate` (JSON)"
LOST = "metrics over all rows, further numbers"

_FIELDS = frozenset({"id", "query", "response", "context", "ground_truth", "tool_calls", "tool_definitions", "conversation", "expected_actions"})  # fmt: skip
_CRITERION_FIELDS = ("criterion", "criteria", "rubric")
_ANSWER_FIELDS = frozenset({"response", "tool_calls", "conversation"})
_METRIC_PARTS = ("score", "result", "passed", "reason", "status", "threshold", "properties")
_FAILED_LINE = "(Failed)"
"""promptflow's value in place of the outputs of a line that failed."""

_OUTCOME_OF_STATUS: dict[str, Outcome] = {
    "error": "failed",
    "skipped": "not_applicable",
    **{outcome: outcome for outcome in UNGRADED},
}


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a row, or results with rows."""
    if not is_object(glimpse):
        return False
    rows = glimpse.get("rows")
    if is_list(rows):
        return not rows or (
            is_object(rows[0]) and any(name.startswith(("inputs.", "outputs.")) for name in rows[0])
        )
    if _is_flow_output(glimpse):
        return True
    is_row = "query" in glimpse and bool(glimpse.keys() & (_FIELDS - {"id", "query"}))
    return is_row or "conversation" in glimpse or any(name.startswith("inputs.") for name in glimpse)


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read rows, or results; see `Format`."""
    rows = read_rows(path, _result_rows)
    first_rows = list(islice(rows, LOOKED_AT))
    number_columns = _columns_of_numbers(row.value for row in first_rows if isinstance(row, FileRow))
    yield from convert_rows(chain(first_rows, rows), lambda row: _records(row, options, number_columns))


def _columns_of_numbers(rows: Iterable[Any]) -> frozenset[str]:
    """Return the columns that have a number in any row, so that they are scores in all rows."""
    return frozenset(
        name
        for row in rows
        if is_object(row)
        for name, value in (_as_details(row) if _is_flow_output(row) else row).items()
        if name.startswith("outputs.") and isinstance(value, int | float)
    )


def _result_rows(document: FieldReader) -> list[tuple[str, Any]] | None:
    """Return the rows of a file of results with their paths, or None if the document is a row."""
    return document.items("rows") if "rows" in document else None


def _records(row: FileRow, options: Options, number_columns: AbstractSet[str]) -> Iterator[ImportedRecord]:
    if is_object(row.value) and _is_flow_output(row.value):
        row = replace(row, value=_as_details(row.value))
    line = row.node
    inputs = {
        name.removeprefix("inputs."): value
        for name, value in line.value.items()
        if not name.startswith("outputs.")
    }
    fields = FieldReader(inputs, line.at)
    if len(inputs) < len(line.value) and not inputs.keys() & _ANSWER_FIELDS:
        yield from _verdicts_without_answers(row, fields, options, number_columns)
        return
    example = _example(fields, row.number, options)
    metrics = _metrics(line, number_columns)
    yield from collect_scores(
        example.scores, metrics, lambda metric: [_score_of(*metric, line)], row.position
    )
    yield from records_of(example, row.position, options)


def _example(fields: FieldReader, number: int, options: Options) -> Example:
    question, reply = _question_and_reply(fields)
    answer = answer_of(reply) if reply or "response" in fields else None
    if (answer is None or answer.calls is None) and fields.get("tool_calls") is not None:
        calls = plain_calls(as_values(fields.unpacked("tool_calls")), "tool_calls")
        answer = (answer or AgentAnswer())._replace(calls=calls)
    expected_calls, accepted = _expected(fields)
    criterion = next((name for name in _CRITERION_FIELDS if isinstance(fields.value.get(name), str)), "")
    other_fields = {name: value for name, value in fields.value.items() if name not in _FIELDS | {criterion}}
    example = Example(
        id=fields.name("id") or "",
        number=number,
        messages=question,
        tools=list(_tools(fields)),
        expected_calls=expected_calls,
        accepted=accepted,
        criterion=fields.text(criterion) or None,
        context=_context(fields),
        tags={"source": "azure"} | tags_of(other_fields),
        answer=answer,
    )
    if fields.get("conversation") is not None:
        example.conversation = conversation(fields.node("conversation").nodes("messages"), options.unit)
    return example


def _verdicts_without_answers(
    row: FileRow, fields: FieldReader, options: Options, number_columns: AbstractSet[str]
) -> Iterator[ImportedRecord]:
    """Yield verdicts on outputs of another file, matched by id, else by row number."""
    number = fields.get("line_number")  # from 0
    number = number + 1 if isinstance(number, int) else row.number
    case_id = fields.name("id") or options.seen.new_id("row", row.position.path, number)
    scores: list[ImportedScore] = []
    line = row.node
    metrics = _metrics(line, number_columns)
    yield from collect_scores(scores, metrics, lambda metric: [_score_of(*metric, line)], row.position)
    for score in options.converter.convert_all(scores, row.position):
        yield score if isinstance(score, Skipped) else score.verdict(case_id, options.system, 0)


def _question_and_reply(row: FieldReader) -> tuple[list[Message], list[FieldReader]]:
    if row.get("conversation") is not None:
        question, reply = split_question(row.node("conversation").nodes("messages"))
        return [message for reader in question for message in messages_of(reader.value, reader.at)], reply
    if row.first("query", "response") is None:
        raise row.refuse("query", "a query and a response, or a conversation")
    for name in ("query", "response"):
        if not isinstance(row.get(name), str | list | None):
            raise row.refuse(name, "a text or a list of messages")
    query = row.get("query")
    question = [user_message(query)] if isinstance(query, str) else messages_of(query, "query")
    response = row.get("response")
    if isinstance(response, str):
        return question, [FieldReader({"role": "assistant", "content": response}, "response")]
    return question, row.nodes("response")


def _expected(row: FieldReader) -> tuple[list[Any] | None, list[str]]:
    """Return the expected calls, or None if there are none, and the accepted answers."""
    items = row.unpacked("expected_actions", "ground_truth")
    if not is_list(items):
        return None, answers_of(items)
    if len(items) == 2 and is_list(items[0]) and is_object(items[1]):  # noqa: PLR2004 - names, and their parameters
        names, parameters = items[0], items[1]
        return [{"name": name, "arguments": parameters.get(name, {})} for name in names], []
    if items and all(is_object(item) and ("name" in item or "function" in item) for item in items):
        return items, []
    tool_names = {str(tool.get("function", tool).get("name")) for tool in _tools(row)}
    if row.first("tool_calls", "tool_definitions") is None and not tool_names.issuperset(map(str, items)):
        return None, answers_of(items)
    return [{"name": item} for item in items] or None, []


def _tools(row: FieldReader) -> Iterator[dict[str, Any]]:
    for at, tool in enumerate(as_values(row.unpacked("tool_definitions"))):
        node = FieldReader(tool, f"tool_definitions[{at}]")
        if "functions" in node:  # a service that OpenAPI describes lists several
            yield from (reader.value for reader in node.nodes("functions"))
        else:
            yield node.value


def _context(row: FieldReader) -> list[Any]:
    contexts = [row.get("context")]
    if row.get("conversation") is not None:
        conversation = row.node("conversation")
        contexts += [node.get("context") for node in (conversation, *conversation.nodes("messages"))]
    return [passage for context in contexts for passage in as_values(context)]


def _metrics(line: FieldReader, number_columns: AbstractSet[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each verdict, with its evaluator and its metric."""
    keys_of_evaluator: dict[str, list[str]] = {}
    for name in line.value:
        if name.startswith("outputs."):
            evaluator, dot, key = name.removeprefix("outputs.").partition(".")
            # Without a dot, the name is a metric of promptflow.
            keys_of_evaluator.setdefault(evaluator if dot else "", []).append(key if dot else evaluator)
    for evaluator, keys in keys_of_evaluator.items():
        metrics = _metrics_among(evaluator, keys, line, number_columns)
        for metric in metrics:
            names_evaluator_only = len(metrics) == 1 or metric in {"", evaluator}
            name = evaluator if names_evaluator_only else f"{evaluator}/{metric}"
            yield name if evaluator else metric or "score", evaluator, metric


def _metrics_among(
    evaluator: str, keys: list[str], line: FieldReader, number_columns: AbstractSet[str]
) -> list[str]:
    """Return an evaluator's metrics: those with keys for parts of a verdict, and plain numbers."""
    metrics: dict[str, None] = {}
    for key in keys:
        for part in _METRIC_PARTS[1:]:  # without the score, which may be a metric by itself
            if key == part or key.endswith(f"_{part}"):
                metrics[key.removesuffix(part).removesuffix("_")] = None
        if key.endswith("_score") and key.removesuffix("_score") in keys:
            metrics[key.removesuffix("_score")] = None
    if "score" in keys:
        metrics[""] = None
    keys_of_parts = set[str]()
    for metric in metrics:
        keys_of_parts |= {
            metric,
            f"gpt_{metric}",
            *(f"{metric}_{part}".lstrip("_") for part in _METRIC_PARTS),
        }
    prefix = _prefix(evaluator)
    plain_numbers = [
        key
        for key in keys
        if key not in keys_of_parts
        and (f"{prefix}{key}" in number_columns or _is_score(line.value[f"{prefix}{key}"]))
    ]
    return [*metrics, *plain_numbers]


def _prefix(evaluator: str) -> str:
    """Return the prefix of an evaluator's keys; keys of promptflow name no evaluator."""
    return f"outputs.{evaluator}." if evaluator else "outputs."


def _is_score(value: Any) -> bool:
    return isinstance(value, int | float) or value == _FAILED_LINE


def _is_flow_output(row: dict[str, Any]) -> bool:
    """Return whether a row is a line of promptflow's ``flow_outputs/output.jsonl``."""
    has_prefix = any(name.startswith(("inputs.", "outputs.")) for name in row)
    return isinstance(row.get("line_number"), int) and len(row) > 1 and not has_prefix


def _as_details(row: dict[str, Any]) -> dict[str, Any]:
    """Return a line of ``flow_outputs`` with the column names of ``get_details``."""
    return {
        f"{'inputs' if name == 'line_number' else 'outputs'}.{name}": value for name, value in row.items()
    }


class _MetricFields(NamedTuple):
    """Fields of one metric in a line, such as ``outputs.EVALUATOR.METRIC_score``.

    Attributes:
        line: The line.
        prefix: The beginning of the evaluator's fields.
        metric: The metric's name, or "" if the evaluator has only one.
    """

    line: FieldReader
    prefix: str
    metric: str

    @property
    def field(self) -> str:
        """The field that errors name."""
        return f"{self.prefix}{self.metric or 'score'}"

    @property
    def score(self) -> Any:
        score = self.part("score")
        return self.line.value.get(f"{self.prefix}{self.metric}") if score is None else score

    @property
    def passed(self) -> bool | None:
        """The evaluator's result: ``passed``, or ``result`` as ``pass`` or ``fail``."""
        passed = self.part("passed")
        if passed is None:
            return {"pass": True, "fail": False}.get(str(self.part("result")).lower())
        return passed if isinstance(passed, bool) else None

    @property
    def reason(self) -> str | None:
        reason = self.part("reason")
        return reason if isinstance(reason, str) else None

    def part(self, name: str) -> Any:
        return self.line.value.get(
            f"{self.prefix}{self.metric}_{name}" if self.metric else f"{self.prefix}{name}"
        )


def _score_of(by: str, evaluator: str, metric: str, line: FieldReader) -> ImportedScore:
    """Return one metric's score, or an ungraded result with the reason."""
    fields = _MetricFields(line, _prefix(evaluator), metric)
    score, passed, reason, status = fields.score, fields.passed, fields.reason, fields.part("status")
    if score == _FAILED_LINE:
        return unscored(by, "failed", "promptflow: the line failed")
    if isinstance(status, str) and status in _OUTCOME_OF_STATUS:
        return unscored(by, _OUTCOME_OF_STATUS[status], reason or status)
    if score is None and passed is None:
        return unscored(by, "not_applicable", reason or "the evaluator gave no score")
    return scored(
        by,
        passed if score is None else score,
        passed=passed,
        reason=reason,
        written="numbers" if score is not None else "any",
        field=fields.field,
        evidence={"threshold": fields.part("threshold"), "pass": passed},
    )
