"""Is one of the accepted answers in the last thing the system said? For memory and web-search cases."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import Any, Literal, cast

import msgspec

from ..errors import DecodingError
from ..records import AnswerReference, Case, Output
from .checkers import CheckOptions
from .evidence import plain, shorten
from .execution.replies import ReplyReader, read_native, read_prompt
from .finding import PASSED, Finding, fault
from .strict_answers import check_answer_strictly, last_words
from .strict_relevance import is_call_text

_STANDARD = str.maketrans("'", '"', ",./-_*^()")


def find(case: Case, output: Output, options: CheckOptions) -> Finding:
    """Decide whether an output gives an accepted answer.

    Args:
        case: A case of kind ``memory_answer`` or ``web_search_answer``.
        output: Its turns of steps; or its text, with native calls before it where it has those.
        options: Rule set.

    Returns:
        What was found.
    """
    if output.agent_turns is not None:
        turns: list[list[Any]] = list(output.agent_turns)
        native = any(isinstance(step, list) for turn in turns for step in turn)
    else:
        calls = [] if output.tool_calls is None else [output.tool_calls]
        turns = [[*calls, output.text or ""]]
        native = output.tool_calls is not None
    return check_steps(case, turns, mode="fc" if native else "prompt", options=options)


def check_steps(case: Case, result: Any, *, mode: Literal["prompt", "fc"], options: CheckOptions) -> Finding:
    """Decide on turns of raw steps.

    Args:
        case: A case of kind ``memory_answer`` or ``web_search_answer``.
        result: One turn of steps; anything else means that the run went wrong.
        mode: How the system called.
        options: Rule set.

    Returns:
        What was found.
    """
    turns = cast("list[Any]", result) if isinstance(result, list) else []
    if len(turns) != 1 or not isinstance(turns[0], list | str | dict):
        return fault("agentic:inference_error", f"expected one turn of steps, got {shorten(result)}")
    steps = list(cast("list[Any]", turns[0]))
    answers = msgspec.convert(case.reference, AnswerReference).answers
    if options.rules == "strict":
        offered = [tool["function"]["name"] for tool in case.tools]
        is_call = _never if mode == "fc" else partial(is_call_text, offered=offered)
        return check_answer_strictly(last_words(steps, is_call), answers)
    message = last_message(steps, read_native if mode == "fc" else read_prompt)
    if not message:
        return fault("agentic:no_last_message", f"the last message is empty, among {len(steps)} steps")
    return check_answer(message, answers)


def last_message(steps: list[Any], read: ReplyReader) -> Any:
    """The last step that is no call, wherever it stands; an empty one counts, and hides what was said before.

    Args:
        steps: Raw steps.
        read: Reads the calls of a step.

    Returns:
        The step; None where all steps are calls.
    """
    return next((step for step in reversed(steps) if not _calls(step, read)), None)


def check_answer(message: Any, answers: list[str]) -> Finding:
    """BFCL's rule: the message contains an accepted answer as whole words, anywhere, whatever is said about it.

    Case, single against double quotes, and ``, . / - _ * ^ ( )`` do not count.

    Args:
        message: The last message; of a list its first item counts.
        answers: The accepted answers.

    Returns:
        What was found.
    """
    if isinstance(message, list):
        message = cast("list[Any]", message)[0]
    text = _standardise(message if isinstance(message, str) else str(message))
    for answer in answers:
        if _whole_words(_standardise(answer)).search(text):
            return PASSED
    accepted = ", ".join(map(shorten, answers))
    return fault(
        "agentic:answer_not_found",
        f"none of {accepted} in {shorten(message)}",
        expected=answers,
        got=plain(message),
    )


def _never(text: str) -> bool:
    """Beside native calls, texts are never calls."""
    del text
    return False


def _calls(step: Any, read: ReplyReader) -> list[str]:
    try:
        return read(step)
    except (DecodingError, RecursionError, ValueError):
        return []


def _standardise(text: str) -> str:
    return text.translate(_STANDARD).lower()


@lru_cache(maxsize=4_096)
def _whole_words(answer: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(answer)}\b")
