"""Results of promptfoo.

A case is a test with its variables, a system a provider, with the prompt's label if there are several prompts. Each assertion is a judge
under its metric's name or type; their joint verdict is ``promptfoo``. A set ``error`` may also be a failed assertion.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from ..errors import InputError, RecordError
from ..records import Message, Outcome
from ..tables.csv_file import opened_csv
from ..tables.header import ANY_HEADER
from .calls import AgentAnswer, answer_of, are_messages, messages_of, user_message
from .example import Example, as_values
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord, Skipped, TrialCounter
from .imported_scores import ImportedScore, collect_scores, numbered_names, scored, unscored
from .json_values import as_text, is_list, is_object, number_in, parsed, tags_of

NAME = "promptfoo"
ABOUT = "results (`json`, `jsonl`, `csv`)"
LOST = "usage, cost, latency, configuration of providers; in CSV, assertions without a metric"

_PROVIDER_FAILED = 2
"""``failureReason`` of a row whose provider failed."""

_UNJUDGED_REASONS: tuple[tuple[str, Outcome], ...] = (
    ("Custom function threw error", "failed"),
    ("Scoring function error", "failed"),
    ("Invalid regex pattern", "failed"),
    ("Python code execution failed", "failed"),
    ("Ruby code execution failed", "failed"),
    ("Python assertion failed to", "failed"),
    ("API error", "failed"),
    ("API call error", "failed"),
    ("Could not extract JSON from", "unparsable"),
    ("llm-rubric produced malformed response", "unparsable"),
    ("Error parsing output", "unparsable"),
    ("No output", "failed"),
)
"""How reasons begin if an assertion could not be judged, which promptfoo scores 0."""

_CONTEXT_VARIABLE = "context"
"""Variable with the context for assertions such as context-faithfulness."""


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is one of promptfoo's results."""
    if not is_object(glimpse):
        return False
    results = glimpse.get("results")
    return {"promptIdx", "testIdx"} <= glimpse.keys() or (is_object(results) and "results" in results)


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read results; see `Format`."""
    if path.suffix.lower() == ".csv":
        yield from _read_csv(path, options)
        return
    prompts = {
        str(row.value.get("promptIdx"))
        for row in read_rows(path, _result_items)
        if isinstance(row, FileRow) and is_object(row.value)
    }
    trials = TrialCounter()
    yield from convert_rows(
        read_rows(path, _result_items),
        lambda row: _records(row, options, trials, several_prompts=len(prompts) > 1),
    )


def _result_items(document: FieldReader) -> list[tuple[str, Any]] | None:
    """Return the results in a document with their paths, or None if it is a single result."""
    results = document.get("results")
    if results is None:
        return None
    return (document.node("results") if is_object(results) else document).items("results")


def _records(
    row: FileRow, options: Options, trials: TrialCounter, *, several_prompts: bool
) -> Iterator[ImportedRecord]:
    result = row.node
    system = _system(result, several_prompts=several_prompts)
    prompt, test = result.node("prompt"), result.node("testCase")
    variables = result.node("vars").value or test.node("vars").value
    case_id = f"test-{result.need('testIdx')}"
    error = _provider_error(result)
    example = Example(
        id=case_id,
        messages=_question(variables, prompt.text("raw"), several_prompts=several_prompts),
        context=as_values(parsed(variables.get(_CONTEXT_VARIABLE))),
        tags=tags_of(_tags(variables) | _description(test)),
        accepted=_literal_values(test, "equals"),
        criterion="\n".join(_literal_values(test, "llm-rubric", "g-eval")) or None,
        answer=_answer(result.node("response")),
        error=error,
        system=system,
        trial=trials.next(case_id, system),
    )
    scores: list[ImportedScore] = []
    yield from _add_scores(scores, result, error, row.position)
    example.scores = numbered_names(scores)
    yield from records_of(example, row.position, options)


def _system(result: FieldReader, *, several_prompts: bool) -> str:
    """Return the provider, with the prompt's label if there are several prompts."""
    if is_object(result.get("provider")):
        provider = result.node("provider")
        name = provider.text("label") or provider.need("id")
    else:
        name = result.text("provider")
    if not name:
        raise result.refuse("provider", "an object with an id")
    label = result.node("prompt").text("label", "raw")
    return f"{name} {label or result.need('promptIdx')}" if several_prompts else name


