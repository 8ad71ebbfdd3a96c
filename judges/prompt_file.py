"""A prompt file: what it asks for, with which inputs, on which scale, and how its reply is read.

The form is that of promptflow's ``.prompty`` files, with two keys of our own that promptflow and prompty pass over::

    ---
    name: Tool call accuracy
    description: One sentence.
    model:
      api: chat
      parameters: {temperature: 0.0}
    inputs:
      query: {type: string, kind: string}
    template: {format: {kind: jinja2}, parser: {kind: prompty}}
    scale: {minimum: 0, maximum: 1, step: 1}
    parse: {mode: tags, score: S2, reason: S1}
    ---
    user:
    {{query}}
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from .front_matter import FrontMatter, read_front_matter
from .scale import Scale

T = TypeVar("T")

_KEYS = (
    "name",
    "description",
    "version",
    "authors",
    "tags",
    "model",
    "inputs",
    "outputs",
    "sample",
    "template",
    "metadata",
    "scale",
    "parse",
)
_NOT_PARAMETERS = {"model", "messages", "stream"}
TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "list": (list,),
    "array": (list,),
    "object": (dict,),
    "dict": (dict,),
    "int": (int,),
    "integer": (int,),
    "float": (int, float),
    "double": (int, float),
    "number": (int, float),
    "bool": (bool,),
    "boolean": (bool,),
}
"""Types an input may declare, in promptflow's and in JSON schema's words."""


@dataclass(frozen=True, slots=True)
class InputDeclaration:
    """One input of a prompt.

    Attributes:
        type: One of `TYPES`.
        default: Used when no value is given.
        required: Whether there is no default.
        has_kind: Whether the type is also given as ``kind``, where prompty looks for it.
    """

    type: str = "string"
    default: Any = None
    required: bool = True
    has_kind: bool = True


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt file, checked.

    Attributes:
        path: Where it was read from.
        name: For people.
        description: For people.
        inputs: Declared inputs by name.
        parameters: Decoding parameters, sent as they are.
        scale: What scores are possible.
        parse: How the reply is read, as declared; None when the file does not say.
        parse_line: 1-based line on which it says so; 1 when it does not.
        template: The text below the front matter.
        template_line: 1-based line on which it begins.
        names_template_format: Whether it says in which language the template is, as prompty needs.
        names_scale: Whether it declares a scale; 0 or 1 is taken when it does not.
    """

    path: Path
    name: str
    description: str
    inputs: Mapping[str, InputDeclaration]
    parameters: Mapping[str, Any]
    scale: Scale
    parse: Mapping[str, Any] | None
    parse_line: int
    template: str
    template_line: int
    names_template_format: bool
    names_scale: bool


def read_prompt_file(path: Path) -> PromptFile:
    """Read and check a prompt file.

    Args:
        path: A ``.prompty`` file.

    Returns:
        What it says.

    Raises:
        PromptError: Naming file and line.
    """
    front = read_front_matter(path)
    for key in front.values:
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; known are {', '.join(_KEYS)}"
            raise front.fault(f"unknown key{hint}", key)
    return PromptFile(
        path=path,
        name=_field(front, "name", str, path.stem),
        description=_field(front, "description", str, ""),
        inputs=_inputs(front),
        parameters=_parameters(front),
        scale=_scale(front),
        parse=_field(front, "parse", dict[str, Any], {}) if "parse" in front.values else None,
        parse_line=front.lines.get("parse", 1),
        template=front.body,
        template_line=front.body_line,
        names_template_format="template" in front.values,
        names_scale="scale" in front.values,
    )


class _Input(msgspec.Struct):
    type: str | None = None
    kind: str | None = None
    default: Any = msgspec.UNSET


class _Model(msgspec.Struct):
    api: Literal["chat"] = "chat"
    parameters: dict[str, Any] = {}


class _Scale(msgspec.Struct, forbid_unknown_fields=True):
    minimum: float = 0.0
    maximum: float = 1.0
    step: float | None = None


def _field(front: FrontMatter, key: str, kind: type[T], default: T) -> T:
    """One key of the front matter, as what it should be."""
    if front.values.get(key) is None:
        return default
    try:
        return msgspec.convert(front.values[key], kind)
    except msgspec.ValidationError as error:
        raise front.fault(str(error).replace("`$.", "`").replace("`$", f"`{key}"), key) from error


def _inputs(front: FrontMatter) -> dict[str, InputDeclaration]:
    declared: dict[str, InputDeclaration] = {}
    for name, entry in _field(front, "inputs", dict[str, _Input], {}).items():
        if not name.isidentifier():
            raise front.fault(f"{name!r} is not a name that a template can use", "inputs")
        kind = entry.type or entry.kind or "string"
        if kind not in TYPES:
            raise front.fault(f"{name}: unknown type {kind!r}; known are {', '.join(TYPES)}", "inputs")
        required = entry.default is msgspec.UNSET
        default = None if required else entry.default
        declared[name] = InputDeclaration(kind, default, required, has_kind=entry.kind is not None)
    return declared


def _parameters(front: FrontMatter) -> Mapping[str, Any]:
    parameters = _field(front, "model", _Model, _Model()).parameters
    for name in _NOT_PARAMETERS & parameters.keys():
        raise front.fault(f"parameters: {name} is not for the prompt file to set", "model")
    try:
        json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise front.fault(f"parameters: they cannot be sent as JSON: {error}", "model") from error
    response_format: Any = parameters.get("response_format")
    if response_format is not None and not (isinstance(response_format, dict) and "type" in response_format):
        raise front.fault("parameters: response_format is a mapping with a type", "model")
    return parameters


def _scale(front: FrontMatter) -> Scale:
    if "scale" not in front.values:
        return Scale()
    declared = _field(front, "scale", _Scale, _Scale())
    scale = Scale(declared.minimum, declared.maximum, declared.step)
    if not all(map(math.isfinite, (scale.minimum, scale.maximum, scale.step or 0.0))):
        raise front.fault("minimum, maximum and step are finite numbers", "scale")
    if scale.maximum <= scale.minimum or (scale.step is not None and scale.step <= 0):
        raise front.fault("minimum must be below maximum, and step above 0", "scale")
    if scale.maximum not in scale:
        raise front.fault("the steps from minimum do not reach maximum", "scale")
    return scale
