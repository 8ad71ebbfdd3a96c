"""Convert the ``.prompty`` files of other tools: promptflow, prompty 2, azure-ai-evaluation.

The template is copied verbatim. The model's location (``configuration``, ``connection``), which may contain API keys, is dropped. The
form of replies is read from the template: Azure's tags, a JSON object, or a label such as ``Score:`` (`labelled_score`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from ..errors import InputError
from ..records.scale import Scale
from ..records.typed_values import convert
from ..spelling import setting
from .front_matter import FrontMatter, read_front_matter
from .prompt_file import TYPES
from .prompt_inputs import INPUTS, LISTS, nearest_input
from .prompt_scale import listed_scale, scale_of, scale_text, suggested_scale
from .prompt_text import PromptText

T = TypeVar("T")

_PARAMETERS = {
    "maxOutputTokens": "max_completion_tokens",
    "topP": "top_p",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
    "reasoningEffort": "reasoning_effort",
    "stopSequences": "stop",
    "topK": None,
    "allowMultipleToolCalls": None,
    "additionalProperties": None,
    "model": None,
    "messages": None,
    "stream": None,
}
"""Names at the endpoint of prompty 2's decoding parameters; None for those that a prompt file cannot set."""

_SCHEMA_TYPES = {"float": "number", "int": "integer", "list": "array", "dict": "object", "bool": "boolean"}
_AZURE_TAG = re.compile(r"<(S[012])>")
_SCORE_OBJECT = re.compile(r'\{(?=[^{}]{0,500}"score"\s{0,8}:)[^{}]{0,1000}')
_REASONS = ("reason", "reasoning", "explanation", "rationale", "justification")


def import_prompty(path: Path, sources: Mapping[str, str], scale: Scale | None = None) -> str:
    """Convert another tool's prompt file to the text of a prompt file.

    Args:
        path: The other tool's file.
        sources: The fiducial input that fills each of its inputs. An input that is not listed must have the name of a fiducial
            input, or a default.
        scale: The scale, or None if the file declares one.
    """
    return prompty_text(read_front_matter(path), sources, scale)


def prompty_text(front: FrontMatter, sources: Mapping[str, str], scale: Scale | None = None) -> str:
    """Convert another tool's prompt, already split, to the text of a prompt file."""
    _require_jinja(front)
    inputs = _inputs(front)
    source_of = _sources(front, inputs, sources)
    parameters = _parameters(front)
    parse = _field(front, "parse", dict[str, Any]) or _inferred_parse(front.body, parameters)
    return str(
        PromptText(
            name=str(front.values.get("name") or front.path.stem),
            description=str(front.values.get("description") or f"Imported from {front.path.name}."),
            parameters=parameters,
            inputs={
                name: _fillable(declared, source_of.get(name, name)) for name, declared in inputs.items()
            },
            scale=scale or _scale(front, parameters, parse or {}),
            template=front.body,
            sources=source_of,
            parse=parse,
            pass_at=_field(front, "pass_at", float),
        )
    )


