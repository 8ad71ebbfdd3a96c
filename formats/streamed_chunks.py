"""Answers that a server streamed, put together from the chunks that a log or a trace keeps."""

from __future__ import annotations

from typing import Any

from .json_values import is_list, is_object, is_text_in, parsed

_CHUNK = "chat.completion.chunk"
_BLOCK_EVENT_TYPES = frozenset({"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "ping"})  # fmt: skip


def whole_answer(chunks: list[Any]) -> dict[str, Any] | None:
    """Return the answer in chunks of OpenAI's or Anthropic's form, or None for any other list."""
    if not chunks or not all(map(is_object, chunks)):
        return None
    if all(chunk.get("object") == _CHUNK for chunk in chunks):
        return {"choices": [{"message": _message_of_deltas(chunks)}]}
    if all(is_text_in(chunk.get("type"), _BLOCK_EVENT_TYPES) for chunk in chunks):
        return {"role": "assistant", "content": _content_of_events(chunks)}
    ends = [chunk.get("response") for chunk in chunks if chunk.get("type") == "response.completed"]
    return ends[-1] if ends and is_object(ends[-1]) else None


def _message_of_deltas(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    texts = list[str]()
    calls: dict[Any, dict[str, Any]] = {}
    for chunk in chunks:
        choices = chunk.get("choices")
        first_choice: Any = choices[0] if is_list(choices) and choices else None
        # Only the first_choice choice is the answer; others are alternatives.
        delta: Any = (
            first_choice.get("delta")
            if is_object(first_choice) and first_choice.get("index", 0) == 0
            else None
        )
        if not is_object(delta):
            continue
        if isinstance(text := delta.get("content"), str):
            texts.append(text)
        pieces: Any = delta.get("tool_calls")
        for piece in pieces if is_list(pieces) else []:
            if is_object(piece):
                _add_piece(calls, piece)
    message = {"role": "assistant", "content": "".join(texts) if texts else None}
    return message | ({"tool_calls": [*calls.values()]} if calls else {})


def _add_piece(calls: dict[Any, dict[str, Any]], piece: dict[str, Any]) -> None:
    """Add a piece of a call to the call of its number."""
    call = calls.setdefault(piece.get("index", len(calls)), {"function": {"name": "", "arguments": ""}})
    if piece.get("id"):
        call["id"] = piece["id"]
    function: Any = piece.get("function")
    for name in ("name", "arguments") if is_object(function) else ():
        text = function.get(name)
        call["function"][name] += text if isinstance(text, str) else ""


def _content_of_events(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    blocks: dict[Any, dict[str, Any]] = {}
    pieces: dict[Any, list[str]] = {}
    for event in events:
        at, first_block, delta = event.get("index"), event.get("content_block"), event.get("delta")
        if is_object(first_block):
            blocks[at] = dict(first_block)
            pieces[at] = [first_block["text"]] if isinstance(first_block.get("text"), str) else []
        elif is_object(delta) and at in blocks:
            pieces[at] += [
                text for name in ("text", "partial_json") if isinstance(text := delta.get(name), str)
            ]
    for at, block in blocks.items():
        joined_text = "".join(pieces[at])
        if block.get("type") == "text":
            block["text"] = joined_text
        elif block.get("type") == "tool_use" and joined_text:
            block["input"] = parsed(joined_text)
    return [*blocks.values()]
