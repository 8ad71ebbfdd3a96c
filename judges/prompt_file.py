"""Prompt files: template, inputs, scale, and how replies are parsed.

The form is that of promptflow's ``.prompty`` files, with additional keys that promptflow and prompty ignore (``scale``, ``parse``,
``pass_at``, ``map``, ``kinds``, ``images``, ``each``, ``decision``)::

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
    pass_at: 1.0
    map: {question: query}
    kinds: [open_answer]
    images: true
    ---
    user:
    {{query}} {{question}}
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import msgspec

from ..records import Kind, is_kind, unknown_kind
from ..records.scale import PASS_OR_FAIL, Scale
from ..records.score_kinds import GRADES, PROBABILITIES, ScoreKind
from ..records.typed_values import convert
from .decision_block import PARTED, DecisionBlock, read_decision_block
from .front_matter import FrontMatter, read_front_matter
from .prompt_scale import declared_scale

T = TypeVar("T")

_PROBABILITY_SCALE = Scale(0, 1, None)

_KEYS = ("name", "description", "version", "authors", "tags", "model", "inputs", "outputs", "sample", "template", "metadata", "scale", "scores", "parse", "pass_at", "map", "kinds", "images", "each", "decision")  # fmt: skip
STATEMENTS = "statements"
"""The mode of prompts that split an answer instead of judging it."""

CRITERIA = "criteria"
"""The mode of prompts that ask about all criteria of a rubric at once."""

STEP = "step"
"""The mode of prompts that name the first wrong step of a trajectory."""

DECISION = "decision"
"""The mode of questions to a decision model; see `decision_block`."""

_RESERVED_FIELDS = {"model", "messages", "stream"}
"""Fields of a request that a prompt file cannot set, since they are no decoding parameters."""
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
"""Types of inputs under their names in promptflow and in JSON schema."""


@dataclass(frozen=True, slots=True)
class InputDeclaration:
    """One input of a prompt.

    Attributes:
        type: One of `TYPES`.
        default: Value for an item that lacks the input.
        required: Whether there is no default.
        has_kind: Whether the type is declared as ``kind`` too, the key that prompty reads.
        source: The fiducial input that fills it, by ``map``, or None if it has the same name.
    """

    type: str = "string"
    default: Any = None
    required: bool = True
    has_kind: bool = True
    source: str | None = None


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A valid prompt file.

    Attributes:
        path: The file it was read from.
        name: Display name.
        description: Description in one sentence.
        inputs: Declared inputs by name.
        parameters: Decoding parameters, sent unchanged.
        scale: Possible scores. A prompt that splits answers gives no score; its scale is 0 and 1.
        scores: Declared kind of score, such as probabilities, or None if the file does not declare it.
        pass_at: Pass threshold in (0, 1], or None if the file declares none.
        parse: Settings of the reply parser, or None if the file declares none.
        lines: 1-based line of each top-level key of the front matter.
        template: The text below the front matter.
        template_line: 1-based line on which the template begins.
        names_template_format: Whether the file declares the template's language, which prompty requires.
        kinds: Kinds of case that the prompt judges, or None for every kind.
        images: Whether images of an item are sent, as content parts.
        by_criterion: Whether the prompt is asked about each criterion of a rubric separately.
        decision: Questions to a decision model, or None if the file has none.
    """

    path: Path
    name: str
    description: str
    inputs: Mapping[str, InputDeclaration]
    parameters: Mapping[str, Any]
    scale: Scale
    pass_at: float | None
    parse: Mapping[str, Any] | None
    lines: Mapping[str, int]
    template: str
    template_line: int
    names_template_format: bool
    kinds: frozenset[Kind] | None = None
    images: bool = False
    by_criterion: bool = False
    decision: DecisionBlock | None = None
    scores: ScoreKind | None = None

    @property
    def only_decides(self) -> bool:
        """True if the file has questions to a decision model but no template."""
        return self.decision is not None and not self.template.strip()

    def for_decisions(self) -> Self:
        """Return the prompt for a decision model: its inputs are the entries of the state."""
        assert self.decision is not None
        inputs = {
            name: InputDeclaration("object", required=required, source=PARTED.get(name))
            for name, required in self.decision.state.items()
        }
        return replace(
            self,
            inputs=inputs,
            parameters={},
            scale=_PROBABILITY_SCALE,
            parse={"mode": DECISION},
            template="",
        )

    @property
    def mode(self) -> str | None:
        """Declared mode of parsing replies, or None if the file declares none."""
        return (self.parse or {}).get("mode")

    @property
    def shown(self) -> set[str]:
        """The fiducial inputs that the prompt shows, under any name."""
        return {declared.source or name for name, declared in self.inputs.items()}


def read_prompt_file(path: Path) -> PromptFile:
    """Read and check a ``.prompty`` file.

    Raises:
        PromptError: The file is invalid; the message names file and line.
    """
    return prompt_of(read_front_matter(path))


