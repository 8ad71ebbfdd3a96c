"""Translate requests to decision models into three dialects, and replies back.

A decision model is asked typed questions about material (the state), and answers with probabilities. No other module depends on a
dialect. The `Reply.text` is JSON in a form of our own: the answer to each question, or null without one. `decision_scores` checks
the answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import msgspec

from ..as_json import dumps, replace_surrogates
from .completion import cached_tokens, error_in, field_of, token_count
from .exchange import ApiName, CallError, Reply, Request
from .responses_api import Api

DecisionApi: TypeAlias = Literal["systemone", "decisions", "gemini"]
QuestionType: TypeAlias = Literal["yes_no", "choice", "score"]

DECISION_APIS: tuple[DecisionApi, ...] = ("systemone", "decisions", "gemini")
API_NAMES: tuple[ApiName, ...] = ("chat", *DECISION_APIS)

CANARY = "end_of_material"
"""Name of the last entry of a long state, and of the question whether that entry is there."""
CANARY_BYTES = 6_000
"""States of this size get a canary: some servers were seen to read only about 2,000 tokens, without an error."""

_MAX_BYTES_PER_TOKEN = 10
"""With more bytes for each counted token, the server cannot have read the whole request; prose has four to five."""
_MIN_COMPARED_BYTES = 2_000
"""In shorter requests, tokens are not compared with bytes, since servers count different overheads."""
_REPEATED_SIGN = re.compile(rb"([^A-Za-z0-9])\1+")
"""A repeated sign, as in padding. Any number of repetitions may be a single token."""


class Question(NamedTuple):
    """One question to a decision model.

    Attributes:
        name: Its name; models do not see it.
        type: ``yes_no``, ``choice`` among options, or ``score`` among ordered levels.
        ask: The instructions.
        options: Labels with descriptions: of choices, of levels from the lowest, or of ``true`` and ``false``.
    """

    name: str
    type: QuestionType
    ask: str
    options: Mapping[str, str | None]


def compile_request(
    api: DecisionApi, state: Mapping[str, Any], questions: Sequence[Question]
) -> dict[str, Any]:
    """Return the body of a request in a dialect, without the model.

    The state is JSON in all of them, so that no text in it can pose as another entry or as a question.
    """
    if api == "systemone":
        return {"state": dict(state), "questions": _question_map(questions)}
    if api == "gemini":
        return {"input": dumps(state), "questions": _question_map(questions)}
    return {"input": dumps(state), "questions": [_list_question(question) for question in questions]}


def with_canary(
    state: Mapping[str, Any], questions: Sequence[Question], code: str
) -> tuple[Mapping[str, Any], Sequence[Question]]:
    """Add a code to the end of a long state, and a question that asks whether it is there.

    The answer shows whether the server has cut off the end.
    """
    if len(dumps(state).encode("utf-8", "surrogatepass")) < CANARY_BYTES:
        return state, questions
    ask = f"Is there an entry `{CANARY}` in the material, and does it say exactly `{code}`?"
    canary = Question(
        CANARY, "yes_no", ask, {"true": "the entry says this", "false": "no such entry, or another text"}
    )
    return {**state, CANARY: code}, [*questions, canary]


def _question_map(questions: Sequence[Question]) -> dict[str, Any]:
    return {question.name: _map_question(question) for question in questions}


def _map_question(question: Question) -> dict[str, Any]:
    """Return a question in the form of systemone and Gemini."""
    if question.type == "score":
        levels = [_described(label, text) for label, text in question.options.items()]
        return {"type": "score", "instructions": question.ask, "criteria": levels}
    kind = (
        "noul" if question.type == "yes_no" else "choice"
    )  # `noul` is these dialects' name of a yes/no question
    criteria = {"criteria": dict(question.options)} if question.options else {}
    return {"type": kind, "instructions": question.ask, **criteria}


def _described(label: str, text: str | None) -> str:
    return label if text is None else f"{label}: {text}"


def _list_question(question: Question) -> dict[str, Any]:
    """Return a question in OpenAI's form, with a yes/no question's criteria in its instructions."""
    if question.type == "yes_no":
        labels = {"true": "True", "false": "False"}
        criteria = [f"{labels[name]}: {text}" for name, text in question.options.items() if text]
        ask = " ".join([question.ask, *(criterion.rstrip(".") + "." for criterion in criteria)])
        return {"type": "predicate", "name": question.name, "instructions": ask}
    list_name, key = ("levels", "label") if question.type == "score" else ("choices", "value")
    options = [
        {key: label, **({} if text is None else {"description": text})}
        for label, text in question.options.items()
    ]
    return {"type": question.type, "name": question.name, "instructions": question.ask, list_name: options}


def decision_api(request: Request, path: str | None) -> Api:
    """Return the API of a request for decisions; ``path`` overrides the dialect's path."""
    default_path = "systemone" if request.api == "systemone" else "decisions"
    return Api(path or default_path, Request.body, partial(read_decisions, request=request))


