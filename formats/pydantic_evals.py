"""pydantic-evals' data sets and reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from ..errors import InputError, RecordError, readable
from ..records import not_utf8
from ..records.json_text import read_object
from ..tables.json_rows import read_document
from ..tables.plain_values import plain_scalar
from .calls import AgentAnswer, question_of
from .example import Example, answers_of
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, files_of
from .import_options import Options
from .imported_records import UNREADABLE, FilePosition, ImportedRecord, TrialCounter
from .imported_scores import ImportedScore, collect_scores, scored, unscored
from .json_values import answer_text, is_list, is_object, tags_of

NAME = "pydantic-evals"
ABOUT = "data sets (YAML, JSON) and reports (JSON)"
_MAX_NODES = 200_000
"""Limit of keys and values in a YAML file; reading so many takes seven seconds."""
_EXPECTED = "a list of cases, as pydantic-evals writes it; for promptfoo, import its results (promptfoo eval -o results.json)"
LOST = "metrics, attributes, durations, analyses, evaluators of data sets, stack traces; labels are listed"


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a data set or a report."""
    if not is_object(glimpse):
        return False
    cases = glimpse.get("cases")
    return is_list(cases) and (not cases or (is_object(cases[0]) and "inputs" in cases[0]))


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read data sets and reports; see `Format`."""
    for file in files_of(path, (".json", ".yaml", ".yml")):
        document = _yaml(file) if file.suffix.lower() in {".yaml", ".yml"} else read_document(file)
        position, trials = FilePosition(file), TrialCounter()
        try:
            if not is_object(document) or "cases" not in document:
                raise RecordError(f"missing; expected {_EXPECTED}", field="cases")
            reader = FieldReader(document)
            cases, failures = reader.items("cases"), reader.items("failures")
            # Only a report has these fields; the name of a data set is no system.
            is_report = "analyses" in reader or "failures" in reader
            system = reader.text("name") if is_report else None
        except UNREADABLE as error:
            raise InputError(str(error), path=file) from error
        numbered_rows = (
            FileRow(item, position, at, number)
            for number, (at, item) in enumerate([*cases, *failures], start=1)
        )
        failed_paths = {at for at, _ in failures}
        yield from convert_rows(
            numbered_rows,
            lambda row, s=system, f=failed_paths, t=trials: _records(row, s, row.at in f, t, options),
        )


def _yaml(path: Path) -> Any:
    from ..records.bounded_yaml import YamlError, read_bounded_yaml  # noqa: PLC0415 - slow to import

    try:
        with readable(path):
            text = path.read_text("utf-8")
        return _plain(read_bounded_yaml(text, most_nodes=_MAX_NODES, aliases=True).value)
    except UnicodeDecodeError as error:
        raise InputError(not_utf8(error), path=path) from error
    except YamlError as error:
        line = None if error.line is None else error.line + 1
        raise InputError(error.problem, path=path, line=line) from error
    except ValueError as error:  # a key is repeated
        raise InputError(str(error), path=path) from error


def _plain(value: Any) -> Any:
    """Return a YAML value as JSON, with texts as keys."""
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        return read_object([(str(name), _plain(item)) for name, item in pairs])
    if isinstance(value, set):
        return sorted(str(item) for item in cast("set[Any]", value))
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("Sequence[Any]", value)]
    return plain_scalar(value)


def _records(
    row: FileRow,
    system: str | None,
    failed: bool,  # noqa: FBT001 - names the list that the row is from
    trials: TrialCounter,
    options: Options,
) -> Iterator[ImportedRecord]:
    case = row.node
    if "inputs" not in case:
        raise case.refuse("inputs", "what was asked")
    # A repeated case has a name of its own beside that of the original.
    case_id = case.name("source_case_name") or case.name("name") or ""
    output = case.get("output")
    answer = AgentAnswer(answer_text(output)) if output is not None else None
    example = Example(
        id=case_id,
        prefix="case",
        number=row.number,
        messages=question_of(case.get("inputs"), case.path("inputs")),
        accepted=answers_of(answer_text(case.get("expected_output"))),
        tags=tags_of(case.object_in("metadata")),
        answer=answer,
        error=(case.text("error_message") or "the task failed") if failed else None,
        system=system,
        trial=0 if answer is None and not failed else trials.next(case_id, system or options.system),
    )
    results: list[tuple[str, str]] = []
    yield from collect_scores(
        results, ("assertions", "scores", "labels"), partial(_result_keys, case), row.position
    )
    yield from collect_scores(
        example.scores, results, lambda result: [_imported_score(case.node(result[0]), *result)], row.position
    )
    for failure in case.nodes("evaluator_failures"):
        example.scores.append(unscored(failure.need("name"), "failed", failure.text("error_message")))
    yield from records_of(example, row.position, options)


def _result_keys(case: FieldReader, kind: str) -> list[tuple[str, str]]:
    return [(kind, name) for name in case.node(kind).value]


def _imported_score(group: FieldReader, kind: str, name: str) -> ImportedScore:
    result = group.node(name)
    value, reason = result.value.get("value"), result.text("reason")
    if value is None:
        return unscored(name, "not_applicable", reason or "the evaluator gave no value")
    evidence = {"version": result.name("evaluator_version")}
    return scored(
        name,
        value,
        reason=reason,
        field=result.at,
        evidence=evidence,
        written="numbers" if kind == "scores" else "any",
    )
