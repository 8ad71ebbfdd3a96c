"""Inputs of prompts: their names, their values for an item, and fences.

A fence is a delimiter that a prompt puts around texts under evaluation, and that none of them contains.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import PromptError
from ..records import Case, Output
from .prompt_file import InputDeclaration, PromptFile
from .prompt_variables import INPUT_BUILDERS, InputBuilder, NotApplicableError

FENCE = "fence"
MATERIAL_FENCE = "material_fence"
FENCES = frozenset({FENCE, MATERIAL_FENCE})
"""The fence of all inputs; and that of the material alone, which is the same for all questions about it."""
INPUTS = (*INPUT_BUILDERS, FENCE, MATERIAL_FENCE)
LISTS = frozenset({"messages", "tool_calls", "tool_definitions", "accepted_answers"})
"""Inputs that a prompt may declare as lists; all others are texts."""

OTHER_NAMES = {
    "answer": "response",
    "chat_history": "messages",
    "completion": "response",
    "context": "search_results",
    "contexts": "search_results",
    "conversation": "messages",
    "documents": "search_results",
    "expected": "accepted_answers",
    "expected_output": "accepted_answers",
    "ground_truth": "accepted_answers",
    "input": "query",
    "output": "response",
    "prediction": "response",
    "prompt": "query",
    "reference": "accepted_answers",
    "rubric": "criterion",
    "tools": "tool_definitions",
    "trajectory": "transcript",
}
"""Inputs under their names in other tools."""

_FENCE_LENGTH = 20

_QUESTION_INPUTS = frozenset({"criterion", "criteria"})
"""Inputs that differ between questions about the same material, so that the material's fence does not depend on them."""


def fill_inputs(
    declared: Mapping[str, InputDeclaration],
    case: Case,
    output: Output,
    builders: Mapping[str, InputBuilder] | None = None,
) -> dict[str, Any]:
    """Fill the inputs that a prompt declares.

    Returns:
        Values by name, for rendering. Inputs that nothing fills are left out, so that rendering uses their defaults.
    """
    values: dict[str, Any] = {}
    for name, declaration in declared.items():
        build = (INPUT_BUILDERS if builders is None else builders).get(declaration.source or name)
        if build is None:
            continue
        try:
            value = build(case, output)
        except RecursionError as error:
            raise NotApplicableError(f"{name} is nested too deeply to be shown") from error
        except NotApplicableError:
            if declaration.required:
                raise
            value = declaration.default
        # A list has a text of its own (`JsonList`), which a template would print too.
        values[name] = str(value) if declaration.type == "string" else value
    sources = {name: declaration.source or name for name, declaration in declared.items()}
    texts = [str(value) for value in values.values()]
    material = [str(value) for name, value in values.items() if sources[name] not in _QUESTION_INPUTS]
    hashed_texts = {FENCE: texts, MATERIAL_FENCE: material}
    fences = {
        name: fence_for(hashed_texts[source], texts) for name, source in sources.items() if source in FENCES
    }
    return values | fences


def require_fillable(prompt: PromptFile) -> None:
    """Refuse a prompt with inputs that nothing fills."""
    for name, declaration in prompt.inputs.items():
        source = declaration.source or name
        key = "inputs" if declaration.source is None else "map"
        location = f"{prompt.path}:{prompt.lines.get(key, 1)}"
        if source not in INPUTS:
            if not declaration.required and declaration.source is None:
                continue
            raise PromptError(f"{location}: {unknown_input(name, declaration.source)}")
        if declaration.type != "string" and (
            source not in LISTS or declaration.type not in {"list", "array"}
        ):
            kind = "a list" if source in LISTS else "a text"
            raise PromptError(f"{location}: input {name}: {source} is {kind}, declared as {declaration.type}")


def unknown_input(name: str, source: str | None = None) -> str:
    """Return the error message for an input that nothing fills, with how to map it."""
    nearest = nearest_input(source or name)
    problem = (
        f"nothing fills the input {name!r}"
        if source is None
        else f"{name} is mapped to {source!r}, which is not an input"
    )
    hint = f"did you mean {nearest}? " if nearest else ""
    return (
        f"{problem}; {hint}say so in the front matter: map: {{{name}: {nearest or INPUTS[0]}}}, or give it a default "
        f"(inputs that exist: {', '.join(INPUTS)})"
    )


def nearest_input(name: str) -> str | None:
    """Return the fiducial input with the most similar name, or None if none is similar."""
    close = difflib.get_close_matches(name.lower(), [*INPUTS, *OTHER_NAMES], 1)
    return OTHER_NAMES.get(close[0], close[0]) if close else None


def fence_for(texts: Iterable[str], enclosed: Iterable[str] | None = None) -> str:
    """Derive a fence from texts, which occurs in none of them.

    It is a hash of the texts, so the author of one cannot include it. It is the same each time, so that requests can be cached and
    replayed.

    Args:
        texts: Texts to hash.
        enclosed: Texts that must not contain the fence, or None for the hashed ones.
    """
    parts = _encoded(texts)
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d:" % len(part))  # so that text moved from one part to the next changes the hash
        digest.update(part)
    enclosed_parts = parts if enclosed is None else _encoded(enclosed)
    while True:
        fence = digest.hexdigest()[:_FENCE_LENGTH]
        if not any(fence.encode() in part for part in enclosed_parts):
            return fence
        digest.update(b"again")


def _encoded(texts: Iterable[str]) -> list[bytes]:
    return [text.encode("utf-8", "surrogatepass") for text in texts]
