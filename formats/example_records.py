"""Records of an example: its case, its output and the verdicts on it.

The contents of an example decide the kind of its case; `KindSpec.rows` lists which contents give which kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from ..errors import RecordError
from ..records import (
    Case,
    Criterion,
    ItemKey,
    KindSpec,
    Message,
    Output,
    RowContents,
    ToolCall,
    Verdict,
    is_marked,
    kind_of_row,
    kind_spec,
    validate_case,
)
from ..records.output import EMPTY_ANSWER
from ..records.typed_values import convert, decode_json
from .calls import AgentAnswer, answer_of_steps, has_arguments, plain_calls
from .conversation_turns import answer_over, asked_message
from .example import Example, context_item
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord, Skipped
from .json_values import is_object, parsed
from .tool_documents import missing_documents, not_offered, plain_document
from .written_calls import written_calls

DEFAULT_CRITERION = "The reply does what the user asked for, correctly and completely."
SAME_ANSWER = "The reply says what the expected answer says, and nothing against it."

EMPTY = EMPTY_ANSWER
"""Error of an output with neither a text nor a call."""

EXPECTED_NAMES = "expected_calls"
"""Tag with the names of expected functions whose arguments are unknown."""


def records_of(example: Example, position: FilePosition, options: Options) -> Iterator[ImportedRecord]:
    """Return the records of an example: its case, its output if answered, and the verdicts.

    A conversation is one case, or one case per turn if the user chose that.
    """
    if not example.conversation:
        return _records(example, position, options)
    if options.unit != "turn":
        return _records(_as_one_example(example), position, options)
    return _records_by_turn(example, position, options)


def _records_by_turn(example: Example, position: FilePosition, options: Options) -> Iterator[ImportedRecord]:
    for turn in _turn_examples(example, position, options):
        if isinstance(turn, Skipped):
            yield turn
        else:
            yield from _records(turn, position, options)


def _as_one_example(example: Example) -> Example:
    """Return a conversation as one example, whose answer has all calls and the last text."""
    turns = example.conversation
    return msgspec.structs.replace(
        example,
        messages=[[asked_message(reader) for reader in turn.request] for turn in turns],
        answer=answer_over(turns)._replace(steps=None),
        turns=[turn.steps for turn in turns],
        error=example.error or turns[-1].error,
        conversation=[],
    )


def _turn_examples(example: Example, position: FilePosition, options: Options) -> Iterator[Example | Skipped]:
    """Yield a conversation's turns as examples; only the last has references and scores."""
    name = example.id or options.seen.new_id(example.prefix, position.path, example.number)
    earlier: list[Message] = []
    for number, turn in enumerate(example.conversation, start=1):
        is_last = number == len(example.conversation)
        error = turn.error or (example.error if is_last else None)
        if not turn.reply and error is None and number > 1:
            yield position.skipped_part("messages", "the last message of this conversation has no answer")
            return
        request = [asked_message(reader) for reader in turn.request]
        turn_example = msgspec.structs.replace(
            example,
            id=f"{name}/{number}",
            messages=earlier + request,
            answer=answer_of_steps(turn.steps) if turn.reply else None,
            error=error,
            cluster=example.cluster or name,
            conversation=[],
        )
        if not is_last:
            turn_example.expected_calls, turn_example.accepted, turn_example.scores = None, [], []
            turn_example.lost = []
        yield turn_example
        earlier = earlier + turn.messages  # a new list, since examples keep the former one


def _records(example: Example, position: FilePosition, options: Options) -> Iterator[ImportedRecord]:
    options.complete(example)
    if example.calls_made is None:
        example.calls_made = example.answer is not None and bool(example.answer.calls)
    name = example.id or options.seen.new_id(example.prefix, position.path, example.number)
    case, unchecked_reason = case_of(example, name, options)
    if unchecked_reason is not None:
        yield position.skipped_part("expected_calls", unchecked_reason)
    if example.unrecorded is not None:
        yield position.skipped_part("output", example.unrecorded)
    yield from example.lost
    case_without_calls = case
    if example.calls_made:
        case_without_calls, _ = case_of(msgspec.structs.replace(example, calls_made=False), name, options)
    system = options.joined or example.system or options.system
    output = _output_of(example, name, system, options)
    cases = options.seen.cases
    references = (example.expected_calls is not None, example.accepted, example.criterion, example.criteria)
    new_case = cases.note(
        case, case_without_calls, output, has_reference=any(references), is_trial=example.is_trial
    )
    output = _with_own_question(case, output) if cases.asks_otherwise else output
    is_graded = any(score.outcome == "graded" for score in example.scores)
    may_grade = is_graded or example.labelled_by
    only_grades = (
        output is not None and may_grade and _grades_again(example, output, options, graded=is_graded)
    )
    is_new = output is not None and not only_grades
    if output is not None and is_new:
        try:
            options.seen.outputs.add(output, position, graded=is_graded, in_table=example.in_table)
        except RecordError:
            cases.undo()  # an answer that is not read does not decide the kind of its case
            raise
        options.recognized.attempts += not example.is_trial and options.joined is None and output.trial > 0
    if new_case is not None:
        yield new_case
    if output is not None and is_new:
        yield output
    if example.scores:
        key = ItemKey(name, system, example.trial if output is None else output.trial)
        yield from _verdicts(example, key, position, options)


