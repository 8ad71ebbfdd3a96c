"""Judge inputs given by name: convert them into a case and an output.

The inputs may have any common format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import msgspec

from ..errors import FiducialError, UsageError
from ..judges.as_json import JsonList, json_lines
from ..judges.catalogue import find_prompt
from ..judges.prompt_file import PromptFile, read_prompt_file
from ..judges.prompt_inputs import FENCES
from ..judges.prompt_variables import INPUT_BUILDERS, InputBuilder
from ..records import Case, ContextItem, Output, RowContents, kind_of_row, nearest
from .conversation_forms import context_of, parsed_calls, question_messages, split_conversation, tools_of

NAME = "call"
"""Name of case and system in verdicts on inputs given by name."""

_SUBSTITUTES: Mapping[str, frozenset[str]] = {
    "messages": frozenset({"query"}),
    "query": frozenset({"messages"}),
    "question": frozenset({"messages", "query"}),
    "transcript": frozenset({"messages", "query", "response"}),
}
"""Inputs that can be built from others, each with those that suffice alone."""


class NamedItem(NamedTuple):
    """Inputs given by name, ready for a judge.

    Attributes:
        case: The case, with the fields that were given.
        output: The output.
        shown: Inputs that the prompt shows unchanged.
    """

    case: Case
    output: Output
    shown: Mapping[str, InputBuilder]


def named_item(inputs: Mapping[str, Any], prompt: PromptFile | None, by: str) -> NamedItem:
    """Read inputs by name: the standard ones, or the prompt's.

    ``prompt`` is None for the word overlap baseline. An input that is None counts as left out.

    Raises:
        UsageError: An input is unknown to the judge, missing, or of a type that it cannot have.
        InputError: A call, message or tool has an unknown format.
    """
    inputs = {name: value for name, value in inputs.items() if value is not None}
    sources = dict.fromkeys(INPUT_BUILDERS) if prompt is None else _sources_of_prompt(prompt)
    values = {_standard_input(name, sources, by, prompt): value for name, value in inputs.items()}
    if prompt is not None:
        missing = [
            name
            for name, source in sources.items()
            if prompt.inputs[name].required
            and values.keys().isdisjoint(_SUBSTITUTES.get(str(source), frozenset()) | {source})
        ]
        if missing:
            raise UsageError(f"{by} needs {', '.join(missing)}; it takes {', '.join(sources)}")
    draft = _Draft(values)
    for name, value in values.items():
        _READERS.get(name, _add_unchanged)(draft, name, value)
    return draft.item()


def _sources_of_prompt(prompt: PromptFile) -> dict[str, str | None]:
    """Return the prompt's inputs, each with the standard input that fills it."""
    declared = prompt.inputs.items()
    filled_by = {name: prompt_input.source or name for name, prompt_input in declared}
    return {name: source for name, source in filled_by.items() if source not in FENCES}


def _standard_input(name: str, sources: Mapping[str, str | None], by: str, prompt: PromptFile | None) -> str:
    """Return the standard input of an argument, or raise a UsageError with a hint."""
    if name in sources:
        return sources[name] or name
    standard_inputs = set(sources.values())
    if name in standard_inputs or any(
        name in _SUBSTITUTES.get(str(source), ()) for source in standard_inputs
    ):
        return name
    known_inputs = _inputs_of_prompt(by) if prompt is None else sources
    synonym = next((known for known in known_inputs if name in _SYNONYMS.get(known, ())), None)
    hint = f"; {name!r} is {synonym} here" if synonym else nearest(name, known_inputs)
    raise UsageError(f"{by} takes {', '.join(sorted(known_inputs))}{hint or f', not {name!r}'}")


def _inputs_of_prompt(by: str) -> Iterable[str]:
    """Return the inputs of the prompt that a baseline replaces; all inputs if there is none."""
    try:
        return _sources_of_prompt(read_prompt_file(find_prompt(by.partition("/")[0])[1]))
    except FiducialError:
        return INPUT_BUILDERS


_SYNONYMS: Mapping[str, frozenset[str]] = {
    "search_results": frozenset(
        {"context", "contexts", "documents", "passages", "retrieved_contexts", "sources"}
    ),
    "response": frozenset({"answer", "completion", "output", "prediction", "text", "actual_output"}),
    "query": frozenset({"input", "prompt", "question", "user_input"}),
    "accepted_answers": frozenset({"expected", "expected_answer", "ground_truth", "reference"}),
    "tool_definitions": frozenset({"functions", "tools"}),
    "tool_calls": frozenset({"calls"}),
    "messages": frozenset({"chat", "conversation", "history"}),
}
"""Usual names of other tools for an input."""


