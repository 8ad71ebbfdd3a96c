"""LangSmith's runs, examples and feedback, in one file or a folder.

A run of an example is an output of its case, in a system named after the session; other traces are their own cases. Feedback is a verdict
under its key, a person's if its source is the application.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..errors import RecordError
from ..records import Source
from ..tables.column_names import SESSIONS
from .arrow_rows import read_any_rows
from .calls import are_messages, question_of, results_of, role_of
from .example import Example, answers_of
from .example_records import records_of
from .exchanges import first_name
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord, Skipped, TrialCounter, converted
from .imported_scores import ImportedScore, scored, unscored
from .json_values import answer_text, is_list, is_object, parsed, tags_of
from .langchain_messages import plain_messages
from .langsmith_rows import evaluated_pieces, is_evaluated_row
from .tool_documents import all_tools
from .traces.conventions import SpanKind
from .traces.spans import Span, add_call, read_call
from .traces.trace_examples import example_of, records_of_spans
from .written_calls import literal_arguments

NAME = "langsmith"
ABOUT = "runs, examples, feedback (JSON, JSON Lines, Parquet of bulk exports), results of `evaluate`"
LOST = "usage, timing, events, attachments, serialized components"

_KINDS: dict[str, SpanKind] = {"chain": "agent", "llm": "llm", "tool": "tool", "retriever": "retriever"}


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a run, an example or feedback."""
    if not is_object(glimpse):
        return False
    if ("evaluation_results" in glimpse and "run" in glimpse) or is_evaluated_row(glimpse):
        return True
    return "run_type" in glimpse or ("dataset_id" in glimpse and "inputs" in glimpse) or _is_feedback(glimpse)


def _is_feedback(value: dict[str, Any]) -> bool:
    return "key" in value and "score" in value and bool({"run_id", "trace_id"} & value.keys())


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read runs, examples and feedback; see `Format`."""
    log = _Log()
    yield from convert_rows(_single_records(read_any_rows(path)), log.take)
    yield from _attach_feedback(log.feedback, log.runs, options)
    by_trace: dict[str, list[Span]] = {}
    for span, _ in log.runs.values():
        by_trace.setdefault(span.trace, []).append(span)
    examples = _examples(log, by_trace, options)
    yield from converted(
        examples,
        lambda entry: records_of(entry[0](), entry[1], options),
        lambda entry: entry[1],
    )
    yield from records_of_spans((span for spans in by_trace.values() for span in spans), options)


def _single_records(rows: Iterator[FileRow | Skipped]) -> Iterator[FileRow | Skipped]:
    """Yield runs, examples and feedback, splitting each result of an experiment into these."""
    for row in rows:
        value: Any = row.value if isinstance(row, FileRow) else None
        if isinstance(row, FileRow) and is_evaluated_row(value):
            yield from (replace(row, value=piece) for piece in evaluated_pieces(value))
            continue
        if not isinstance(row, FileRow) or not is_object(value) or "evaluation_results" not in value:
            yield row
            continue
        run, results = value.get("run"), value["evaluation_results"]
        yield replace(row, value=run, at=_at(row, "run"))
        if value.get("example") is not None:
            yield replace(row, value=value["example"], at=_at(row, "example"))
        items: Any = results.get("results") if is_object(results) else results
        for number, result in enumerate(items if is_list(items) else list[Any]()):
            scored_row = {
                "run_id": run.get("id") if is_object(run) else None,
                **(result if is_object(result) else {}),
            }
            yield replace(row, value=scored_row, at=_at(row, f"evaluation_results[{number}]"))


def _at(row: FileRow, name: str) -> str:
    return f"{row.at}.{name}" if row.at else name


def _examples(
    log: _Log, by_trace: dict[str, list[Span]], options: Options
) -> Iterator[tuple[Callable[[], Example], FilePosition]]:
    """Yield runs that answer examples, removing their traces, then unanswered examples.

    Each is a function that returns the example, with its position.
    """
    answered, trials, tools = set[str](), TrialCounter(), _tools_by_example(log, by_trace)
    for span, example_id in log.runs.values():
        if example_id is not None:
            answered.add(example_id)
            spans = by_trace.pop(span.trace, [span])
            trial = trials.next(example_id, span.system or options.system)
            make = partial(_example, span, spans, example_id, log.examples)
            yield partial(make, trial=trial, tools=tools[example_id]), span.position
    for identity, (node, position) in log.examples.items():
        if identity not in answered:
            yield partial(_stored_example, node), position


def _tools_by_example(log: _Log, by_trace: dict[str, list[Span]]) -> dict[str, list[dict[str, Any]]]:
    """Return the tools of each example: those that any of its systems was offered."""
    offers: dict[str, list[list[dict[str, Any]]]] = {}
    for span, example_id in log.runs.values():
        if example_id is not None:
            offers.setdefault(example_id, []).extend(other.tools for other in by_trace[span.trace])
    return {example_id: all_tools(tools) for example_id, tools in offers.items()}


class _Log:
    """Records read so far.

    Attributes:
        runs: Runs by id, each with the id of the example that it answers.
        examples: Examples by id.
        feedback: Scores of runs.
    """

    def __init__(self) -> None:
        self.runs: dict[str, tuple[Span, str | None]] = {}
        self.examples: dict[str, tuple[FieldReader, FilePosition]] = {}
        self.feedback: list[tuple[FieldReader, FilePosition]] = []

    def take(self, row: FileRow) -> Iterable[ImportedRecord]:
        """Store a run, feedback or an example for later."""
        if "run_type" in row.node:
            span = _span(row)
            self.runs[span.id] = span, row.node.name("reference_example_id") if span.parent is None else None
        elif _is_feedback(row.node.value):
            self.feedback.append((row.node, row.position))
        else:
            _stored_example(row.node)
            self.examples[row.node.need("id")] = row.node, row.position
        return ()


def _span(row: FileRow) -> Span:
    run = row.node
    kind = _KINDS.get(run.need("run_type"), "other")
    identity = run.need("id", "run_id")
    extra = FieldReader(run.object_in("extra"))
    metadata = extra.object_in("metadata")
    tools = extra.object_in("invocation_params").get("tools")
    span = Span(
        id=identity,
        position=row.position,
        trace=run.name("trace_id") or identity,
        parent=run.name("parent_run_id"),
        kind=kind,
        start=run.text("dotted_order") or run.text("start_time") or "",
        input=_logged(run, "inputs"),
        output=(output := _logged(run, "outputs")),
        has_output=output is not None,
        error=run.text("error"),
        tools=tools if is_list(tools) and all(map(is_object, tools)) else [],
        system=run.name("session_name", "session_id"),
        session=first_name([FieldReader(metadata)], SESSIONS),
        tags=tags_of({name: value for name, value in metadata.items() if not name.startswith("ls_")}),
    )
    if kind == "tool":
        arguments = _tool_arguments(span.input)
        add_call(span, run.need("name"), arguments or {}, has_arguments=True)
        span.output = _tool_result(span.output)
    elif kind == "llm":
        read_call(span, span.input, span.output)
    return span


def _logged(run: FieldReader, name: str) -> Any:
    """Return the inputs or outputs of a run, or None if they are hidden, as an empty object."""
    return plain_messages(parsed(run.get(name))) or None


def _tool_arguments(inputs: Any) -> Any:
    """Return a tool's arguments, which LangChain may store under ``input`` as Python text."""
    inner = inputs.get("input") if is_object(inputs) and len(inputs) == 1 else None
    arguments = parsed(inner) if inner is not None else inputs
    if isinstance(arguments, str):
        return literal_arguments(arguments) or arguments
    return arguments if is_object(arguments) else inputs


