"""Three dialects of decision models: typed questions in, probabilities out.

Requests and replies are translated here, so that no other module depends on a dialect. A reply's text is JSON of our own: by
question, what was answered, null where nothing was. Values are passed on as they are; `decision_scores` validates them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import msgspec

from ..as_json import dumps, well_formed
from .completion import cached_tokens, error_in, field_of, token_count
from .exchange import ApiName, CallError, Reply, Request
from .responses_api import Api

DecisionApi: TypeAlias = Literal["systemone", "decisions", "gemini"]
QuestionType: TypeAlias = Literal["yes_no", "choice", "score"]

DECISION_APIS: tuple[DecisionApi, ...] = ("systemone", "decisions", "gemini")
API_NAMES: tuple[ApiName, ...] = ("chat", *DECISION_APIS)

CANARY = "end_of_material"
"""Last entry of a long state, and the question whether it is there."""
CANARY_BYTES = 6_000
"""Bytes of a state from which it ends with a canary; servers were seen to read about 2,000 tokens and say nothing."""

_BYTES_PER_TOKEN = 10
"""Bytes of a token beyond which a server cannot have read the whole request; prose has four to five."""
_MIN_BYTES = 2_000
"""Bytes of a request below which tokens are not compared, since servers count different overheads."""
_RUN = re.compile(rb"([^A-Za-z0-9])\1+")
"""A run of one sign, such as padding, which may be a single token."""


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


def compiled(api: DecisionApi, state: Mapping[str, Any], questions: Sequence[Question]) -> dict[str, Any]:
    """Return the fields of a request, in a dialect, without the model.

    The material is always JSON, so that no text in it can pose as another entry or as a question.
    """
    if api == "systemone":
        return {"state": dict(state), "questions": _question_map(questions)}
    if api == "gemini":
        return {"input": dumps(state), "questions": _question_map(questions)}
    return {"input": dumps(state), "questions": [_listed(question) for question in questions]}


def with_canary(
    state: Mapping[str, Any], questions: Sequence[Question], code: str
) -> tuple[Mapping[str, Any], Sequence[Question]]:
    """Add a code to the end of a long state, and the question whether it is there.

    A server that cuts the state is noticed by the answer.
    """
    if len(dumps(state).encode("utf-8", "surrogatepass")) < CANARY_BYTES:
        return state, questions
    ask = f"Is there an entry `{CANARY}` in the material, and does it say exactly `{code}`?"
    canary = Question(
        CANARY, "yes_no", ask, {"true": "the entry says this", "false": "no such entry, or another text"}
    )
    return {**state, CANARY: code}, [*questions, canary]


def _question_map(questions: Sequence[Question]) -> dict[str, Any]:
    return {question.name: _mapped(question) for question in questions}


def _mapped(question: Question) -> dict[str, Any]:
    """Return a question as systemone and Gemini have it."""
    if question.type == "score":
        levels = [_described(label, text) for label, text in question.options.items()]
        return {"type": "score", "instructions": question.ask, "criteria": levels}
    kind = "noul" if question.type == "yes_no" else "choice"
    criteria = {"criteria": dict(question.options)} if question.options else {}
    return {"type": kind, "instructions": question.ask, **criteria}


def _described(label: str, text: str | None) -> str:
    return label if text is None else f"{label}: {text}"


def _listed(question: Question) -> dict[str, Any]:
    """Return a question as OpenAI has it; its yes/no questions have no place for criteria."""
    if question.type == "yes_no":
        named = {"true": "True", "false": "False"}
        criteria = [f"{named[name]}: {text}" for name, text in question.options.items() if text]
        ask = " ".join([question.ask, *(criterion.rstrip(".") + "." for criterion in criteria)])
        return {"type": "predicate", "name": question.name, "instructions": ask}
    name, key = ("levels", "label") if question.type == "score" else ("choices", "value")
    options = [
        {key: label, **({} if text is None else {"description": text})}
        for label, text in question.options.items()
    ]
    return {"type": question.type, "name": question.name, "instructions": question.ask, name: options}


def decision_api(request: Request, path: str | None) -> Api:
    """Return the API of a request for decisions; ``path`` overrides the dialect's."""
    usual = "systemone" if request.api == "systemone" else "decisions"
    return Api(path or usual, Request.body, partial(read_decisions, request=request))