class _Draft:
    """Item under construction: fields of its case and output, and inputs to show unchanged."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.case: dict[str, Any] = {}
        self.output: dict[str, Any] = {}
        self.shown: dict[str, Any] = {}

    def item(self) -> NamedItem:
        return NamedItem(
            Case(id=NAME, kind=kind_of_row(RowContents(context="context" in self.case)), **self.case),
            Output(case_id=NAME, system=NAME, **self.output),
            {name: _builder_of(value) for name, value in self.shown.items()},
        )


_Reader: TypeAlias = Callable[[_Draft, str, Any], None]
"""Function that adds the value of an input of this name to a draft."""


def _add_query(draft: _Draft, name: str, value: Any) -> None:
    if "messages" not in draft.values:
        draft.case["messages"] = question_messages(
            value if isinstance(value, str) else _as_list(name, value, _TEXT_OR_LIST)
        )
    else:
        draft.shown[name] = (
            value if isinstance(value, str) else str(json_lines(_as_list(name, value, _TEXT_OR_LIST)))
        )


def _add_messages(draft: _Draft, name: str, value: Any) -> None:
    # Steps of an agent in the messages are its output, unless another input gives that.
    requests, turns = split_conversation(_as_list(name, value))
    if any(turns) and "response" not in draft.values and "tool_calls" not in draft.values:
        draft.case["messages"], draft.output["turns"] = requests, turns
    else:
        draft.case["messages"] = question_messages(_as_list(name, value))


def _add_transcript(draft: _Draft, name: str, value: Any) -> None:
    if isinstance(value, str):
        draft.shown[name] = value
    else:
        draft.case["messages"], draft.output["turns"] = split_conversation(
            _as_list(name, value, _TEXT_OR_LIST)
        )


def _add_tool_calls(draft: _Draft, name: str, value: Any) -> None:
    if not isinstance(value, str):
        draft.output["tool_calls"] = parsed_calls(value)
    elif "response" in draft.values:  # a text of calls cannot be the output's text, too
        draft.shown[name] = JsonList([value], value)
    else:
        draft.output["text"] = value


def _add_tool_definitions(draft: _Draft, name: str, value: Any) -> None:
    definitions: list[Any] = (
        [value] if isinstance(value, Mapping) else _as_list(name, value, "a definition or a list of them")
    )
    draft.case["tools"] = tools_of(definitions)


def _add_response(draft: _Draft, name: str, value: Any) -> None:
    draft.output["text"] = _require_text(name, value)


def _add_search_results(draft: _Draft, name: str, value: Any) -> None:
    passages: list[Any] = [value] if isinstance(value, str) else _as_list(name, value, _TEXT_OR_LIST)
    draft.case["context"] = context_of(
        [msgspec.structs.asdict(item) if isinstance(item, ContextItem) else item for item in passages]
    )


def _add_accepted_answers(draft: _Draft, name: str, value: Any) -> None:
    answers = [value] if isinstance(value, str) else _as_list(name, value, _TEXT_OR_LIST)
    draft.case.setdefault("reference", {})["answers"] = [_require_text(name, answer) for answer in answers]


def _add_criterion(draft: _Draft, name: str, value: Any) -> None:
    draft.case.setdefault("reference", {})["criterion"] = _require_text(name, value)


def _add_criteria(draft: _Draft, name: str, value: Any) -> None:
    draft.case.setdefault("reference", {})["criteria"] = _as_list(name, value)


def _add_question(draft: _Draft, name: str, value: Any) -> None:
    draft.shown[name] = _require_text(name, value)


def _add_unchanged(draft: _Draft, name: str, value: Any) -> None:
    draft.shown[name] = value


_READERS: Mapping[str, _Reader] = {
    "accepted_answers": _add_accepted_answers,
    "criteria": _add_criteria,
    "criterion": _add_criterion,
    "messages": _add_messages,
    "query": _add_query,
    "question": _add_question,
    "response": _add_response,
    "search_results": _add_search_results,
    "tool_calls": _add_tool_calls,
    "tool_definitions": _add_tool_definitions,
    "transcript": _add_transcript,
}


def _builder_of(value: Any) -> InputBuilder:
    return lambda _case, _output: value


def _require_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name}: expected a text, got {type(value).__name__}")
    return value


_TEXT_OR_LIST = "a text or a list"


def _as_list(name: str, value: Any, expected: str = "a list") -> list[Any]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        kind = type(value).__name__  # pyright: ignore[reportUnknownArgumentType] - of anything
        raise UsageError(f"{name}: expected {expected}, got {kind}")
    return list(cast("Sequence[Any]", value))