def _tool_result(output: Any) -> Any:
    """Return a tool's result, from its own message or unchanged."""
    value = output.get("output") if is_object(output) and len(output) == 1 else output
    if is_object(value) and role_of(FieldReader(value)) == "tool":
        return results_of(FieldReader(value))[0][1]
    return answer_text(output)


def _example(
    root: Span,
    spans: list[Span],
    example_id: str,
    examples: dict[str, tuple[FieldReader, FilePosition]],
    *,
    trial: int,
    tools: list[dict[str, Any]],
) -> Example:
    """Build the example of a run that answers one.

    Question and reference come from the stored example, if it is in the file.
    """
    example = example_of(root, sorted(spans, key=lambda span: span.start))
    if example_id in examples:
        stored = _stored_example(examples[example_id][0])
        example.messages, example.accepted, example.tags = stored.messages, stored.accepted, stored.tags
    else:
        # The run's input is the example's, the same for all systems, unlike the requests to their models.
        example.tags, example.messages = {}, question_of(root.input) or example.messages
    example.id, example.trial, example.tools = example_id, trial, tools
    return example


def _stored_example(node: FieldReader) -> Example:
    expected = node.unpacked("outputs", "reference_outputs")
    is_chat = is_object(expected) and are_messages(expected.get("messages"))
    return Example(
        id=node.need("id"),
        messages=question_of(node.unpacked("inputs")),
        accepted=[] if is_chat else answers_of(answer_text(expected)),
        tags=tags_of(node.node("metadata").value),
    )


def _attach_feedback(
    feedback: list[tuple[FieldReader, FilePosition]],
    runs: dict[str, tuple[Span, str | None]],
    options: Options,
) -> Iterator[ImportedRecord]:
    def attach(node: FieldReader) -> Iterator[ImportedRecord]:
        imported_score = _imported_score(node)
        run = node.name("run_id", "trace_id") or ""
        if run in runs:
            runs[run][0].scores.append(imported_score)
        else:
            yield options.converter.convert(imported_score).verdict(run, options.system, 0)

    return converted(feedback, lambda entry: attach(entry[0]), lambda entry: entry[1])


def _imported_score(node: FieldReader) -> ImportedScore:
    key, value, comment = node.need("key"), node.value.get("score"), node.text("comment")
    source_type = node.node("feedback_source").text("type")
    source: Source = "human" if source_type == "app" else "judge"
    extra = node.node("extra")
    if extra.get("error"):
        return unscored(key, "failed", comment, source=source)
    if value is None:
        label = node.get("value")
        if isinstance(label, str | bool):
            return scored(key, label, reason=comment, source=source, field=node.path("value"))
        return unscored(key, "not_applicable", comment or "the evaluator gave no score", source=source)
    config = node.node("feedback_config")
    if config.text("type") == "categorical" and not (isinstance(value, int | float) and value in {0, 1}):
        raise RecordError("a category is not a score", field=node.path("score"))
    return scored(
        key,
        value,
        ends=(config.number("min"), config.number("max")),
        written="numbers",
        reason=comment,
        source=source,
        field=node.path("score"),
    )
