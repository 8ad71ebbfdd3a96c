"""pydantic-evals: data sets (YAML, JSON) and reports (JSON), whose scores and assertions are verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError
from .calls import Answer, are_messages, messages_of
from .example import Example, answers_of, records_of
from .found import UNREADABLE, Found, Options, Place
from .json_text import asked, tags_of, told
from .json_types import is_list, is_object
from .node import Node
from .opinion import scored, unscored
from .rows import Row, each, files_of, read_document
from .trials import Trials

NAME = "pydantic-evals"
ABOUT = "data sets (YAML, JSON) and reports (JSON)"
LOST = "metrics, attributes, durations, analyses, evaluators of data sets, stack traces; labels are listed, since they are no scores"


def recognises(glimpse: Any) -> bool:
    """Whether the first value of a file is a data set or a report."""
    if not is_object(glimpse):
        return False
    cases = glimpse.get("cases")
    return is_list(cases) and (not cases or (is_object(cases[0]) and "inputs" in cases[0]))


def read(path: Path, options: Options) -> Iterator[Found]:
    """Read data sets and reports; see `Format`."""
    for file in files_of(path, (".json", ".yaml", ".yml")):
        document = _yaml(file) if file.suffix.lower() in {".yaml", ".yml"} else read_document(file)
        place, trials = Place(file), Trials()
        try:
            whole = Node(document)
            if "cases" not in whole:
                raise whole.refuse("cases", "a list of cases")
            rows = [(at, item, False) for at, item in whole.items("cases")]
            rows += [(at, item, True) for at, item in whole.items("failures")]
            system = whole.text("name") if "analyses" in whole or "failures" in whole else None
        except UNREADABLE as error:
            raise InputError(str(error), path=file) from error
        numbered = (Row(item, place, at, number) for number, (at, item, _) in enumerate(rows, start=1))
        failed = {at for at, _, fails in rows if fails}
        yield from each(
            numbered, lambda row, s=system, f=failed, t=trials: _records(row, s, row.at in f, t, options)
        )


def _yaml(path: Path) -> Any:
    from ruamel.yaml import YAML  # noqa: PLC0415 - slow to import
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - likewise

    try:
        load: Any = YAML(typ="safe", pure=True).load  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return load(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
    except (YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"not YAML: {' '.join(str(error).split())}", path=path) from error


def _records(row: Row, system: str | None, failed: bool, trials: Trials, options: Options) -> Iterator[Found]:  # noqa: FBT001 - which list it is of
    case = row.node
    if "inputs" not in case:
        raise case.refuse("inputs", "what was asked")
    case_id = case.name("source_case_name") or case.name("name") or ""
    given, output = case.get("inputs"), case.get("output")
    answer = Answer(told(output)) if output is not None else None
    example = Example(
        id=case_id,
        prefix="case",
        number=row.number,
        asked=messages_of(given, case.place("inputs"))
        if are_messages(given)
        else [{"role": "user", "content": asked(given)}],
        accepted=answers_of(told(case.get("expected_output"))),
        tags=tags_of(case.node("metadata").value) if is_object(case.get("metadata")) else {},
        answer=answer,
        error=(case.text("error_message") or "the task failed") if failed else None,
        system=system,
        trial=0 if answer is None and not failed else trials.next(case_id, system or options.system),
    )
    for group in ("assertions", "scores", "labels"):
        for name in case.node(group).value:
            result = case.node(group).node(name)
            try:
                example.opinions.append(
                    scored(
                        name,
                        result.value.get("value"),
                        reason=result.text("reason"),
                        field=result.at,
                        evidence={"version": result.name("evaluator_version")},
                    )
                    if result.value.get("value") is not None
                    else unscored(
                        name, "not_applicable", result.text("reason") or "the evaluator gave no value"
                    )
                )
            except UNREADABLE as error:
                yield row.place.skipped(error)
    for failure in case.nodes("evaluator_failures"):
        example.opinions.append(unscored(failure.need("name"), "failed", failure.text("error_message")))
    yield from records_of(example, row.place, options)
