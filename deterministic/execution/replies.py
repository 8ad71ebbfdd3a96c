"""Readers of one reply: from text or native calls to call texts, which is what is executed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from ...errors import DecodingError
from ...records import ToolCall
from ..decoding import decode_prompt, decode_tool_calls
from ..decoding.python_calls import call_nodes
from ..decoding.python_syntax import unparse
from ..decoding.wrapping import wrap
from ..evidence import shorten
from .call_texts import native_call_texts, prompt_call_texts

ReplyReader: TypeAlias = Callable[[Any], list[str]]
"""From a reply to its call texts; a DecodingError when it holds none."""


def read_prompt(raw: Any) -> list[str]:
    """Read a text reply as the original does: positional arguments vanish, bare names become texts.

    Args:
        raw: The reply.

    Returns:
        Its call texts.

    Raises:
        DecodingError: It is no text, or the text is no list of calls.
    """
    return prompt_call_texts(decode_prompt(_text(raw)))


def read_prompt_exactly(raw: Any) -> list[str]:
    """Read a text reply as it was written, with everything that stands between the parentheses.

    Args:
        raw: The reply.

    Returns:
        Its call texts.

    Raises:
        DecodingError: It is no text, or the text is no list of calls.
    """
    return [unparse(node) for node in call_nodes(wrap(_text(raw)))]


def read_native(raw: Any) -> list[str]:
    """Read native calls.

    Args:
        raw: A list of ToolCalls, or of BFCL's ``{name: arguments}``, arguments being an object or its JSON text.

    Returns:
        Their call texts.

    Raises:
        DecodingError: It is something else.
    """
    if not isinstance(raw, list):
        raise DecodingError(f"expected a list of calls, got {type(raw).__name__}")
    return native_call_texts(decode_tool_calls([_tool_call(item) for item in cast("list[Any]", raw)]))


def read_call_texts(raw: Any) -> list[str]:
    """Take what is decoded already.

    Args:
        raw: A list of call texts.

    Returns:
        The same.

    Raises:
        DecodingError: It is something else.
    """
    if not isinstance(raw, list):
        raise DecodingError(f"expected a list of call texts, got {type(raw).__name__}")
    return [_text(call) for call in cast("list[Any]", raw)]


def _text(raw: Any) -> str:
    if not isinstance(raw, str):
        raise DecodingError(f"expected a text, got {type(raw).__name__}")
    return raw


def _tool_call(item: Any) -> ToolCall:
    if isinstance(item, ToolCall):
        return item
    if not isinstance(item, dict) or not item:
        raise DecodingError(f"expected a call as {{name: arguments}}, got {shorten(item)}")
    name, arguments = next(iter(cast("dict[str, Any]", item).items()))
    return ToolCall(name=name, arguments=arguments)