def _provider_error(result: FieldReader) -> str | None:
    """Return the provider's error, or None if it answered, even if an assertion failed."""
    if result.value.get("failureReason") != _PROVIDER_FAILED:
        return None
    return result.text("error") or as_text(result.node("response").get("error")) or "the provider failed"


def _description(test: FieldReader) -> dict[str, Any]:
    """Return a test's description and metadata, without promptfoo's own keys."""
    description = {} if (text := test.text("description")) is None else {"description": text}
    metadata = test.node("metadata").value.items()
    return description | {key: value for key, value in metadata if not key.startswith("_")}


def _tags(variables: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in variables.items() if name != _CONTEXT_VARIABLE}


def _question(variables: dict[str, Any], raw: str | None, *, several_prompts: bool) -> list[Message]:
    """Return the prompt as it was sent; with several prompts, the test's variables."""
    if raw is not None and not (several_prompts and variables):
        chat = parsed(raw)
        return messages_of(chat, "prompt.raw") if are_messages(chat) else messages_of(raw)
    question = next(iter(variables.values())) if len(variables) == 1 else variables
    return [user_message(as_text(question))]


def _literal_values(test: FieldReader, *types: str) -> list[str]:
    """Return the literal values of assertions of these types.

    A value with template variables is left out, since its text is not literal.
    """
    values = [node.get("value") for node in test.nodes("assert") if node.get("type") in types]
    return [value for value in values if isinstance(value, str) and "{{" not in value]


def _answer(response: FieldReader) -> AgentAnswer | None:
    output = response.get("output")
    if output is None:
        return None
    calls = output if is_list(output) else None
    if calls and all(is_object(item) and ("function" in item or "name" in item) for item in calls):
        return answer_of([FieldReader({"role": "assistant", "tool_calls": calls}, response.path("output"))])
    if is_object(output) and ("tool_calls" in output or "function_call" in output):
        return answer_of([FieldReader({"role": "assistant", **output}, response.path("output"))])
    return AgentAnswer(as_text(output))


def _add_scores(
    scores: list[ImportedScore], result: FieldReader, error: str | None, position: FilePosition
) -> Iterator[Skipped]:
    """Add the scores of assertions and their joint verdict; yield an entry for each invalid one."""
    if error is not None:
        scores.append(unscored(NAME, "failed", error))
        return
    gradings: list[FieldReader] = []
    parts: list[tuple[str, Any]] = []
    yield from collect_scores(gradings, ["gradingResult"], lambda name: [result.node(name)], position)
    yield from collect_scores(parts, gradings, lambda grading: grading.items("componentResults"), position)
    yield from collect_scores(scores, parts, lambda part: [_assertion_score(*part)], position)
    ungraded = [score for score in scores if score.outcome != "graded"]
    if ungraded:  # promptfoo counts these as 0 in the joint score, so it is no score
        scores.append(unscored(NAME, ungraded[0].outcome, ungraded[0].reason))
        return
    joint_gradings = [grading for grading in gradings if grading.value]
    yield from collect_scores(
        scores, joint_gradings, lambda grading: [_imported_score(NAME, grading)], position
    )


def _assertion_score(at: str, value: Any) -> ImportedScore:
    part = FieldReader(value, at)
    assertion = part.node("assertion")
    by = assertion.text("metric") or assertion.text("type") or "assertion"
    return _imported_score(by, part, {"type": assertion.text("type")})


def _imported_score(
    by: str, grading: FieldReader, evidence: Mapping[str, Any] | None = None
) -> ImportedScore:
    reason = grading.text("reason")
    passed = grading.get("pass")
    outcome: Outcome | None = next(
        (outcome for start, outcome in _UNJUDGED_REASONS if (reason or "").startswith(start)), None
    )
    if outcome is None and grading.node("metadata").get("graderError"):
        outcome = "failed"
    if outcome is not None:
        return unscored(by, outcome, reason, evidence=evidence)
    score = grading.value.get("score", passed)
    if score is None:
        return unscored(by, "not_applicable", reason or "the assertion has no score", evidence=evidence)
    pass_flag = passed if isinstance(passed, bool) else None
    return scored(
        by,
        score,
        passed=pass_flag,
        reason=reason,
        field=grading.path("score"),
        written="numbers",
        evidence={**(evidence or {}), "pass": pass_flag},
    )