def _with_own_question(case: Case, output: Output | None) -> Output | None:
    """Return an output with the question of its own row, which may differ from its case's."""
    if output is None or not case.all_messages:
        return output
    return msgspec.structs.replace(output, asked=case.turns)


def _verdicts(
    example: Example, key: ItemKey, position: FilePosition, options: Options
) -> Iterator[Verdict | Skipped]:
    """Yield the verdicts on an example's output, and a skipped entry for each unreadable score."""
    for score in options.converter.convert_all(example.scores, position):
        if isinstance(score, Skipped):
            yield score
            continue
        verdict = score.verdict(*key)
        if example.labelled_by:
            options.seen.note_label(verdict)
        yield verdict


def _grades_again(example: Example, output: Output, options: Options, *, graded: bool) -> bool:
    """Return whether a row repeats an output only to add another person's or a first grade."""
    if example.labelled_by:
        return options.seen.outputs.has_same(output)
    return graded and options.seen.outputs.adds_grade(output)


def _output_of(example: Example, case_id: str, system: str, options: Options) -> Output | None:
    """Return the output of an example, or None if it has neither an answer nor an error."""
    answer = example.answer
    error = example.error or (EMPTY if answer is not None and answer.is_empty else None)
    if error is None and answer is None:
        return None
    answer = answer or AgentAnswer()
    trial = example.trial
    if options.joined is not None:
        trial = options.seen.outputs.free_trial(case_id, system, trial)
    output = Output(
        case_id=case_id,
        system=system,
        trial=trial,
        text=answer.text,
        tool_calls=answer.calls,
        turns=example.turns or (None if answer.steps is None else [answer.steps]),
        error=error,
    )
    return _with_trial(output, example, options) if example.in_table and example.id else output


def _with_trial(output: Output, example: Example, options: Options) -> Output:
    is_named = example.is_trial or example.system is not None or options.joined is not None
    return output if is_named else options.seen.outputs.as_attempt(output)


def case_of(example: Example, name: str, options: Options) -> tuple[Case, str | None]:
    """Return the case of an example, and the reason if its expected calls cannot be checked."""
    example = _with_expected_calls(example)
    expected = plain_calls(example.expected_calls or [], "expected")
    have_arguments = all(map(has_arguments, example.expected_calls or []))
    contents = _contents(example, options, checkable=bool(expected) and have_arguments)
    spec = kind_spec(kind_of_row(contents))
    tools, tags, unchecked_reason = [*map(plain_document, example.tools)], dict(example.tags), None
    if not have_arguments:
        tags[EXPECTED_NAMES] = ", ".join(call.name for call in expected)
        unchecked_reason = "expected calls without arguments cannot be checked; their names are a tag"
    elif example.expected_calls == [] and not tools and spec.plain and not contents.criterion:
        unchecked_reason = (
            "no call is expected, but this cannot be checked without tools; add a column `tools`"
        )
    if spec.compared:
        unchecked_reason = unchecked_reason or not_offered((call.name for call in expected), tools)
        calls = ((call.name, _exact_arguments(call)) for call in expected)
        tools = [*tools, *missing_documents(calls, tools)]
    case = Case(
        id=name,
        kind=spec.name,
        messages=cast("list[Message | list[Message]]", example.messages),
        tools=tools,
        reference=_reference(spec, example, options, expected),
        context=[context_item(item, number) for number, item in enumerate(example.context, start=1)],
        tags=tags,
        cluster=example.cluster,
    )
    validate_case(case)
    return case, unchecked_reason


