"""Writes a prompt file in the form that promptflow and prompty load, too."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from .declared_scale import scale_line
from .scale import Scale

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NOT_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
"""Words that YAML 1.1 reads as something else than a text."""

_KINDS = {
    "list": "array",
    "dict": "object",
    "int": "integer",
    "bool": "boolean",
    "double": "float",
    "number": "float",
}
"""What prompty calls the types of promptflow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptText:
    """What a prompt file is to say.

    Attributes:
        name: For people.
        description: For people.
        parameters: Decoding parameters.
        inputs: Inputs by name, each with ``type`` and perhaps ``default``.
        sources: The inputs of ours that fill those with names of their own.
        scale: What scores are possible; None when the decoding parameters say it.
        parse: How the reply is read; None when the prompt itself tells.
        pass_at: From which score on a verdict passes; None when it does not say.
        template: The messages, with the lines that open them.
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
                f"  {name}: {_flow({**said, 'kind': _KINDS.get(said['type'], said['type'])})}"
                for name, said in self.inputs.items()
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
    """The value in YAML's form for one line; plain words without quotes."""
    if isinstance(value, Mapping):
        said = cast("Mapping[str, Any]", value)
        return "{" + ", ".join(f"{_flow(str(key))}: {_flow(each)}" for key, each in said.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, cast("Sequence[Any]", value))) + "]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NOT_WORDS:
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
