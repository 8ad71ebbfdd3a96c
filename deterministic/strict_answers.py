"""Is an answer one of the accepted ones? Strict rules: decided where it is plain, left to a judge where it is not."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from typing import Any, cast

from ..errors import DecodingError
from .decoding.python_syntax import parse_expression
from .evidence import plain, shorten
from .finding import PASSED, Finding, fault, undecided

_LONGEST_PLAIN = 300
"""A longer answer is neither a clean match nor a plain refusal."""

_LEAD_IN = re.compile(
    r"^(?:(?:the|your|my|its|final|correct) )*answer(?: is|:| =)? ?|^(?:it|that|this|he|she|they)(?:\"s| is| was| are| were) "
)
_CLAUSES = re.compile(r"[.;!?\n]+")
_REFUSAL = re.compile(
    r"(?:i am |i\"m )?(?:very )?sorry|unknown|n/?a|none|no answer|no idea|not (?:found|available|sure|known|specified)"
    r"|(?:(?:i am |i\"m )?(?:very )?sorry,? )?(?:but )?(?:unfortunately,? )?"
    r"(?:i|we) (?:do not|don\"t|cannot|can not|can\"t|could not|couldn\"t|was not able to|am not able to|am unable to"
    r"|was unable to|have no|did not|didn\"t)\b[^,]*"
    r"|(?:unfortunately,? )?(?:there is|there\"s) no (?:information|record|data|memory|answer)\b[^,]*"
)
_CONTRADICTION = re.compile(
    r"\b(?:but|however|though|although|except|maybe|perhaps|guess|think|believe|only)\b"
)


def last_words(steps: list[Any], is_call: Callable[[str], bool]) -> str:
    """The last step that is a text with something in it; calls and empty steps are passed over.

    Args:
        steps: Raw steps.
        is_call: Whether a text is a call.

    Returns:
        The text, empty when there is none.
    """
    for step in reversed(steps):
        if isinstance(step, list) and step and all(isinstance(part, str) for part in cast("list[Any]", step)):
            return "\n".join(cast("list[str]", step))
        if isinstance(step, str) and step.strip() and not is_call(step):
            return step
    return ""


def check_answer_strictly(message: str, answers: list[str]) -> Finding:
    """Decide on a final message.

    Args:
        message: What was said last: a text, or ``{"answer": ..., "context": ...}`` as JSON or Python.
        answers: The accepted answers.

    Returns:
        Valid when the answer is an accepted one and nothing else; graded 0 when there is no answer or a plain refusal that
        names none; otherwise undecided.
    """
    answer = _answer_field(message)
    said = _tidy(answer)
    accepted = {_tidy(choice) for choice in answers}
    if said in accepted or _LEAD_IN.sub("", said, count=1) in accepted:
        return PASSED
    facts = {"expected": answers, "got": plain(answer)}
    if not said:
        return fault("agentic:no_last_message", "there is no answer", **facts)
    mentioned = any(_mentions(_tidy(message), choice) for choice in accepted)
    if not mentioned and _is_refusal(said):
        return fault("agentic:answer_not_found", f"a refusal: {shorten(answer)}", **facts)
    where = (
        "an accepted answer is mentioned beside other words" if mentioned else "no accepted answer as such"
    )
    return undecided(f"{where}: {shorten(answer)}", **facts)


def _answer_field(message: str) -> str:
    """The field ``answer`` where the message is an object that has one, else the message."""
    text = message.strip().strip("`").removeprefix("json").strip()
    if not text.startswith("{"):
        return message
    for read in (json.loads, _read_literal):
        try:
            value: Any = read(text)
        except (ValueError, RecursionError, DecodingError, TypeError, MemoryError):
            continue
        if isinstance(value, dict) and "answer" in value:
            answer = cast("dict[str, Any]", value)["answer"]
            return answer if isinstance(answer, str) else "" if answer is None else shorten(answer)
    return message


def _read_literal(text: str) -> Any:
    return ast.literal_eval(parse_expression(text))


def _tidy(text: str) -> str:
    """Without differences that no reader minds: case, runs of white space, quotes and a period around it."""
    text = " ".join(text.lower().replace("'", '"').replace("\N{RIGHT SINGLE QUOTATION MARK}", '"').split())
    while text != (stripped := text.strip('"`*').removesuffix(".").strip()):
        text = stripped
    return text


def _mentions(message: str, choice: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(choice)}(?!\w)", message) is not None


def _is_refusal(said: str) -> bool:
    if len(said) > _LONGEST_PLAIN or _CONTRADICTION.search(
        said.removeprefix('i"m sorry, but').removeprefix("sorry, but")
    ):
        return False
    clauses = [clause.strip() for clause in _CLAUSES.split(said) if clause.strip()]
    return bool(clauses) and all(_REFUSAL.fullmatch(clause) for clause in clauses)
