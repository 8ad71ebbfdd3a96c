"""DeepEval's test cases, goldens and test runs, with keys in camel or snake case."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from .arrow_rows import read_any_rows
from .calls import AgentAnswer, answer_of, plain_calls, split_question, text_of, user_message
from .conversation_turns import conversation
from .example import Example, answers_of
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord, Skipped, TrialCounter
from .imported_scores import ImportedScore, collect_scores, numbered_names, scored, unscored
from .json_values import is_list, is_object, tags_of

NAME = "deepeval"
ABOUT = "test cases, conversational ones too, goldens (JSON, JSON Lines, CSV), test runs (`.deepeval/.latest_test_run.json`), results of `evaluate`"
LOST = "costs, durations, thresholds of runs, MCP servers and calls; a call's reasoning and description; results of `evaluate` hold no calls outside of turns"

_TABLES = frozenset({".csv", ".tsv", ".parquet"})
_RUNS = ("testRunData", "test_run_data")
"""Names under which `.deepeval/.latest_test_run.json` keeps the run."""
_METRICS = frozenset({"metricsData", "metrics_data"})
_DEEPEVAL_FIELDS = frozenset({"actualOutput", "actual_output", "expectedOutput", "expected_output", "toolsCalled", "tools_called", "expectedTools", "expected_tools", "retrievalContext", "retrieval_context", "metricsData", "metrics_data", "turns"})  # fmt: skip


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a test case, a golden, or a test run."""
    if not is_object(glimpse):
        return False
    is_asked = "input" in glimpse or "turns" in glimpse or "scenario" in glimpse
    is_row = is_asked and bool(glimpse.keys() & _DEEPEVAL_FIELDS) and _have_roles(glimpse.get("turns"))
    return is_row or "testCases" in glimpse or "test_cases" in glimpse or _is_run(glimpse)


def _is_run(value: dict[str, Any]) -> bool:
    """Return whether an object is the cache of the latest run, or what `evaluate` returns."""
    results: Any = value.get("test_results", value.get("testResults"))
    has_metrics = is_list(results) and any(
        is_object(result) and not _METRICS.isdisjoint(result) for result in results
    )
    return has_metrics or any(is_object(value.get(name)) for name in _RUNS)


def _have_roles(turns: Any) -> bool:
    """Return whether every turn has a ``role``, as DeepEval writes them; also without turns."""
    return not is_list(turns) or all(is_object(turn) and "role" in turn for turn in turns)


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read test cases, goldens or a test run; see `Format`."""
    trials = TrialCounter()
    rows = read_rows(path, _cases) if path.suffix.lower() not in _TABLES else read_any_rows(path)
    yield from convert_rows(rows, lambda row: _records(row, options, trials))


def _cases(document: FieldReader) -> list[tuple[str, Any]] | None:
    """Return the cases in a run or a data set with their paths, or None if it is a single case."""
    run = document.first(*_RUNS)
    if run is not None:
        document = document.node(run)
    names = (
        ("testCases", "test_cases"),
        ("conversationalTestCases", "conversational_test_cases"),
        ("testResults", "test_results"),
        ("goldens",),
    )
    if run is None and document.first(*chain.from_iterable(names)) is None:
        return None
    return [item for pair in names for item in document.items(*pair)]


def _records(row: FileRow, options: Options, trials: TrialCounter) -> Iterator[ImportedRecord]:
    case = row.node
    turns = case.nodes("turns")
    if not turns and case.get("input", "scenario") is None:
        raise case.refuse("input", "a text")
    calls_made = _list_in(case, "toolsCalled", "tools_called")
    case_id = case.name("name") or ""
    example = Example(
        id=case_id,
        prefix="case",
        number=row.number,
        messages=[user_message(case.text("input", "scenario"))],
        expected_calls=_list_in(case, "expectedTools", "expected_tools")
        or None,  # its default is an empty list
        accepted=answers_of(
            case.text("expectedOutput", "expected_output", "expectedOutcome", "expected_outcome")
        ),
        context=_texts(case, "retrievalContext", "retrieval_context") or _texts(case, "context"),
        tags=tags_of(case.object_in("metadata", "additionalMetadata", "additional_metadata")),
        answer=_answer(case.text("actualOutput", "actual_output"), calls_made),
        trial=trials.next(case_id, options.system),
    )
    yield from _add_scores(example, case, row.position)
    if turns:
        question, answer_turns = split_question(turns)
        example.messages = [{"role": turn.need("role"), "content": text_of(turn)} for turn in question]
        example.answer = answer_of(map(_message, answer_turns)) if answer_turns else None
        example.conversation = conversation(map(_message, turns), options.unit)
    yield from records_of(example, row.position, options)


def _list_in(case: FieldReader, *names: str) -> list[Any] | None:
    """Return a field's list, decoded from JSON text if it is a CSV cell, or None if empty."""
    value = case.unpacked(*names)
    return (
        None
        if value is None or value == ""
        else [item for _, item in FieldReader({names[0]: value}, case.at).items(names[0])]
    )


def _texts(case: FieldReader, *names: str) -> list[Any]:
    value = case.unpacked(*names)
    if isinstance(value, str):  # DeepEval's CSV joins texts with |
        return [part for part in value.split("|") if part]
    return _list_in(case, *names) or []


def _answer(text: str | None, calls_made: list[Any] | None) -> AgentAnswer | None:
    if calls_made is None:
        return None if text is None else AgentAnswer(text)
    messages: list[FieldReader] = []
    for number, value in enumerate(calls_made):
        call = FieldReader(value, f"toolsCalled[{number}]")
        messages.append(FieldReader({"role": "assistant", "tool_calls": [call.value]}, call.at))
        result = call.get("output")
        if result is not None:
            messages.append(FieldReader({"role": "tool", "content": result}))
    if text:
        messages.append(FieldReader({"role": "assistant", "content": text}))
    answer = answer_of(messages)
    return answer._replace(text=text, calls=plain_calls(calls_made, "toolsCalled"))


def _message(turn: FieldReader) -> FieldReader:
    calls = turn.get("toolsCalled", "tools_called")
    return FieldReader({**turn.value, **({} if calls is None else {"tool_calls": calls})}, turn.at)


def _add_scores(example: Example, case: FieldReader, position: FilePosition) -> Iterator[Skipped]:
    """Add the scores of a case's metrics to its example, and yield the invalid ones."""
    metrics: list[tuple[str, Any]] = []
    scores: list[ImportedScore] = []
    metrics_fields = ("metricsData", "metrics_data")
    yield from collect_scores(metrics, [metrics_fields], lambda field: case.items(*field), position)
    yield from collect_scores(
        scores, metrics, lambda metric: [_imported_score(FieldReader(metric[1], metric[0]))], position
    )
    example.scores = numbered_names(scores)


def _imported_score(metric: FieldReader) -> ImportedScore:
    model = metric.text("evaluationModel", "evaluation_model")
    by = metric.need("name") + (f"@{model}" if model else "")
    reason, error, success = metric.text("reason"), metric.text("error"), metric.get("success")
    if error is not None:
        return unscored(by, "failed", error)
    score = metric.number("score")
    if score is None:
        return unscored(by, "not_applicable", reason or "the metric gave no score")
    passed = success if isinstance(success, bool) else None
    return scored(
        by,
        score,
        passed=passed,
        reason=reason,
        field=metric.path("score"),
        evidence={"threshold": metric.number("threshold"), "pass": passed},
    )