def prompt_of(front: FrontMatter) -> PromptFile:
    """Check the front matter and the template of a prompt file; see `read_prompt_file`."""
    for key in front.values:
        if key not in _KEYS:
            raise front.fault(f"unknown key; {_suggestion(key, _KEYS)}", key)
    parameters = _parameters(front)
    inputs = _inputs(front)
    parse = _field(front, "parse", dict[str, Any], {}) if "parse" in front.values else None
    splits = (parse or {}).get("mode") == STATEMENTS
    if (parse or {}).get("mode") == DECISION:  # set by `for_decisions` alone
        raise front.fault("mode decision is that of a decision: block, which needs no parse", "parse")
    decision = read_decision_block(front)
    without_template = decision is not None and not front.body.strip()
    prompt = PromptFile(
        path=front.path,
        name=_field(front, "name", str, front.path.stem),
        description=_field(front, "description", str, ""),
        inputs=inputs,
        parameters=parameters,
        scale=PASS_OR_FAIL if splits or without_template else declared_scale(front, parameters, parse or {}),
        pass_at=_pass_at(front),
        parse=parse,
        lines=front.lines,
        template=front.body,
        template_line=front.body_line,
        names_template_format="template" in front.values,
        kinds=_kinds(front),
        images=_field(front, "images", bool, default=False),
        by_criterion=_by_criterion(front, inputs, decision),
        decision=decision,
        scores=_score_kind(front),
    )
    return prompt.for_decisions() if without_template else prompt


def declared_parameters(path: Path) -> Mapping[str, Any]:
    """Return the decoding parameters of a prompt file, which may lack a scale.

    Raises:
        PromptError: The front matter or the parameters are invalid.
    """
    return _parameters(read_front_matter(path))


class _Input(msgspec.Struct):
    type: str | None = None
    kind: str | None = None
    default: Any = msgspec.UNSET


class _Model(msgspec.Struct):
    api: Literal["chat"] = "chat"
    parameters: dict[str, Any] = {}


class _ResponseFormat(msgspec.Struct):
    type: str


def _field(front: FrontMatter, key: str, kind: type[T], default: T) -> T:
    if front.values.get(key) is None:
        return default
    try:
        return convert(front.values[key], kind)
    except msgspec.ValidationError as error:
        # msgspec calls the value `$`.
        raise front.fault(str(error).replace("`$.", "`").replace("`$", f"`{key}"), key) from error


def _suggestion(name: str, names: Iterable[str]) -> str:
    names = list(names)
    close = difflib.get_close_matches(name, names, 1)
    return f"did you mean {close[0]}?" if close else f"known are {', '.join(names) or 'none'}"


def _inputs(front: FrontMatter) -> dict[str, InputDeclaration]:
    declared: dict[str, InputDeclaration] = {}
    sources = _field(front, "map", dict[str, str], {})
    for name, entry in _field(front, "inputs", dict[str, _Input], {}).items():
        if not name.isidentifier():
            raise front.fault(f"{name!r} is not a name that a template can use", "inputs")
        kind = entry.type or entry.kind or "string"
        if kind not in TYPES:
            raise front.fault(f"{name}: unknown type {kind!r}; known are {', '.join(TYPES)}", "inputs")
        required = entry.default is msgspec.UNSET
        default = None if required else entry.default
        declared[name] = InputDeclaration(
            kind, default, required, has_kind=entry.kind is not None, source=sources.get(name)
        )
    for name in sorted(sources.keys() - declared.keys()):
        raise front.fault(f"the prompt declares no input {name!r}; {_suggestion(name, declared)}", "map")
    return declared


def _parameters(front: FrontMatter) -> Mapping[str, Any]:
    parameters = _field(front, "model", _Model, _Model()).parameters
    for name in sorted(_RESERVED_FIELDS & parameters.keys()):
        raise front.fault(f"parameters: {name} cannot be set in a prompt file", "model")
    try:
        json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise front.fault(f"parameters cannot be sent as JSON: {error}", "model") from error
    response_format: Any = parameters.get("response_format")
    try:
        convert(response_format, _ResponseFormat | None)
    except msgspec.ValidationError as error:
        raise front.fault("parameters: response_format must be a mapping with a type", "model") from error
    return parameters


def _pass_at(front: FrontMatter) -> float | None:
    if front.values.get("pass_at") is None:
        return None
    pass_at = _field(front, "pass_at", float, 1.0)
    if not 0 < pass_at <= 1:
        raise front.fault(
            f"expected a score above 0 and at most 1, since scores are converted to [0, 1], got {pass_at:g}",
            "pass_at",
        )
    return pass_at


def _score_kind(front: FrontMatter) -> ScoreKind | None:
    kind = front.values.get("scores")
    if kind is None or kind in (PROBABILITIES, GRADES):
        return kind
    raise front.fault(f"expected {PROBABILITIES} or {GRADES}, got {kind!r}", "scores")


def _by_criterion(
    front: FrontMatter, inputs: Mapping[str, InputDeclaration], decision: DecisionBlock | None
) -> bool:
    if front.values.get("each") is None:
        return False
    if front.values["each"] != "criterion":
        raise front.fault(f"expected criterion, got {front.values['each']!r}", "each")
    shown = {declaration.source or name for name, declaration in inputs.items()}
    if decision is not None:
        shown.update(decision.state)
    if "criterion" not in shown:
        raise front.fault(
            "asking about each criterion needs the input criterion, which the prompt does not declare", "each"
        )
    return True


def _kinds(front: FrontMatter) -> frozenset[Kind] | None:
    kinds = _field(front, "kinds", list[str], [])
    for kind in kinds:
        if not is_kind(kind):
            raise front.fault(unknown_kind(kind), "kinds")
    return frozenset(kinds) or None
