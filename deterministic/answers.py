"""Check whether the last message gives an accepted answer, for memory and web-search cases."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Literal, cast
from unicodedata import normalize

from ..errors import DecodingError
from ..records import AnswerReference, Case, Output, TextRule
from ..records.python_syntax import parse_expression
from ..records.typed_values import convert
from .execution.call_texts import ReplyReader, read_native, read_prompt
from .finding import PASSED, Finding, differing, fault, plain, shorten, undecided
from .letter_case import is_code
from .options import CheckOptions
from .relevance import is_call_text

_MAX_REFUSAL_LENGTH = 300
"""In characters. Longer texts do not count as plain refusals, since they may say more."""

# All patterns below are for texts in which `_trim` has replaced single quotes by double ones.
# Words before an answer, such as "The answer is" or "It was".
_LEAD_IN = re.compile(
    r"^(?:(?:the|your|my|its|final|correct) )*answer(?: is|:| =)? ?|^(?:it|that|this|he|she|they)(?:\"s| is| was| are| were) ",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[.;!?\n]+")
# A clause in which the system says that it does not know.
_REFUSAL = re.compile(
    r"(?:i am |i\"m )?(?:very )?sorry|unknown|n/?a|none|no answer|no idea|not (?:found|available|sure|known|specified)"
    r"|(?:(?:i am |i\"m )?(?:very )?sorry,? )?(?:but )?(?:unfortunately,? )?"
    r"(?:i|we) (?:do not|don\"t|cannot|can not|can\"t|could not|couldn\"t|was not able to|am not able to|am unable to"
    r"|was unable to|have no|did not|didn\"t)\b[^,]*"
    r"|(?:unfortunately,? )?(?:there is|there\"s) no (?:information|record|data|memory|answer)\b[^,]*"
)
# A refusal with one of these words may go on to give an answer.
_CONTRADICTION = re.compile(
    r"\b(?:but|however|though|although|except|maybe|perhaps|guess|think|believe|only)\b"
)


def last_text(steps: list[Any], is_call: Callable[[str], bool]) -> str:
    """Return the last non-empty text step, ignoring calls, or an empty text if there is none.

    A step that is a list of texts counts as one text.
    """
    for step in reversed(steps):
        if isinstance(step, list) and step and all(isinstance(part, str) for part in cast("list[Any]", step)):
            return "\n".join(cast("list[str]", step))
        if isinstance(step, str) and step.strip() and not is_call(step):
            return step
    return ""


def check_answer_strictly(message: str, answers: list[str], text: TextRule | None = None) -> Finding:
    """Check a final message by strict rules.

    The message is a text, or an object ``{"answer": ..., "context": ...}`` in JSON or Python. It passes if it is an accepted answer and
    nothing else. It fails if it is empty or a plain refusal that mentions no accepted answer. Otherwise it is undecided. A code that
    differs from the accepted one in letter case or blanks is undecided, too, unless ``text`` says whether such a difference counts.
    """
    fields = _answer_fields(message)
    if len(set(map(_normalize, fields))) > 1:
        return undecided(f"several answers: {shorten(message)}", expected=answers, got=plain(message))
    answer = fields[0]
    normalized = _normalize(answer)
    accepted_forms = {_normalize(choice) for choice in answers}
    evidence = {"expected": answers, "got": plain(answer)}
    if normalized in accepted_forms or _normalize(_LEAD_IN.sub("", normalized, count=1)) in accepted_forms:
        has_form = text == "loose" or all(_has_accepted_form(field, answers) for field in fields)
        return PASSED if has_form else _finding_in_other_form(answer, text, evidence)
    if not normalized:
        return fault("agentic:no_last_message", "there is no answer", **evidence)
    mentioned = any(_mentions(normalized, choice) for choice in accepted_forms)
    if not mentioned and _is_refusal(normalized):
        return fault("agentic:answer_not_found", f"a refusal: {shorten(answer)}", **evidence)
    reason = "no accepted answer as such"
    if mentioned:
        reason = "an accepted answer is mentioned beside other words"
    elif any(_mentions(_normalize(message), choice) for choice in accepted_forms):
        reason = "an accepted answer is named beside the answer alone"
    return undecided(f"{reason}: {shorten(answer)}", **evidence)


def _answer_fields(message: str) -> list[str]:
    """Return the ``answer`` fields of a message that is an object, else the message.

    An object may repeat the key; parsers differ in which value counts, so all are returned.
    """
    text = message.strip().strip("`").removeprefix("json").strip()
    if not text.startswith("{"):
        return [message]
    for read in (_json_pairs, _literal_pairs):
        try:
            pairs = read(text)
        except (ValueError, RecursionError, DecodingError, TypeError, MemoryError):
            continue
        answers = [value for key, value in pairs if key == "answer"]
        if answers:
            return list(map(_answer_text, answers))
    return [message]


def _answer_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else shorten(value)


def _json_pairs(text: str) -> list[tuple[str, Any]]:
    """Return the keys and values of a JSON object, repeated keys too."""
    pairs: list[tuple[str, Any]] = []

    def keep(object_pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        pairs[:] = object_pairs  # the hook is called for nested objects first, for the outermost one last
        return dict(object_pairs)

    json.loads(text, object_pairs_hook=keep)
    return pairs


def _literal_pairs(text: str) -> list[tuple[Any, Any]]:
    """Return the keys and values of a Python dictionary, repeated keys too."""
    literal = parse_expression(text)
    # A key is None where ``**`` unpacks another dictionary.
    if not isinstance(literal, ast.Dict) or None in literal.keys:
        return []
    keys = [ast.literal_eval(key) for key in literal.keys if key is not None]
    return [*zip(keys, map(ast.literal_eval, literal.values), strict=True)]


def _finding_in_other_form(answer: str, text: TextRule | None, evidence: dict[str, Any]) -> Finding:
    reason = f"another form of an accepted code: {shorten(answer)}"
    return (
        fault("agentic:answer_not_found", reason, **evidence)
        if text == "exact"
        else differing(reason, **evidence)
    )


def _has_accepted_form(answer: str, answers: list[str]) -> bool:
    """Return whether a loosely accepted answer has the form of an accepted code."""
    forms = {_trim(answer), _trim(_LEAD_IN.sub("", _trim(answer), count=1))}
    normalized_forms = set(map(_normalize, forms))
    matching = [choice for choice in answers if _normalize(choice) in normalized_forms]
    return any(not is_code(choice) or _trim(choice) in forms for choice in matching)


def _normalize(text: str) -> str:
    return _trim(" ".join(normalize("NFC", text).lower().split()))


def _trim(text: str) -> str:
    """Unify quotes and accents, and strip surrounding blanks, quotes and periods."""
    text = normalize("NFC", text).replace("'", '"').replace("\N{RIGHT SINGLE QUOTATION MARK}", '"').strip()
    # A period may be inside or outside of the quotes: "Lisbon." or "Lisbon".
    while text != (stripped := text.strip('"`*').removesuffix(".").strip()):
        text = stripped
    return text


def _mentions(message: str, choice: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(choice)}(?!\w)", message) is not None


def _is_refusal(answer: str) -> bool:
    # The "but" of "I'm sorry, but I don't know" contradicts nothing.
    without_apology = answer.removeprefix('i"m sorry, but').removeprefix("sorry, but")
    if len(answer) > _MAX_REFUSAL_LENGTH or _CONTRADICTION.search(without_apology):
        return False
    clauses = [clause.strip() for clause in _CLAUSE_ENDS.split(answer) if clause.strip()]
    return bool(clauses) and all(_REFUSAL.fullmatch(clause) for clause in clauses)


def check_answers(case: Case, output: Output, options: CheckOptions) -> Finding:
    """Check whether an output gives an accepted answer.

    The answer is the last text of the output's turns, or its text.
    """
    if output.agent_turns is not None:
        turns: list[list[Any]] = list(output.agent_turns)
        is_native = any(isinstance(step, list) for turn in turns for step in turn)
        if len(turns) == len(case.turns):  # a conversation: its last text is the answer
            turns = [[step for turn in turns for step in turn]]
    else:
        calls = [] if output.tool_calls is None else [output.tool_calls]
        turns = [[*calls, output.text or ""]]
        is_native = output.tool_calls is not None
    return check_steps(case, turns, mode="fc" if is_native else "prompt", options=options)


def check_steps(case: Case, result: Any, *, mode: Literal["prompt", "fc"], options: CheckOptions) -> Finding:
    """Check turns of raw steps.

    An answer has exactly one turn. Another number means that the system failed; it is graded 0.
    """
    turns = cast("list[Any]", result) if isinstance(result, list) else []
    if len(turns) != 1 or not isinstance(turns[0], list | str | dict):
        return fault("agentic:inference_error", f"expected one turn of steps, got {shorten(result)}")
    steps = list(cast("list[Any]", turns[0]))
    reference = convert(case.reference, AnswerReference)
    if options.rules == "strict":
        offered = [tool["function"]["name"] for tool in case.tools]
        is_call = _is_never_call if mode == "fc" else partial(is_call_text, offered=offered)
        text = reference.text or options.text
        return check_answer_strictly(last_text(steps, is_call), reference.answers, text)
    message = last_message(steps, read_native if mode == "fc" else read_prompt)
    if not message:
        return fault("agentic:no_last_message", f"the last message is empty, among {len(steps)} steps")
    return check_answer(message, reference.answers)


def last_message(steps: list[Any], read: ReplyReader) -> Any:
    """Return the last step that is not a call, or None if all steps are calls.

    As in BFCL, an empty step counts as a message, unlike in `last_text`.
    """
    return next((step for step in reversed(steps) if not calls_in(step, read)), None)


def check_answer(message: Any, answers: list[str]) -> Finding:
    """Check by BFCL's rule whether a message contains an accepted answer as whole words.

    The answer may be anywhere in the message, even in a denial. Letter case, kinds of quote, and ``, . / - _ * ^ ( )`` are ignored.
    """
    if isinstance(message, list):
        message = cast("list[Any]", message)[0]  # as BFCL does
    text = _standardize_as_bfcl(message if isinstance(message, str) else str(message))
    for answer in answers:
        if _whole_words(_standardize_as_bfcl(answer)).search(text):
            return PASSED
    accepted = ", ".join(map(shorten, answers))
    return fault(
        "agentic:answer_not_found",
        f"none of {accepted} in {shorten(message)}",
        expected=answers,
        got=plain(message),
    )


def _is_never_call(_text: str) -> bool:
    """Return False: a system with native calls writes no calls as text."""
    return False


def calls_in(step: Any, read: ReplyReader) -> list[str]:
    """Return the call texts of one step, or none if it cannot be read."""
    try:
        return read(step)
    except (DecodingError, RecursionError, ValueError):
        return []


_IGNORED_MARKS = str.maketrans("'", '"', ",./-_*^()")
"""BFCL's table for `str.translate`: single quotes become double ones, the other marks are deleted."""


def _standardize_as_bfcl(text: str) -> str:
    return text.translate(_IGNORED_MARKS).lower()


@lru_cache(maxsize=4_096)
def _whole_words(answer: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(answer)}\b")
