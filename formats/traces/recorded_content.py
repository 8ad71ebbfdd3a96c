"""Content that was not recorded in a trace, as opposed to an empty answer.

Many instrumentations leave messages out by default, or write a placeholder in their place.
"""

from __future__ import annotations

from typing import Any

from ..field_reader import FieldReader
from ..json_values import is_text_in
from ..message_parts import parts_of

PLACEHOLDERS = frozenset({"__REDACTED__", "<fully masked due to failed mask function>"})
"""Placeholders of hidden content: OpenInference's and Langfuse's."""

_GENERAL_ADVICE = "switch on the recording of content where the traces are made"
NO_ANSWER = f"the answer was not recorded, so there is no output; {_GENERAL_ADVICE}"
NO_ARGUMENTS = f"the arguments of a call were not recorded, so there is no output; {_GENERAL_ADVICE}"


def not_recorded(what: str, switch: str | None) -> str:
    """Return the reason why there is no output, with the setting that records content.

    Args:
        what: The missing content with its verb, as in `NO_ANSWER`.
        switch: The setting (see `SWITCHES`), or None if it is unknown.
    """
    advice = _GENERAL_ADVICE if switch is None else f"set {switch} where the traces are made"
    return f"{what} not recorded, so there is no output; {advice}"


_CONTENT_KEYS = frozenset(
    {"content", "parts", "contents", "refusal", "tool_calls", "toolCalls", "function_call"}
)
_TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
_TEXT_KEYS = frozenset({"text", "content", "refusal"})


def recorded(value: Any) -> Any:
    """Return a value, or None if it is a placeholder of hidden content."""
    return None if isinstance(value, str) and value in PLACEHOLDERS else value


def has_content(message: FieldReader) -> bool:
    """Return whether a message's content was recorded, even if it is empty."""
    texts = (part for part in parts_of(message) if is_text_in(part.get("type"), _TEXT_TYPES))
    return not message.value.keys().isdisjoint(_CONTENT_KEYS) and all(
        not part.value.keys().isdisjoint(_TEXT_KEYS) for part in texts
    )
