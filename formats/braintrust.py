"""Results of Braintrust."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .calls import AgentAnswer, answer_of, are_messages, question_of
from .example import Example, answers_of
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import ImportedRecord, TrialCounter
from .imported_scores import ImportedScore, collect_scores, scored, unscored
from .json_values import answer_text, as_text, is_list, is_object, tags_of

NAME = "braintrust"
ABOUT = "rows of an experiment (JSON, JSON Lines)"
LOST = "metrics, spans, most of stack traces; classifications are listed"


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a row of an experiment."""
    if not is_object(glimpse):
        return False
    if is_list(glimpse.get("results")):
        rows = glimpse["results"]
        return bool(rows) and recognises(rows[0])
    return "input" in glimpse and is_object(glimpse.get("scores"))


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read rows of an experiment; see `Format`."""
    trials = TrialCounter()
    rows = read_rows(path, lambda node: node.items("results") if "results" in node else None)
    yield from convert_rows(rows, lambda row: _records(row, options, trials))


def _records(row: FileRow, options: Options, trials: TrialCounter) -> Iterator[ImportedRecord]:
    line = row.node
    if "input" not in line:
        raise line.refuse("input", "what was asked")
    metadata = dict(line.node("metadata").value)
    errors = FieldReader(metadata.pop("scorer_errors", None) or {}, line.path("metadata.scorer_errors"))
    case_id = FieldReader(line.object_in("origin")).name("id") or line.name("id") or ""
    tags = tags_of(metadata)
    labels = line.items("tags")
    if labels:
        tags["tags"] = ", ".join(str(item) for _, item in labels)
    example = Example(
        id=case_id,
        number=row.number,
        messages=question_of(line.get("input"), line.path("input")),
        accepted=answers_of(answer_text(line.get("expected"))),
        tags=tags,
        answer=_answer(line, line.get("output")),
        error=as_text(line.get("error")),
        system=line.name("experiment_name", "experiment_id"),
        trial=trials.next(case_id, options.system),
    )
    names: list[str] = []
    yield from collect_scores(names, ["scores"], lambda name: line.node(name).value, row.position)
    names = [name for name in names if name not in errors]
    yield from collect_scores(example.scores, names, lambda name: [_imported_score(name, line)], row.position)
    example.scores += [_failure(name, trace) for name, trace in errors.value.items()]
    if line.get("classifications"):
        yield row.position.skipped_part(line.path("classifications"), "a classification is not a score")
    yield from records_of(example, row.position, options)


def _imported_score(name: str, line: FieldReader) -> ImportedScore:
    scores = line.node("scores")
    return scored(
        name,
        scores.value[name],
        field=scores.path(name),
        written="numbers",
        absent="the scorer gave no score",
    )


def _failure(name: str, trace: Any) -> ImportedScore:
    lines = (as_text(trace) or "").strip().splitlines()
    return unscored(name, "failed", lines[-1] if lines else "failed")


def _answer(line: FieldReader, output: Any) -> AgentAnswer | None:
    if output is None:
        return None
    if are_messages(output):
        return answer_of(line.nodes("output"))
    if is_object(output) and "role" in output:
        return answer_of([line.node("output")])
    return AgentAnswer(answer_text(output))
