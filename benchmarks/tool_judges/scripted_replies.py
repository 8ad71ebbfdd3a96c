"""Scripted model: replies in the form that a request prescribes, without meaning.

They show that rounds close. No row of a page may be made of them: they name `SCRIPTED` as their model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

from fiducial.judges.transport.decision_apis import asked_in
from fiducial.judges.transport.exchange import Reply, Request

from .known_replies import SCRIPTED
from .replaying_server import forced_function

_FORMS: tuple[tuple[str, str], ...] = (
    ("GRADE: $LETTER", "It matches.\nGRADE: LETTER"),
    ("<S2>", "<S0>Let's think: scripted.</S0>\n<S1>Scripted.</S1>\n<S2>LEVEL</S2>"),
    ("status", '{"reason": "Scripted.", "score": LEVEL, "status": "completed"}'),
    ("", '{"reason": "Scripted.", "pass": BOOLEAN, "score": DIGIT}'),
)
"""Replies to prompts that prescribe their form in words: a text in the prompt, and the reply."""


def scripted_reply(request: Request) -> Reply:
    """Return a reply in the form that a request prescribes; the same one to the same request."""
    draw = int(hashlib.sha256(request.key.encode()).hexdigest(), 16)
    if request.api != "chat":
        return Reply(text=json.dumps(_decided(request)), served_by=SCRIPTED)
    schema = _schema(request.parameters) or _written_schema(request)
    if schema is not None:
        return Reply(text=json.dumps(_filled(schema, schema, draw)), finish_reason="stop", served_by=SCRIPTED)
    prompt = json.dumps(request.messages)
    text = next(form for part, form in _FORMS if part in prompt)
    drawn = {"LETTER": "CI"[draw % 2], "LEVEL": 1 + draw % 5, "BOOLEAN": ("false", "true")[draw % 2]}
    for name, value in {**drawn, "DIGIT": draw % 2}.items():
        text = text.replace(name, str(value))
    return Reply(text=text, finish_reason="stop", served_by=SCRIPTED)


def _decided(request: Request) -> dict[str, Any]:
    """Return p 0.5 for each question, or the same p for each option."""
    return {
        question.name: {"p": 0.5}
        if question.type == "yes_no"
        else {"probabilities": dict.fromkeys(question.options, 1 / len(question.options))}
        for question in asked_in(request)
    }


def _schema(parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema that a reply must follow: of a JSON reply, or of a forced function."""
    wanted: Any = parameters.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        return wanted["json_schema"].get("schema")
    forced = forced_function(parameters)
    tools: Any = parameters.get("tools") or []
    functions = [tool["function"] for tool in tools if tool["function"]["name"] == forced]
    return functions[0]["parameters"] if functions else None


def _written_schema(request: Request) -> dict[str, Any] | None:
    """Return the schema that a prompt holds as text after the word json_schema, if one does."""
    for message in request.messages:
        content = message.get("content")
        _, found, after = content.partition("json_schema") if isinstance(content, str) else ("", "", "")
        if found and "{" in after:
            with suppress(ValueError):
                return json.JSONDecoder().raw_decode(after[after.index("{") :])[0]
    return None


def _filled(schema: Mapping[str, Any], root: Mapping[str, Any], draw: int) -> Any:  # noqa: PLR0911 - one for each type
    """Return a value of a JSON schema; choices fall by ``draw``."""
    if "$ref" in schema:
        return _filled(_at(root, str(schema["$ref"])), root, draw)
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if choices:
        return choices[draw % len(choices)]
    combined = schema.get("anyOf") or schema.get("allOf") or schema.get("oneOf")
    if combined:
        return _filled(combined[0], root, draw)
    match schema.get("type", "object"):
        case "object":
            fields = cast("Mapping[str, Any]", schema.get("properties", {}))
            return {name: _filled(each, root, draw) for name, each in fields.items()}
        case "array":
            return [_filled(schema.get("items", {"type": "string"}), root, draw)]
        case "boolean":
            return draw % 2 == 0
        case "integer" | "number":
            low = int(schema.get("minimum", 0))
            return low + draw % (int(schema.get("maximum", low + 1)) - low + 1)
        case "null":
            return None
        case _:
            return "yes"


def _at(root: Mapping[str, Any], reference: str) -> Mapping[str, Any]:
    found: Any = root
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found
