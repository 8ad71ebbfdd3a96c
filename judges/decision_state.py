"""The request to a decision model about one output: material as JSON, and questions.

The material of a request is called its state. Its entries are inputs of prompts, some of them in another form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..records import Case, Output
from ..records.output import steps_by_turn, turns_asked
from .as_json import dumps, replace_surrogates
from .decision_block import MAX_OPTIONS, PARTED, DecisionBlock
from .decision_forms import FormedItem, request_in_form
from .media import require_sendable, shown_among, with_marks
from .prompt_inputs import fence_for
from .prompt_variables import INPUT_BUILDERS, InputBuilder, NotApplicableError
from .transport.decision_apis import CANARY_BYTES, DecisionApi, compile_request, with_canary

STATE_VERSION = 1
"""Version of how the material is written, part of a judge's fingerprint."""

_MAX_PARTS = 60
"""Maximum number of parts of an entry, each of which may be a question: servers take 64 questions or more."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_JSON_LINES = frozenset({"transcript", "steps"})
"""Inputs that are texts of JSON lines in prompts, and lists in a state."""


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
    """Return the body of the request about one output, without the model's name.

    Args:
        block: The questions.
        api: The dialect.
        builders: Functions that make the entries of the state.
        case: The case.
        output: The output.
        how: Advice for an error: how to make the judge send images.
        form: Form of the request; empty for the usual one.

    Raises:
        NotApplicableError: The item lacks an entry, its agent took too many steps, or the form does not apply to its questions.
    """
    item = with_marks(case, output)
    values = _entries(block, builders, item.case, item.output)
    require_sendable(shown_among(item.media, values), images=False, how=how)
    steps = sum(steps_by_turn(case, output)) if block.names_steps else 0
    if steps >= MAX_OPTIONS:
        raise NotApplicableError(
            f"{steps} steps are more than the {MAX_OPTIONS - 1} that a decision model chooses among"
        )
    text = replace_surrogates(dumps(values))
    state: dict[str, Any] = json.loads(text)
    parts = {name: state[name] for name in PARTED.keys() & state.keys()}
    questions = block.questions_for(parts, steps)
    if not form:
        if len(text.encode()) < CANARY_BYTES:
            return compile_request(api, state, questions)
        return compile_request(api, *with_canary(state, questions, fence_for([text])))
    request = request_in_form(form, state, questions, FormedItem(fence_for([text]), case.id))
    if request is None:
        raise NotApplicableError("the questions about this output have no such form")
    return compile_request(api, request.state, request.questions)


def _entries(
    block: DecisionBlock, builders: Mapping[str, InputBuilder], case: Case, output: Output
) -> dict[str, Any]:
    """Return the entries of the state, without optional ones that the item lacks."""
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
    """Return the builders of entries: those of prompts' inputs, some of them replaced."""
    return {
        **builders,
        **{name: _lines_decoded(builders[name]) for name in _JSON_LINES},
        "search_results": _search_results,
        "statements": _statements,
        "requests": _requests,
    }


ENTRIES = frozenset({*INPUT_BUILDERS, *PARTED})
"""Names of entries that a state may have."""


def _lines_decoded(build: InputBuilder) -> InputBuilder:
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
    """Return the answer's sentences by number; in a very long answer, groups of sentences."""
    answer = INPUT_BUILDERS["response"](case, output)
    sentences = [part.strip() for part in _SENTENCE_END.split(str(answer)) if part.strip()]
    if not sentences:
        raise NotApplicableError("the answer is empty")
    group_size = -(-len(sentences) // _MAX_PARTS)  # rounded up
    starts = range(0, len(sentences), group_size)
    groups = [" ".join(sentences[start : start + group_size]) for start in starts]
    return {str(number): group for number, group in enumerate(groups, 1)}


def _requests(case: Case, output: Output) -> dict[str, str]:
    """Return the user's messages by number."""
    requests = [
        content if isinstance(content := message.get("content"), str) else dumps(content)
        for turn in turns_asked(case, output)
        for message in turn
        if message.get("role") == "user" and message.get("content")
    ]
    if not requests:
        raise NotApplicableError("nothing was asked: the case has no message of a user")
    if len(requests) > _MAX_PARTS:
        raise NotApplicableError(
            f"{len(requests)} requests are more than the {_MAX_PARTS} that are asked about at once"
        )
    return {str(number): request for number, request in enumerate(requests, 1)}
