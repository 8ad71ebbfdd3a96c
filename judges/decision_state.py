"""Material for a decision model: inputs as JSON entries, and their numbered parts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..records import Case, Output
from ..records.output import steps_by_turn, turns_asked
from .as_json import dumps, well_formed
from .decision_block import MAX_OPTIONS, PARTED, DecisionBlock
from .decision_forms import FormedItem, formed
from .media import require_sendable, shown_among, with_marks
from .prompt_inputs import fence_for
from .prompt_variables import INPUT_BUILDERS, InputBuilder, NotApplicableError
from .transport.decision_apis import CANARY_BYTES, DecisionApi, compiled, with_canary

STATE_VERSION = 1
"""Version of the form of the material, part of a judge's fingerprint."""

_MAX_PARTS = 60
"""Maximum number of parts; servers take 64 questions or more at once."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_JSON_LINES = frozenset({"transcript", "steps"})


def decision_request(
    block: DecisionBlock,
    api: DecisionApi,
    builders: Mapping[str, InputBuilder],
    case: Case,
    output: Output,
    *,
    how: str,
    form: str = "",
) -> dict[str, Any]:
    """Return the body of the request about one output, without the model.

    Args:
        block: The questions.
        api: The dialect.
        builders: Functions that make the entries of the state.
        case: The case.
        output: The output.
        how: Instruction to make a judge send images, for an item with one.
        form: Form of the request; empty for the usual one.

    Raises:
        NotApplicableError: The item lacks an entry, or has too many steps, or its request has no such form.
    """
    marked = with_marks(case, output)
    values = _filled(block, builders, marked.case, marked.output)
    require_sendable(shown_among(marked.media, values), images=False, how=how)
    steps = sum(steps_by_turn(case, output)) if block.names_steps else 0
    if steps >= MAX_OPTIONS:
        raise NotApplicableError(
            f"{steps} steps are more than the {MAX_OPTIONS - 1} that a decision model chooses among"
        )
    text = well_formed(dumps(values))
    state: dict[str, Any] = json.loads(text)
    questions = block.asked({name: state[name] for name in PARTED.keys() & state.keys()}, steps)
    if not form:
        if len(text.encode()) < CANARY_BYTES:
            return compiled(api, state, questions)
        return compiled(api, *with_canary(state, questions, fence_for([text])))
    other = formed(form, state, questions, FormedItem(fence_for([text]), case.id))
    if other is None:
        raise NotApplicableError("the questions about this output have no such form")
    return compiled(api, other.state, other.questions)


def _filled(
    block: DecisionBlock, builders: Mapping[str, InputBuilder], case: Case, output: Output
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, required in block.state.items():
        try:
            values[name] = builders[name](case, output)
        except RecursionError as error:
            raise NotApplicableError(f"{name} is nested too deeply to be shown") from error
        except NotApplicableError:
            if required:
                raise
    return values


def decision_builders(builders: Mapping[str, InputBuilder]) -> Mapping[str, InputBuilder]:
    """Return the builders of a state's entries, on top of those of prompts' inputs."""
    return {
        **builders,
        **{name: _decoded(builders[name]) for name in _JSON_LINES},
        "search_results": _search_results,
        "statements": _statements,
        "requests": _requests,
    }


ENTRIES = frozenset({*INPUT_BUILDERS, *PARTED})
"""Names of entries that a state may have."""


def _decoded(build: InputBuilder) -> InputBuilder:
    """Return a builder of the objects in a text with one JSON object a line."""

    def build_list(case: Case, output: Output) -> list[Any]:
        return [json.loads(line) for line in str(build(case, output)).split("\n") if line.strip()]

    return build_list


def _search_results(case: Case, output: Output) -> list[dict[str, Any]]:
    del output
    if not case.context:
        raise NotApplicableError("the case has no context to judge by")
    return [
        {
            name: value
            for name, value in (("index", item.id), ("request", item.request), ("content", item.content))
            if value is not None
        }
        for item in case.context
    ]


def _statements(case: Case, output: Output) -> dict[str, str]:
    """Return the answer's sentences, numbered; of very long answers, groups of them."""
    answer = INPUT_BUILDERS["response"](case, output)
    sentences = [part.strip() for part in _SENTENCE_END.split(str(answer)) if part.strip()]
    if not sentences:
        raise NotApplicableError("the answer is empty")
    together = -(-len(sentences) // _MAX_PARTS)
    groups = [" ".join(sentences[at : at + together]) for at in range(0, len(sentences), together)]
    return {str(number): group for number, group in enumerate(groups, 1)}


def _requests(case: Case, output: Output) -> dict[str, str]:
    """Return what the user asked, message by message, numbered."""
    asked = [
        content if isinstance(content := message.get("content"), str) else dumps(content)
        for turn in turns_asked(case, output)
        for message in turn
        if message.get("role") == "user" and message.get("content")
    ]
    if not asked:
        raise NotApplicableError("nothing was asked: the case has no message of a user")
    if len(asked) > _MAX_PARTS:
        raise NotApplicableError(
            f"{len(asked)} requests are more than the {_MAX_PARTS} that are asked about at once"
        )
    return {str(number): each for number, each in enumerate(asked, 1)}