def with_reference(case: Case, added: Example) -> tuple[Case, str | None]:
    """Return a case with an example's reference, and the reason if its calls cannot be checked.

    Fields that the example lacks stay unchanged.

    Raises:
        RecordError: No column can express the reference of this kind of case.
    """
    spec = kind_spec(case.kind)
    added = _with_expected_calls(added, case.tools)
    if not (spec.compared or spec.family == "answer" or spec.plain):
        raise RecordError(f"no column can hold the reference of a case of kind {case.kind}", field="kind")
    if spec.compared and added.expected_calls is None:
        return case, None
    reference = case.reference
    answers = reference.get("answers") or ([reference["answer"]] if reference.get("answer") else [])
    criterion = reference.get("criterion")
    example = Example(
        criteria=[] if added.criterion else convert(reference.get("criteria", []), list[Criterion]),
        messages=cast("list[Message]", case.messages),
        tools=case.tools,
        expected_calls=added.expected_calls,
        accepted=added.accepted or answers,
        context=added.context or [{"id": item.id, "content": item.content} for item in case.context],
        criterion=added.criterion or (None if criterion in {DEFAULT_CRITERION, SAME_ANSWER} else criterion),
        tags=added.tags | case.tags,
        cluster=case.cluster,
        calls_made=spec.call == "any",
    )
    completed, unchecked_reason = case_of(example, case.id, Options())
    if not added.context:
        completed = msgspec.structs.replace(completed, context=case.context)
    return completed, unchecked_reason


def _with_expected_calls(example: Example, tools: list[dict[str, Any]] | None = None) -> Example:
    """Return an example with its accepted answers as expected calls, if they are calls.

    They are calls if each is a JSON object with name and arguments, or a text such as ``book(city="Rome")`` that calls
    a tool of the case.
    """
    if example.expected_calls is not None or not example.accepted:
        return example
    calls = _calls_as_json(example.accepted) or _calls_of_tools(example.accepted, tools or example.tools)
    return msgspec.structs.replace(example, expected_calls=calls, accepted=[]) if calls else example


def _calls_as_json(texts: list[str]) -> list[Any]:
    """Return the calls in texts of JSON, or an empty list if a text is no call."""
    if not all(text.startswith("{") for text in texts):
        return []
    calls = [parsed(text) for text in texts]
    are_calls = all(
        is_object(call) and ("name" in call or "function" in call) and has_arguments(call) for call in calls
    )
    return calls if are_calls else []


def _calls_of_tools(texts: list[str], tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the calls in texts such as ``book()``, or an empty list if one calls no tool."""
    if not tools or not all("(" in text for text in texts):
        return []
    try:
        calls = [call for text in texts for call in written_calls(text, names=False)]
    except RecordError:
        return []
    return calls if not_offered((call["name"] for call in calls), tools) is None else []


def _contents(example: Example, options: Options, *, checkable: bool) -> RowContents:
    """Return the contents that decide the kind of an example's case.

    Args:
        example: The example.
        options: Options that say whether accepted answers count.
        checkable: Whether all expected calls have arguments. Without them a call is expected, but cannot be checked.
    """
    return RowContents(
        expected_calls=checkable,
        criterion=example.criterion is not None or bool(example.criteria),
        accepted_answers=bool(example.accepted) and options.answers == "accepted",
        no_call=example.expected_calls == [] and bool(example.tools),
        calls_made=bool(example.calls_made or example.expected_calls),
        context=bool(example.context),
    )


def _reference(
    spec: KindSpec, example: Example, options: Options, expected: list[ToolCall]
) -> dict[str, Any]:
    if spec.compared:
        return {"calls": [{"name": call.name, "arguments": _exact_arguments(call)} for call in expected]}
    if spec.family == "answer":
        return {"answers": example.accepted}
    if spec.family != "open":
        return {}
    if example.criteria:
        answer = {"answer": example.accepted[0]} if example.accepted else {}
        return {"criteria": msgspec.to_builtins(example.criteria), **answer}
    if not example.accepted:
        return {"criterion": example.criterion or options.criterion or DEFAULT_CRITERION}
    criterion = example.criterion or options.criterion or SAME_ANSWER
    return {"criterion": criterion, "answer": example.accepted[0]}


def _exact_arguments(call: ToolCall) -> dict[str, Any]:
    """Return the expected arguments, each to be matched exactly.

    An object that looks like a marker of alternatives (``{"any_of": ...}``) is escaped.
    """
    arguments = call.arguments
    if isinstance(arguments, str):
        try:
            arguments = decode_json(arguments, dict[str, Any])
        except msgspec.DecodeError as error:
            reason = f"the arguments of {call.name} are not a JSON object: {error}"
            raise RecordError(reason, field="expected_calls") from error
    return {name: {"exactly": value} if is_marked(value) else value for name, value in arguments.items()}
