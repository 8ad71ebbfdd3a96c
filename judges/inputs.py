"""The named inputs of all judges, filled from a case and an output.

Whatever is under evaluation goes in whole: text verbatim, everything else as JSON.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..errors import FiducialError, PromptError
from ..records import Case, Episode, Message, Output
from .as_json import JsonList, bracketed, calls_text, dumps, json_lines, step_text
from .challenge_criterion import challenge_criterion
from .fence import fence_for
from .prompt_file import InputDeclaration, PromptFile
from .transcript import tools_at_start, transcript, transcript_of_calls

Filler: TypeAlias = Callable[[Case, Output], Any]
"""Makes the value of one input."""

Replay: TypeAlias = Callable[[Case, Output], Episode | None]
"""What an output's calls return when they are executed in its case's worlds; None for a case without any."""


class NotApplicableError(FiducialError):
    """This judge has nothing to say of this item: what it judges by is not there."""


def fill_inputs(
    declared: Mapping[str, InputDeclaration],
    case: Case,
    output: Output,
    fillers: Mapping[str, Filler] | None = None,
) -> dict[str, Any]:
    """Fill the inputs a prompt declares.

    Args:
        declared: The prompt's inputs.
        case: What was to be done.
        output: What the system produced.
        fillers: How each input is made, where it is not by `FILLERS`.

    Returns:
        Values by name, ready to be rendered. Inputs that are not ours are left to their defaults.

    Raises:
        NotApplicableError: The item lacks what the prompt needs, and declares no default for.
    """
    values: dict[str, Any] = {}
    for name, declaration in declared.items():
        fill = (FILLERS if fillers is None else fillers).get(declaration.source or name)
        if fill is None:
            continue
        try:
            value = fill(case, output)
        except RecursionError as error:
            raise NotApplicableError(f"{name} is nested too deeply to be shown") from error
        except NotApplicableError:
            if declaration.required:
                raise
            value = declaration.default
        values[name] = str(value) if declaration.type == "string" else value
    fences = [name for name, declaration in declared.items() if (declaration.source or name) == FENCE]
    fence = fence_for([str(value) for value in values.values()]) if fences else ""
    return values | dict.fromkeys(fences, fence)


def refuse_unfillable(prompt: PromptFile) -> None:
    """Refuse a prompt with inputs that nothing fills.

    Args:
        prompt: A prompt file.

    Raises:
        PromptError: An input without a default is none of ours, or is to be a list and is a text, with the line that would map it.
    """
    for name, declaration in prompt.inputs.items():
        source = declaration.source or name
        place = f"{prompt.path}:{prompt.lines.get('inputs' if declaration.source is None else 'map', 1)}"
        if source not in INPUTS:
            if not declaration.required and declaration.source is None:
                continue
            raise PromptError(f"{place}: {unknown_input(name, declaration.source)}")
        if declaration.type != "string" and (
            source not in LISTS or declaration.type not in {"list", "array"}
        ):
            kind = "a list" if source in LISTS else "a text"
            raise PromptError(f"{place}: input {name}: {source} is {kind}, declared as {declaration.type}")


def unknown_input(name: str, source: str | None = None) -> str:
    """What is said of an input that nothing fills: the inputs that exist, the nearest, and the line that would map it to it.

    Args:
        name: The input.
        source: What it is said to be filled from, if that is said.
    """
    nearest = nearest_input(source or name)
    what = (
        f"nothing fills the input {name!r}"
        if source is None
        else f"{name} is mapped to {source!r}, which is none"
    )
    hint = f"did you mean {nearest}? " if nearest else ""
    return (
        f"{what}; {hint}say so in the front matter: map: {{{name}: {nearest or INPUTS[0]}}}, or give it a default "
        f"(inputs that exist: {', '.join(INPUTS)})"
    )


def nearest_input(name: str) -> str | None:
    """The input of ours that a name seems to mean; None when none is near."""
    close = difflib.get_close_matches(name.lower(), [*INPUTS, *_OTHER_NAMES], 1)
    return _OTHER_NAMES.get(close[0], close[0]) if close else None


def _query(case: Case, output: Output) -> str:
    """A single user message as it is; a conversation as JSON, in which nobody's text can pose as another's."""
    del output
    messages = [message for turn in case.turns for message in turn]
    if not messages:
        raise NotApplicableError("the case has no messages")
    if len(messages) == 1 and messages[0]["role"] == "user":
        return _content(messages[0])
    return str(json_lines(messages))


def _question(case: Case, output: Output) -> str:
    """What is asked about: of an answer that should rest on results, whether they say it; else what the user asked."""
    if case.kind == "grounded_answer" and output.text is not None:
        return f"Do the search results state or imply the following?\n{output.text}"
    return _query(case, output)


def _messages(case: Case, output: Output) -> JsonList:
    del output
    return json_lines([message for turn in case.turns for message in turn])


def _tool_definitions(case: Case, output: Output) -> JsonList:
    del output
    return json_lines(tools_at_start(case))


def _tools_as_listed(case: Case, output: Output) -> JsonList:
    del output
    return json_lines(case.tools)


def _tool_calls(case: Case, output: Output) -> JsonList:
    """Native calls, or the text in which the system wrote its calls, or the calls of all its steps."""
    del case
    if output.tool_calls is not None:
        return calls_text(output.tool_calls)
    if output.text is not None:
        return JsonList([output.text], output.text)
    if output.agent_turns is not None:
        steps = [step for turn in output.agent_turns for step in turn]
        return JsonList(steps, bracketed([step_text(step) for step in steps]))
    raise NotApplicableError("the output has neither calls nor text")


def _response(case: Case, output: Output) -> str:
    """The text of the reply; of a conversation, the last text in it."""
    del case
    if output.text is not None:
        return output.text
    texts = [step for turn in output.turns or [] for step in turn if isinstance(step, str)]
    if texts:
        return texts[-1]
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


def _criterion(case: Case, output: Output) -> str:
    """What a good answer achieves; of a challenge, what its template makes of its answer."""
    del output
    criterion = challenge_criterion(case) if case.kind == "artifact" else case.reference.get("criterion")
    if not isinstance(criterion, str) or not criterion.strip():
        raise NotApplicableError("the case has no criterion")
    return criterion


FILLERS: Mapping[str, Filler] = {
    "query": _query,
    "messages": _messages,
    "tool_calls": _tool_calls,
    "tool_definitions": _tool_definitions,
    "response": _response,
    "search_results": _search_results,
    "question": _question,
    "accepted_answers": _accepted_answers,
    "transcript": transcript,
    "criterion": _criterion,
}
"""How each input is made. One more, ``fence``, is derived from the others."""

FENCE = "fence"
INPUTS = (*FILLERS, FENCE)
LISTS = frozenset({"messages", "tool_calls", "tool_definitions", "accepted_answers"})
"""Inputs that a prompt may declare as lists; all others are texts."""

_OTHER_NAMES = {
    "answer": "response",
    "chat_history": "messages",
    "completion": "response",
    "context": "search_results",
    "contexts": "search_results",
    "conversation": "messages",
    "documents": "search_results",
    "expected": "accepted_answers",
    "expected_output": "accepted_answers",
    "ground_truth": "accepted_answers",
    "input": "query",
    "output": "response",
    "prediction": "response",
    "prompt": "query",
    "reference": "accepted_answers",
    "rubric": "criterion",
    "tools": "tool_definitions",
    "trajectory": "transcript",
}
"""What others call the same."""

FILLERS_OF_CALLS: Mapping[str, Filler] = {
    **FILLERS,
    "tool_definitions": _tools_as_listed,
    "transcript": transcript_of_calls,
}
"""The same for prompts that were written when a transcript showed calls without what came of them."""


def fillers_with(replay: Replay) -> Mapping[str, Filler]:
    """How each input is made where an output's calls can be executed.

    Args:
        replay: Executes them.

    Returns:
        As `FILLERS`, with results in the transcript.
    """
    return {**FILLERS, "transcript": lambda case, output: transcript(case, output, replay(case, output))}


def _content(message: Message) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return dumps(content)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)