def _field(front: FrontMatter, key: str, kind: type[T]) -> T | None:
    """Return a value of the front matter, or None if it is missing; refuse another type."""
    if front.values.get(key) is None:
        return None
    try:
        return convert(front.values[key], kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{key}: {error}", path=front.path) from error


def _require_jinja(front: FrontMatter) -> None:
    template = front.values.get("template")
    template_format = _mapping(template).get("format") if isinstance(template, dict) else template
    kind = _mapping(template_format).get("kind") if isinstance(template_format, dict) else template_format
    if kind not in (None, "jinja2"):
        raise InputError(f"the template is {kind!r}; only jinja2 can be converted", path=front.path)


def _inputs(front: FrontMatter) -> dict[str, dict[str, Any]]:
    """Return the inputs' types and defaults by name, without examples."""
    inputs: Any = front.values.get("inputs", front.values.get("inputSchema"))
    if isinstance(_mapping(inputs).get("properties"), dict | list):
        inputs = inputs["properties"]
    # promptflow maps names to inputs; prompty 2 lists them, or has a JSON schema.
    if isinstance(inputs, list):
        by_name = {
            str(_mapping(input_).get("name")): _mapping(input_) for input_ in cast("list[Any]", inputs)
        }
    else:
        by_name = {str(name): _mapping(declared) for name, declared in _mapping(inputs).items()}
    return {
        name: {"type": _declared_type(declared)}
        | ({"default": declared["default"]} if declared.get("default") is not None else {})
        for name, declared in by_name.items()
    }


def _declared_type(declared: Mapping[str, Any]) -> str:
    """Return an input's declared type, or ``string`` if it declares none or several."""
    kind = declared.get("type") or declared.get("kind")
    return kind if isinstance(kind, str) else "string"


def _fillable(declared: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return the input with a type that its source can have: a list for some, else a string."""
    is_list = source in LISTS and declared["type"] in {"list", "array"}
    fits = is_list or source not in INPUTS or declared["type"] not in TYPES
    return dict(declared) if fits else {**declared, "type": "string"}


def _parameters(front: FrontMatter) -> dict[str, Any]:
    """Return the decoding parameters under the endpoint's names.

    What prompty 2 declares as ``outputs`` becomes the ``response_format``.
    """
    model = _mapping(front.values.get("model"))
    options = {**_mapping(model.get("options")), **_mapping(model.get("parameters"))}
    renamed = {_PARAMETERS.get(name, name): value for name, value in options.items()}
    parameters = {name: value for name, value in renamed.items() if name is not None and value is not None}
    parameters |= _mapping(options.get("additionalProperties"))
    outputs = front.values.get("outputs")
    if isinstance(outputs, list) and outputs and "response_format" not in parameters:
        parameters["response_format"] = _response_format(cast("list[Any]", outputs))
    return {str(name): value for name, value in parameters.items()}


def _response_format(outputs: list[Any]) -> dict[str, Any]:
    """Return the ``response_format`` for the outputs that prompty 2 declares."""
    properties = {str(output.get("name")): _property(output) for output in map(_mapping, outputs)}
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}


def _property(declared: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(declared.get("kind") or declared.get("type") or "string")
    schema: dict[str, Any] = {"type": _SCHEMA_TYPES.get(kind, kind)}
    if isinstance(declared.get("description"), str):
        schema["description"] = declared["description"]
    values = declared.get("enumValues") or declared.get("enum")
    return schema | ({"enum": values} if isinstance(values, list) else {})


def _scale(front: FrontMatter, parameters: Mapping[str, Any], parse: Mapping[str, Any]) -> Scale | None:
    """Return the declared scale, or None if only the ``response_format`` declares one."""
    if front.values.get("scale") is not None:
        try:
            return scale_of(front.values["scale"])
        except ValueError as error:
            raise InputError(f"scale: {error}", path=front.path) from error
    if listed_scale(parameters, str(parse.get("score", "score"))) is None:
        suggested, reason = suggested_scale(front.body)
        raise InputError(
            f"the possible scores are not declared; say {scale_text(suggested)} ({reason}; the worst first)",
            path=front.path,
        )
    return None


def _sources(
    front: FrontMatter, inputs: Mapping[str, Mapping[str, Any]], overrides: Mapping[str, str]
) -> dict[str, str]:
    """Return the fiducial input for each input of another name; ``overrides`` win."""
    for name, source in overrides.items():
        if name not in inputs:
            names = ", ".join(inputs) or "none"
            raise InputError(
                f"{setting('input', f'{name}={source}')}: the prompt declares no input {name!r}; its inputs: {names}",
                path=front.path,
            )
    sources = {**_mapping(front.values.get("map")), **overrides}
    unfilled = [name for name in inputs if name not in sources and name not in INPUTS]
    if unknown := [name for name in unfilled if "default" not in inputs[name]]:
        options = " ".join(setting("input", f"{name}={nearest_input(name) or 'NAME'}") for name in unknown)
        raise InputError(
            f"nothing fills the input {', '.join(map(repr, unknown))}; say {options} (inputs that exist: {', '.join(INPUTS)})",
            path=front.path,
        )
    return {name: source for name, source in sources.items() if name != source}


def _inferred_parse(template: str, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    parse = _tags(template) or _json_reply(template)
    return parse or (None if "response_format" in parameters else labelled_score(template))


def _tags(template: str) -> dict[str, Any] | None:
    """Return the parse settings for Azure's tags, if the template shows them.

    S0 is for thoughts, S1 for an explanation, S2 for the score.
    """
    tags = sorted(set(_AZURE_TAG.findall(template)))
    if "S2" not in tags:
        return None
    reasons = [tag for tag in tags if tag != "S2"]
    return {"mode": "tags", "score": "S2"} | ({"reason": reasons} if reasons else {})


def _json_reply(template: str) -> dict[str, Any] | None:
    """Return the parse settings for a JSON reply, if the template shows an object with a score."""
    example = _SCORE_OBJECT.search(template)
    if example is None:
        return None
    reason = next((name for name in _REASONS if f'"{name}"' in example[0]), None)
    return {"mode": "json", "score": "score"} | ({} if reason is None else {"reason": reason})


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


_SCORE_WORD = r"(?:(?:[Ff]inal|FINAL|[Oo]verall|OVERALL|[Tt]otal|TOTAL)[ ])?(?:[Ss]core|SCORE|[Rr]ating|RATING|[Gg]rade|GRADE):"
_REASON_LABEL = (
    r"(?:[Rr]eason(?:ing)?|[Ee]xplanation|[Rr]ationale|[Jj]ustification|[Ff]eedback|[Tt]houghts?):"
)
_LINE_START = r"[ \t>*_-]{0,8}"
_SCORE_LABEL = re.compile(
    rf"""["'`\u201c]({_SCORE_WORD})                             # in quotes: reply with "Score:" and a number
    | ^{_LINE_START}({_SCORE_WORD})[*_]{{0,2}}[ \t]{{0,4}}(?=        # or a line of its own, before
        [<\[({{]                                         # a placeholder,
      | [-+]?[\d.]{{1,8}}(?:[ ]?(?:-|\u2013|to)[ ]?[\d.]{{1,8}})?[ \t]*$     # an example, a range
      | [NX_]{{1,8}}[ \t]*$                               # or a blank
    )
    | ^{_LINE_START}{_REASON_LABEL}[^\n]{{0,400}}\n{_LINE_START}({_SCORE_WORD})     # or the line after one for the reason
    """,
    re.VERBOSE | re.MULTILINE,
)
_REASON_LINE = re.compile(rf"(?:^{_LINE_START}|[\"'`\u201c]){_REASON_LABEL}", re.MULTILINE)


def labelled_score(template: str) -> dict[str, Any] | None:
    """Return the parse settings for a number after a label, such as ``Score:``.

    Return None if the reason follows the score, since no parser reads that. A label at the end of a prompt does not count: it only
    cues the reply.
    """
    labels = list(_SCORE_LABEL.finditer(template))
    if not labels or _REASON_LINE.search(template, labels[-1].end()):
        return None
    return {"mode": "number", "after": next(filter(None, labels[-1].groups()))}
