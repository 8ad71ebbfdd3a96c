"""Scripts for `ProviderServer`: a decision model's answers, in the request's dialect."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from provider_server import Body, Response, Script, Seen

Decide: TypeAlias = Callable[[str, Mapping[str, Any]], Any]
"""Function from a question's name and fields to p, a distribution, or None for no answer."""

REFUSED = "refused"
"""Answer that only OpenAI's dialect has."""


def deciding(decide: Decide, *, model: str = "jev-1.13.0", **usage: int) -> Script:
    """Return a script that answers each question; `usage` replaces the counted tokens."""

    def script(seen: Seen) -> Response:
        questions: Any = seen.body["questions"]
        listed = not hasattr(questions, "items")
        named: dict[str, Any] = (
            {question["name"]: question for question in questions} if listed else questions
        )
        answers = {name: answer(each, decide(name, each)) for name, each in named.items()}
        given = {name: each for name, each in answers.items() if each is not None}
        counted = {"input_tokens": len(seen.raw) // 4, "output_tokens": len(named)} | usage
        body = [{"name": name, **each} for name, each in given.items()] if listed else given
        return Body(json.dumps({"model": model, "answers": body, "usage": counted}).encode())

    return script


def answer(question: Mapping[str, Any], decided: Any) -> dict[str, Any] | None:  # noqa: PLR0911 - one for each form
    """Return an answer as a server writes it."""
    if decided is None:
        return None
    if decided == REFUSED:
        return {"type": "refusal"}
    match question["type"]:
        case "noul":
            return {"type": "noul", "noul": decided}
        case "predicate":
            return {"type": "predicate", "probability": decided}
        case kind if "criteria" in question:
            return {"type": kind, kind: "", "probabilities": decided, "confidence": 0.123}
        case "choice":
            listed = [{"value": label, "probability": p} for label, p in decided.items()]
            return {"type": "choice", "choice": "", "confidence": 0.123, "probabilities": listed}
        case kind:
            levels = [each["label"] for each in question["levels"]]
            listed = [
                {"label": levels[int(level)], "value": int(level), "probability": p}
                for level, p in decided.items()
            ]
            return {"type": kind, "score": 0.0, "confidence": 0.123, "probabilities": listed}
