"""The named inputs of all judges, filled from a case and an output.

Whatever is under evaluation goes in whole: text verbatim, everything else as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import FiducialError
from ..records import Case, Message, Output, Step, ToolCall
from .challenge_criterion import challenge_criterion
from .fence import fence_for
from .prompt_file import InputDeclaration


class NotApplicableError(FiducialError):
    """This judge has nothing to say of this item: what it judges by is not there."""


class JsonList(list[Any]):
    """A list that a template prints as JSON (or as the text it was read from) instead of in Python's notation."""

    def __init__(self, items: Sequence[Any], text: str) -> None:
        super().__init__(items)
        self._text = text

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__


def fill_inputs(declared: Mapping[str, InputDeclaration], case: Case, output: Output) -> dict[str, Any]:
    """Fill the inputs a prompt declares.

    Args:
        declared: The prompt's inputs.
        case: What was to be done.
        output: What the system produced.

    Returns:
        Values by name, ready to be rendered. Inputs that are not ours are left to their defaults.

    Raises:
        NotApplicableError: The item lacks what the prompt needs, and declares no default for.
    """
    values: dict[str, Any] = {}
    for name, declaration in declared.items():
        fill = FILLERS.get(name)
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
    if "fence" in declared:
        values["fence"] = fence_for([str(value) for value in values.values()])
    return values


def _query(case: Case, output: Output) -> str:
    """A single user message as it is; a conversation as JSON, in which nobody's text can pose as another's."""
    del output
    messages = [message for turn in case.turns for message in turn]
    if not messages:
        raise NotApplicableError("the case has no messages")
    if len(messages) == 1 and messages[0]["role"] == "user":
        return _content(messages[0])
    return str(_json_lines(messages))


def _question(case: Case, output: Output) -> str:
    """What is asked about: of an answer that should rest on results, whether they say it; else what the user asked."""
    if case.kind == "grounded_answer" and output.text is not None:
        return f"Do the search results state or imply the following?\n{output.text}"
    return _query(case, output)


def _messages(case: Case, output: Output) -> JsonList:
    del output
    return _json_lines([message for turn in case.turns for message in turn])


def _tool_definitions(case: Case, output: Output) -> JsonList:
    del output
    return _json_lines(case.tools)


def _tool_calls(case: Case, output: Output) -> JsonList:
    """Native calls, or the text in which the system wrote its calls, or the calls of all its steps."""
    del case
    if output.tool_calls is not None:
        return _calls(output.tool_calls)
    if output.text is not None:
        return JsonList([output.text], output.text)
    if output.turns is not None:
        steps = [step for turn in output.turns for step in turn]
        return JsonList(steps, _bracketed([_step(step) for step in steps]))
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
        return str(_calls(output.tool_calls))
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
    return _json_lines(answers)


def _criterion(case: Case, output: Output) -> str:
    """What a good answer achieves; of a challenge, what its template makes of its answer."""
    del output
    criterion = challenge_criterion(case) if case.kind == "artifact" else case.reference.get("criterion")
    if not isinstance(criterion, str) or not criterion.strip():
        raise NotApplicableError("the case has no criterion")
    return criterion


def _transcript(case: Case, output: Output) -> str:
    """The conversation, one JSON object a line: what was asked in each turn, then what the system did, step by step."""
    lines: list[str] = []
    steps = output.turns
    if steps is None:
        only: list[Step] = [output.tool_calls] if output.tool_calls else []
        steps = [only if output.text is None else [*only, output.text]]
    for turn in range(max(len(case.turns), len(steps))):
        asked = case.turns[turn] if turn < len(case.turns) else []
        done = steps[turn] if turn < len(steps) else []
        lines.extend(f'{{"turn": {turn + 1}, "asked": {_dumps(message)}}}' for message in asked)
        lines.extend(f'{{"turn": {turn + 1}, "agent": {_step(step)}}}' for step in done)
    return "\n".join(lines)


FILLERS: Mapping[str, Callable[[Case, Output], Any]] = {
    "query": _query,
    "messages": _messages,
    "tool_calls": _tool_calls,
    "tool_definitions": _tool_definitions,
    "response": _response,
    "search_results": _search_results,
    "question": _question,
    "accepted_answers": _accepted_answers,
    "transcript": _transcript,
    "criterion": _criterion,
}
"""How each input is made. One more, ``fence``, is derived from the others."""


def _content(message: Message) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return _dumps(content)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _dumps(value)


def _step(step: Step) -> str:
    return _dumps(step) if isinstance(step, str) else f"[{', '.join(map(_call, step))}]"


def _calls(calls: Sequence[ToolCall]) -> JsonList:
    items = [{"name": call.name, "arguments": call.arguments} for call in calls]
    return JsonList(items, _bracketed([_call(call) for call in calls]))


def _call(call: ToolCall) -> str:
    """One call as JSON. Arguments that are JSON text stand as they are: decoding them would hide what is wrong in them."""
    arguments = call.arguments
    verbatim = isinstance(arguments, str) and _is_json_line(arguments)
    text = arguments if verbatim else _dumps(arguments)
    return f'{{"name": {_dumps(call.name)}, "arguments": {text}}}'


def _is_json_line(text: str) -> bool:
    if len(text.splitlines()) != 1:
        return False  # on lines of its own it could pose as another call
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _json_lines(items: Sequence[Any]) -> JsonList:
    return JsonList(items, _bracketed([_dumps(item) for item in items]))


def _bracketed(lines: Sequence[str]) -> str:
    """A JSON list with one item a line."""
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