def read_decisions(payload: object, request: Request) -> Reply:
    """Read the body of a reply; any body without answers is a retryable error.

    Raises:
        CallError: There are no answers, or the server read only a part of the material.
    """
    body = _unwrapped(payload)
    answers = field_of(body, "answers")
    usage = field_of(body, "usage")
    served_by = field_of(body, "model")
    prompt_tokens = token_count(usage, "input_tokens") or token_count(usage, "prompt_tokens")
    reply = Reply(
        served_by=well_formed(served_by) if isinstance(served_by, str) and served_by else None,
        prompt_tokens=prompt_tokens,
        cached_tokens=cached_tokens(usage, prompt_tokens),
        completion_tokens=token_count(usage, "output_tokens") or token_count(usage, "completion_tokens"),
    )
    if not answers and (blocked := _blocked(body)):
        return msgspec.structs.replace(reply, refusal=blocked)
    if not isinstance(answers, dict | list):
        raise CallError(f"the response has no answers: {error_in(body) or 'no reason given'}", retryable=True)
    _require_whole(request, prompt_tokens)
    asked = asked_in(request)
    found = _by_name(cast("Any", answers), [question.name for question in asked])
    read = {question.name: _answer(question, found.get(question.name)) for question in asked}
    if CANARY in read:
        _require_end(read.pop(CANARY))
    return msgspec.structs.replace(reply, text=well_formed(msgspec.json.encode(read).decode()))


def _unwrapped(payload: object) -> object:
    """Return the body inside Cloudflare's envelope ``{result, success, errors}``."""
    inner = field_of(payload, "result")
    enveloped = field_of(payload, "answers") is None and isinstance(inner, dict)
    return cast("object", inner) if enveloped else payload


def _blocked(body: object) -> str | None:
    """Return why a content filter gave no answers at all, if one did."""
    feedback = field_of(body, "prompt_feedback") or field_of(body, "promptFeedback")
    reason = field_of(feedback, "block_reason") or field_of(feedback, "blockReason")
    return f"stopped by the provider's content filter: {reason}" if reason else None


def _require_whole(request: Request, counted: int) -> None:
    """Refuse a reply to a request of which the server counted far fewer tokens than it has."""
    sent = msgspec.json.encode(request.parameters)
    least = max(_MIN_BYTES, counted * _BYTES_PER_TOKEN + 1)
    if counted and len(sent) >= least and (size := len(_RUN.sub(rb"\1", sent))) >= least:
        raise CallError(
            f"the server read {counted:,} tokens of a request of {size:,} bytes: it cut the material off, so this is no verdict on it"
        )


def _require_end(canary: Mapping[str, Any] | None) -> None:
    """Refuse a reply that does not say that the end of the material was there."""
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
    """Return the questions of a request, by names, types and labels alone."""
    questions: Any = request.parameters["questions"]
    if isinstance(questions, list):
        return [_asked_in_list(question) for question in cast("list[dict[str, Any]]", questions)]
    return [_asked_in_map(name, each) for name, each in questions.items()]


def _asked_in_list(entry: Mapping[str, Any]) -> Question:
    if entry["type"] == "predicate":
        return Question(entry["name"], "yes_no", "", {})
    key, label = ("levels", "label") if entry["type"] == "score" else ("choices", "value")
    return Question(entry["name"], entry["type"], "", {each[label]: None for each in entry[key]})


def _asked_in_map(name: str, entry: Mapping[str, Any]) -> Question:
    match entry["type"]:
        case "noul":
            return Question(name, "yes_no", "", {})
        case "score":
            return Question(name, "score", "", {str(level): None for level in range(len(entry["criteria"]))})
        case _:
            return Question(name, "choice", "", dict.fromkeys(entry["criteria"]))


def _by_name(answers: dict[str, Any] | list[Any], names: Sequence[str]) -> Mapping[str, Any]:
    """Return answers by question; a list without names has the questions' order.

    A question that is answered twice has no answer.
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
    """Return one answer as we write it, or None if missing or to another type of question."""
    kind = field_of(answer, "type")
    if kind == "refusal":
        return {"refused": True}
    if not isinstance(answer, dict) or (kind is not None and _TYPES.get(str(kind)) != question.type):
        return None
    fields = cast("dict[str, Any]", answer)
    if question.type == "yes_no":
        p = fields.get("noul")
        return {"p": _scalar(fields.get("probability") if p is None else p)}
    given: dict[str, Any] = {}
    for label, p in _distribution(fields.get("probabilities"), by_value=question.type == "choice"):
        given[label] = "two of them" if label in given else p
    labels = list(question.options)
    probabilities = {label: given.get(label) for label in labels}
    if question.type == "score":  # levels have no other name in two of the dialects
        probabilities = {str(level): given.get(label) for level, label in enumerate(labels)}
    unexpected = sorted(well_formed(label) for label in given.keys() - set(labels))
    return {"probabilities": probabilities, **({"unexpected": unexpected} if unexpected else {})}


def _distribution(given: object, *, by_value: bool) -> Iterator[tuple[str, Any]]:
    """Yield labels with their probabilities, of a map or of OpenAI's list."""
    if isinstance(given, dict):
        for label, p in cast("dict[Any, Any]", given).items():
            yield str(label), _scalar(p)
    elif isinstance(given, list):
        for each in cast("list[Any]", given):
            label = field_of(each, "value" if by_value else "label")
            if isinstance(label, str):
                yield label, _scalar(field_of(each, "probability"))


def _scalar(value: Any) -> Any:
    """Return a number, or the beginning of anything else, which is no probability."""
    if value is None or isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 53):
        return value
    return well_formed(str(value)[:40])
