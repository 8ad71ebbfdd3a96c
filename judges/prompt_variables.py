"""Input builders: functions that make an input of a prompt from a case and an output.

A builder returns a text under evaluation unchanged, and everything else as JSON, both in full. It raises `NotApplicableError` if the
item lacks what the input shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from ..errors import FiducialError
from ..records import Case, Episode, Message, Output, Pair, kind_spec
from ..records.case import known_role
from ..records.output import last_text, messages_asked, turns_asked
from ..records.typed_values import convert
from ..spelling import command
from .as_json import JsonList, calls_text, dumps, json_lines, json_list_text, step_text
from .criteria import NO_POSITIVE_POINTS, criteria_of
from .transcript import tools_at_start, transcript, transcript_of_calls

InputBuilder: TypeAlias = Callable[[Case, Output], Any]
"""Function that returns the value of one input."""

Replay: TypeAlias = Callable[[Case, Output], Episode | None]
"""Function that executes an output's calls in the simulated worlds of its case, or returns None for a case without any."""


class NotApplicableError(FiducialError):
    """The item lacks something that the judge needs."""


def _query(case: Case, output: Output) -> str:
    """Return a single user message unchanged, or several messages as JSON.

    In JSON, no text can pose as another message.
    """
    messages = _messages_before_answer(case, output)
    if kind_spec(case.kind).family == "answer":
        messages = _without_instructions(messages)
    if not messages:
        raise NotApplicableError("the case has no messages")
    if len(messages) == 1 and known_role(messages[0])["role"] == "user":
        content = messages[0].get("content")
        return "" if content is None else _text(content)
    return str(json_lines(messages))


def _without_instructions(messages: list[Message]) -> list[Message]:
    """Return the messages without system messages, if there are others.

    System messages say how to answer, not what was asked.
    """
    questions = [message for message in messages if message["role"] not in {"system", "developer"}]
    return questions or messages


def _question(case: Case, output: Output) -> str:
    """Return the question that the judge answers.

    For a grounded answer, it is whether the search results support the answer. Otherwise, it is what the user asked.
    """
    if kind_spec(case.kind).family == "grounded" and output.text is not None:
        return f"Do the search results state or imply the following?\n{output.text}"
    return _query(case, output)


def _messages(case: Case, output: Output) -> JsonList:
    return json_lines(_messages_before_answer(case, output))


def _messages_before_answer(case: Case, output: Output) -> list[Message]:
    """Return the messages before the answer, with the agent's earlier texts if recorded."""
    turns = turns_asked(case, output)
    is_simulated = kind_spec(case.kind).family == "conversation"
    if is_simulated or output.turns is None or not 1 < len(turns) == len(output.turns):
        return messages_asked(case, output)
    messages: list[Message] = []
    for asked, steps in zip(turns, output.turns, strict=True):
        texts = [{"role": "assistant", "content": step} for step in steps if isinstance(step, str)]
        messages += [*asked, *texts]
    while messages and messages[-1]["role"] == "assistant":  # the answer itself
        messages.pop()
    return messages


def _tool_definitions(case: Case, output: Output) -> JsonList:
    del output
    return json_lines(tools_at_start(case))


def _tools_as_listed(case: Case, output: Output) -> JsonList:
    del output
    return json_lines(case.tools)


def _tool_calls(case: Case, output: Output) -> JsonList:
    """Return the native calls if there are any, else the text, else all steps."""
    del case
    if output.tool_calls is not None:
        return calls_text(output.tool_calls)
    if output.text is not None:
        return JsonList([output.text], output.text)
    if output.agent_turns is not None:
        steps = [step for turn in output.agent_turns for step in turn]
        return JsonList(steps, json_list_text([step_text(step) for step in steps]))
    raise NotApplicableError("the output has neither calls nor text")


def _response(case: Case, output: Output) -> str:
    """Return the reply's text; for a conversation, its last text."""
    del case
    if (text := last_text(output)) is not None:
        return text
    if output.tool_calls is not None:
        return str(calls_text(output.tool_calls))
    raise NotApplicableError("the output has no text")


def _search_results(case: Case, output: Output) -> str:
    del output
    if not case.context:
        raise NotApplicableError("the case has no context to judge by")
    return "\n\n".join(
        f"Index: {item.id}\nRequest: {_text(item.request)}\nResponse: {_text(item.content)}"
        for item in case.context
    )


def _accepted_answers(case: Case, output: Output) -> JsonList:
    del output
    answers: list[Any] = case.reference.get("answers") or []
    if not any(_text(answer).strip() for answer in answers):
        raise NotApplicableError("the case has no accepted answers")
    return json_lines(answers)


def _transcript(case: Case, output: Output, replay: Replay | None = None) -> str:
    _require_request(case, output)
    return transcript(case, output, None if replay is None else replay(case, output))