_BLOCK_COLUMNS = ("Status", "Score", "Named Scores")


def _read_csv(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read results from CSV: columns of variables, then a block of columns for each prompt.

    The first column of a block is called ``[provider] prompt`` and has the output; `_BLOCK_COLUMNS` follow it.
    """
    with opened_csv(path, ",", ANY_HEADER) as (header, _, lines):
        block_starts = [
            index
            for index in range(len(header) - 3)
            if tuple(header[index + 1 : index + 4]) == _BLOCK_COLUMNS
        ]
        if not block_starts:
            raise InputError(
                "no results of promptfoo: no column is followed by Status, Score, Named Scores", path=path
            )
        rows = (
            FileRow(cells, FilePosition(path, line), number=number)
            for number, (line, cells) in enumerate(lines)
        )
        yield from convert_rows(rows, lambda row: _csv_examples(row, header, block_starts, options))


def _csv_examples(
    row: FileRow, header: list[str], block_starts: list[int], options: Options
) -> Iterator[ImportedRecord]:
    cells = cast("list[str]", row.value)
    if len(cells) != len(header):
        raise RecordError(f"{len(cells)} fields, and the header names {len(header)}")
    variables = dict(zip(header[: block_starts[0]], cells[: block_starts[0]], strict=True))
    description = variables.pop("Description", "")
    # A block ends where the next begins.
    for start, end in zip(block_starts, [*block_starts[1:], len(header)], strict=True):
        provider, _, label = header[start].removeprefix("[").partition("] ")
        block = dict(zip(header[start + 1 : end], cells[start + 1 : end], strict=True))
        has_failed = block["Status"] == "ERROR"
        scores: list[ImportedScore] = []
        yield from _add_csv_scores(scores, block, row.position, has_failed=has_failed)
        yield from records_of(
            Example(
                id=f"test-{row.number}",
                messages=_question(
                    variables, None if len(block_starts) > 1 else label, several_prompts=len(block_starts) > 1
                ),
                context=as_values(parsed(variables.get(_CONTEXT_VARIABLE))),
                tags={**_tags(variables), **({"description": description} if description else {})},
                answer=None if has_failed else AgentAnswer(cells[start]),
                error=cells[start] or block.get("Grader Reason") or "the provider failed"
                if has_failed
                else None,
                system=f"{provider} {label}" if len(block_starts) > 1 else provider,
                scores=scores,
            ),
            row.position,
            options,
        )


def _add_csv_scores(
    scores: list[ImportedScore], block: dict[str, str], position: FilePosition, *, has_failed: bool
) -> Iterator[Skipped]:
    """Add the scores of a block and their joint verdict; yield an entry for each invalid one."""
    reason = block.get("Grader Reason") or None
    if has_failed:
        scores.append(unscored(NAME, "failed", reason))
        return
    named_scores: list[tuple[str, Any]] = []
    yield from collect_scores(named_scores, [block["Named Scores"] or "{}"], _named_scores, position)
    yield from collect_scores(
        scores,
        named_scores,
        lambda pair: [
            scored(*pair, field=f"Named Scores.{pair[0]}", written="numbers", absent="there is no score")
        ],
        position,
    )
    score = number_in(block["Score"] or None)
    grading = FieldReader({"score": score, "pass": block["Status"] == "PASS", "reason": reason})
    yield from collect_scores(scores, [grading], lambda joint: [_imported_score(NAME, joint)], position)


def _named_scores(text: str) -> list[tuple[str, Any]]:
    try:
        return list(FieldReader(json.loads(text), "Named Scores").value.items())
    except ValueError as error:
        raise RecordError(f"not JSON: {error}", field="Named Scores") from error