def read_decisions(payload: object, request: Request) -> Reply:
    """Read the body of a reply.

    Raises:
        CallError: There are no answers (retryable), or the server read only a part of the material.
    """
    body = _unwrapped(payload)
    answers = field_of(body, "answers")
    usage = field_of(body, "usage")
    served_by = field_of(body, "model")
    prompt_tokens = token_count(usage, "input_tokens") or token_count(usage, "prompt_tokens")
    reply = Reply(
        served_by=replace_surrogates(served_by) if isinstance(served_by, str) and served_by else None,
        prompt_tokens=prompt_tokens,
        cached_tokens=cached_tokens(usage, prompt_tokens),
        completion_tokens=token_count(usage, "output_tokens") or token_count(usage, "completion_tokens"),
    )
    # Gemini reports a blocked prompt in a successful response.
    if not answers and (refusal := _filter_refusal(body)):
        return msgspec.structs.replace(reply, refusal=refusal)
    if not isinstance(answers, dict | list):
        raise CallError(f"the response has no answers: {error_in(body) or 'no reason given'}", retryable=True)
    _require_whole_material(request, prompt_tokens)
    questions = asked_in(request)
    by_name = _by_name(cast("Any", answers), [question.name for question in questions])
    read_answers = {question.name: _answer(question, by_name.get(question.name)) for question in questions}
    if CANARY in read_answers:
        _require_end(read_answers.pop(CANARY))
    return msgspec.structs.replace(reply, text=replace_surrogates(msgspec.json.encode(read_answers).decode()))


def _unwrapped(payload: object) -> object:
    """Return the body inside Cloudflare's envelope ``{result, success, errors}``."""
    result = field_of(payload, "result")
    has_envelope = field_of(payload, "answers") is None and isinstance(result, dict)
    return cast("object", result) if has_envelope else payload


def _filter_refusal(body: object) -> str | None:
    feedback = field_of(body, "prompt_feedback") or field_of(body, "promptFeedback")
    reason = field_of(feedback, "block_reason") or field_of(feedback, "blockReason")
    return f"stopped by the provider's content filter: {reason}" if reason else None


def _require_whole_material(request: Request, counted: int) -> None:
    """Refuse a reply if the server counted far fewer tokens than the request has."""
    sent = msgspec.json.encode(request.parameters)
    too_long = max(_MIN_COMPARED_BYTES, counted * _MAX_BYTES_PER_TOKEN + 1)
    if counted and len(sent) >= too_long and (size := len(_REPEATED_SIGN.sub(rb"\1", sent))) >= too_long:
        raise CallError(
            f"the server read {counted:,} tokens of a request of {size:,} bytes: it cut the material off, so this is no verdict on it"
        )


def _require_end(canary: Mapping[str, Any] | None) -> None:
    """Refuse a reply that does not confirm that the end of the material was there."""
    p = None if canary is None else canary.get("p")
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
        raise CallError(
            "the server does not answer whether the end of the material is there, so it may have cut it off",
            retryable=True,
        )
    if p < 0.5:  # noqa: PLR2004 - more likely than not
        raise CallError(
            f"the model denies the last entry of the material (p = {p:.2f}): the server cut it off, or the model does not read so long a text"
        )