def _require_request(case: Case, output: Output) -> None:
    if not any(turns_asked(case, output)):
        raise NotApplicableError("nothing was asked: the case has no messages")


def _steps(case: Case, output: Output, replay: Replay | None = None) -> str:
    if output.turns is None and output.text is None and not output.tool_calls:
        raise NotApplicableError("the output has no steps")
    _require_request(case, output)
    return transcript(case, output, None if replay is None else replay(case, output), numbered=True)


def _criterion(case: Case, output: Output) -> str:
    """Return the case's criterion; for a workspace case, see `challenge_criterion`."""
    del output
    criterion = (
        challenge_criterion(case)
        if kind_spec(case.kind).family == "workspace"
        else case.reference.get("criterion")
    )
    if isinstance(criterion, str) and criterion.strip():
        return criterion
    if case.reference.get("criteria"):
        raise NotApplicableError(
            "the case has several criteria: ask rubric/each or rubric/together, or a prompt with `each: criterion`"
        )
    raise NotApplicableError("the case has no criterion")


def _criteria(case: Case, output: Output) -> JsonList:
    """Return a rubric's criteria as numbered JSON lines, without points, which bias judges."""
    del output
    if not (criteria := criteria_of(case)):
        raise NotApplicableError("the case has no criteria")
    if not any(criterion.points > 0 for criterion in criteria):
        raise NotApplicableError(NO_POSITIVE_POINTS)
    return json_lines(
        [{"number": number, "criterion": criterion.text} for number, criterion in enumerate(criteria, 1)]
    )


def _one_of_two(which: Literal["first", "second"], replay: Replay | None = None) -> InputBuilder:
    """Return the input builder for one output of a pair.

    The judge sees an answer unchanged, calls as JSON, and a conversation as its transcript.
    """

    def build(case: Case, output: Output) -> str:
        if not isinstance(output, Pair):
            raise NotApplicableError(
                f"this judge compares two outputs of a case; `{command('compare', by='system', judge=True)}` or `fiducial.prefer` shows it both"
            )
        chosen = output.first if which == "first" else output.second
        if chosen.error is not None:
            return f"(The system ended with an error in place of an answer: {chosen.error})"
        if chosen.turns is not None:
            return transcript(case, chosen, None if replay is None else replay(case, chosen))
        texts = [chosen.text] if chosen.text else []
        if chosen.tool_calls is not None:
            texts.append(str(calls_text(chosen.tool_calls)))
        if not texts and chosen.text is None:
            raise NotApplicableError(f"the {which} output has neither text nor calls")
        return "\n\n".join(texts)

    return build


INPUT_BUILDERS: Mapping[str, InputBuilder] = {
    "query": _query,
    "messages": _messages,
    "tool_calls": _tool_calls,
    "tool_definitions": _tool_definitions,
    "response": _response,
    "search_results": _search_results,
    "question": _question,
    "accepted_answers": _accepted_answers,
    "transcript": _transcript,
    "steps": _steps,
    "criterion": _criterion,
    "criteria": _criteria,
    "first": _one_of_two("first"),
    "second": _one_of_two("second"),
}
"""Builder of each input. The fences are left out: they are derived from the other inputs."""

INPUT_BUILDERS_OF_CALLS: Mapping[str, InputBuilder] = {
    **INPUT_BUILDERS,
    "tool_definitions": _tools_as_listed,
    "transcript": transcript_of_calls,
}
"""Input builders for prompts whose transcripts show calls without their results."""


def input_builders_with(replay: Replay) -> Mapping[str, InputBuilder]:
    """Return the input builders for outputs whose calls can be executed."""
    return {
        **INPUT_BUILDERS,
        "transcript": lambda case, output: _transcript(case, output, replay),
        "steps": lambda case, output: _steps(case, output, replay),
        "first": _one_of_two("first", replay),
        "second": _one_of_two("second", replay),
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


_CHALLENGE_TEMPLATES = {
    "reference": "The response says, in substance, what this ideal answer says:\n{answer}",
    "rubric": "The response does well by this rubric:\n{answer}",
    "question": "Asked about the response, this question is to be answered with yes:\n{answer}",
}


class _Eval(msgspec.Struct):
    template: str | None = None
    examples: str | None = None


class _Ground(msgspec.Struct):
    answer: str
    eval: _Eval = msgspec.field(default_factory=_Eval)


class _Reference(msgspec.Struct):
    ground: _Ground


def challenge_criterion(case: Case) -> str | None:
    """Return the criterion of a challenge: its answer, put into its template, with its examples.

    Return None if the challenge has no answer.
    """
    try:
        ground = convert(case.reference, _Reference).ground
    except msgspec.ValidationError:
        return None
    template = _CHALLENGE_TEMPLATES.get(ground.eval.template or "", "{answer}")
    criterion = template.replace("{answer}", ground.answer)
    return f"{criterion}\n\nExamples:\n{ground.eval.examples}" if ground.eval.examples else criterion
