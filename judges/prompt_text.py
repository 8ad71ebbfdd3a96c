"""Write prompt files that promptflow and prompty load too, and list portability problems.

A portability problem is a reason why one of these tools cannot load a file, or makes other messages of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ..records.scale import Scale
from .prompt_file import PromptFile
from .prompt_scale import scale_line

_UNQUOTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_YAML_KEYWORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
"""Words that YAML 1.1 reads as booleans or null, so that a text of this form needs quotes."""

_PROMPTY_TYPES = {
    "list": "array",
    "dict": "object",
    "int": "integer",
    "bool": "boolean",
    "double": "float",
    "number": "float",
}
"""Prompty's names for promptflow's types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptText:
    """Content of a prompt file to be written, in the terms of `PromptFile`.

    Attributes:
        inputs: Inputs by name, each with ``type`` and perhaps ``default``.
        sources: The fiducial input for each input of another name.
        scale: Possible scores, or None if the decoding parameters declare them.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    inputs: Mapping[str, Mapping[str, Any]]
    scale: Scale | None
    template: str
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    parse: Mapping[str, Any] | None = None
    pass_at: float | None = None

    def __str__(self) -> str:
        lines = [
            "---",
            f"name: {json.dumps(self.name, ensure_ascii=False)}",
            f"description: {json.dumps(self.description, ensure_ascii=False)}",
            "model:",
            "  api: chat",
            f"  parameters: {_flow(self.parameters)}",
            "inputs:" if self.inputs else "inputs: {}",
            *(
                f"  {name}: {_flow({**declared, 'kind': _PROMPTY_TYPES.get(declared['type'], declared['type'])})}"
                for name, declared in self.inputs.items()
            ),
            "template: {format: {kind: jinja2}, parser: {kind: prompty}}",
            *([] if self.scale is None else [scale_line(self.scale)]),
            *([] if self.parse is None else [f"parse: {_flow(self.parse)}"]),
            *([] if self.pass_at is None else [f"pass_at: {self.pass_at:g}"]),
            *([f"map: {_flow(self.sources)}"] if self.sources else []),
            "---",
        ]
        return "\n".join(lines) + "\n" + self.template


def _flow(value: Any) -> str:
    """Return a value in YAML's flow style, on one line; simple words are not quoted."""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return "{" + ", ".join(f"{_flow(str(key))}: {_flow(item)}" for key, item in items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, cast("Sequence[Any]", value))) + "]"
    if isinstance(value, str) and _UNQUOTED.fullmatch(value) and value.lower() not in _YAML_KEYWORDS:
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


_LINE_OF_DASHES = re.compile(r"(?<!-)-{3,}+\n")
_DEVELOPER_ROLE = re.compile(r"^[ \t]*+(?:#[ \t]*+)?developer[ \t]*+:[ \t]*+\n", re.IGNORECASE | re.MULTILINE)
_JINJA_STATEMENT = re.compile(r"\{%|\{#")


def portability_problems(prompt: PromptFile) -> list[str]:
    """Return the portability problems of a prompt, one sentence each."""
    problems: list[str] = []
    if _LINE_OF_DASHES.search(prompt.template):
        problems.append("a line of the template ends in three dashes: promptflow ends the front matter there")
    if _DEVELOPER_ROLE.search(prompt.template):
        problems.append("the template has a developer message: promptflow does not know that role")
    if _JINJA_STATEMENT.search(prompt.template):
        problems.append(
            "the template has jinja statements or comments: prompty keeps the line breaks after them"
        )
    if not prompt.names_template_format:
        problems.append("there is no `template: {format: {kind: jinja2}, ...}`: prompty needs one")
    if any(not declared.has_kind for declared in prompt.inputs.values()):
        problems.append("an input lacks `kind`: prompty reads the type from there")
    return problems