def asked_in(request: Request) -> list[Question]:
    """Return the questions in a request's body. They have names, types and labels, but no texts."""
    questions: Any = request.parameters["questions"]
    if isinstance(questions, list):
        return [_asked_in_list(question) for question in cast("list[dict[str, Any]]", questions)]
    return [_asked_in_map(name, question) for name, question in questions.items()]


def _asked_in_list(entry: Mapping[str, Any]) -> Question:
    if entry["type"] == "predicate":
        return Question(entry["name"], "yes_no", "", {})
    key, label = ("levels", "label") if entry["type"] == "score" else ("choices", "value")
    return Question(entry["name"], entry["type"], "", {option[label]: None for option in entry[key]})


def _asked_in_map(name: str, entry: Mapping[str, Any]) -> Question:
    match entry["type"]:
        case "noul":
            return Question(name, "yes_no", "", {})
        case "score":
            return Question(name, "score", "", {str(level): None for level in range(len(entry["criteria"]))})
        case _:
            return Question(name, "choice", "", dict.fromkeys(entry["criteria"]))


def _by_name(answers: dict[str, Any] | list[Any], names: Sequence[str]) -> Mapping[str, Any]:
    """Return the answers by question; a list without names is in the order of the questions.

    A question with two answers counts as unanswered.
    """
    if isinstance(answers, dict):
        return answers
    named: dict[str, Any] = {}
    for answer in answers:
        if isinstance(name := field_of(answer, "name"), str):
            named[name] = None if name in named else answer
    if not named and len(answers) == len(names):
        return dict(zip(names, answers, strict=True))
    return named


_TYPES: Mapping[str, QuestionType] = {
    "noul": "yes_no",
    "predicate": "yes_no",
    "choice": "choice",
    "score": "score",
}


def _answer(question: Question, answer: object) -> dict[str, Any] | None:
    """Return one answer in our own form, or None if missing or of another type."""
    kind = field_of(answer, "type")
    if kind == "refusal":
        return {"refused": True}
    if not isinstance(answer, dict) or (kind is not None and _TYPES.get(str(kind)) != question.type):
        return None
    fields = cast("dict[str, Any]", answer)
    if question.type == "yes_no":
        p = fields.get("noul")
        return {"p": _scalar(fields.get("probability") if p is None else p)}
    received: dict[str, Any] = {}
    for label, p in _distribution(fields.get("probabilities"), by_value=question.type == "choice"):
        # Two probabilities of one label are replaced by a text, which `decision_scores` refuses.
        received[label] = "two of them" if label in received else p
    labels = list(question.options)
    # Levels are named by their position, their only name in two of the dialects.
    own_labels = map(str, range(len(labels))) if question.type == "score" else labels
    probabilities = {
        own_label: received.get(label) for own_label, label in zip(own_labels, labels, strict=True)
    }
    unexpected = sorted(replace_surrogates(label) for label in received.keys() - set(labels))
    return {"probabilities": probabilities, **({"unexpected": unexpected} if unexpected else {})}


def _distribution(probabilities: object, *, by_value: bool) -> Iterator[tuple[str, Any]]:
    """Yield labels with their probabilities, from a map or from OpenAI's list."""
    if isinstance(probabilities, dict):
        for label, p in cast("dict[Any, Any]", probabilities).items():
            yield str(label), _scalar(p)
    elif isinstance(probabilities, list):
        for item in cast("list[Any]", probabilities):
            label = field_of(item, "value" if by_value else "label")
            if isinstance(label, str):
                yield label, _scalar(field_of(item, "probability"))


def _scalar(value: Any) -> Any:
    """Return a number unchanged, or anything else as a short text, which is refused later.

    Integers beyond the exact range of floats become texts, too.
    """
    if value is None or isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 53):
        return value
    return replace_surrogates(str(value)[:40])
