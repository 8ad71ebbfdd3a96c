"""Show a judge the media of an item: images, audio, files and videos.

A template is filled with text, so media are first replaced by marks (`with_marks`). In the rendered messages, the marks are replaced
by content parts (`with_parts`). A mark contains a hash of the whole item, so that no text under evaluation can forge one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import msgspec

from ..records import Case, Message, Output, Pair, Step, ToolResults
from .prompt_variables import NotApplicableError

MediumKind: TypeAlias = Literal["image", "audio", "file", "video"]

_DIGEST_LENGTH = 16
"""Hexadecimal digits of an item's hash in its marks."""
_ADDRESS = re.compile(r"\A(?:https?://|data:image/)", re.IGNORECASE)
_KIND_BY_PART_TYPE: Mapping[str, MediumKind] = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "audio_url": "audio",
    "input_audio": "audio",
    "file": "file",
    "input_file": "file",
    "document": "file",
    "video": "video",
    "video_url": "video",
    "input_video": "video",
}
"""Types of content parts in OpenAI's APIs, at Anthropic, in the Model Context Protocol, and of servers with further media."""

_MEDIUM_KEYS = (
    "source",
    "file_data",
    "file_id",
    "image_url",
    "audio_url",
    "video_url",
    "input_audio",
    "input_video",
)
"""Keys under which objects contain a medium or its address, besides a key named after their type."""
_NOUNS: Mapping[MediumKind, str] = {"image": "an image", "audio": "audio", "file": "a file", "video": "video"}
_MAX_DEPTH = 50
"""Nesting below which media are not looked for."""


class Medium(NamedTuple):
    """Image, audio, video or file of an item, with its mark, and its address if it can be sent."""

    kind: MediumKind
    address: str | None
    mark: str

    @property
    def part(self) -> dict[str, Any]:
        """Content part that shows the image to a model, in OpenAI's form."""
        return {"type": "image_url", "image_url": {"url": self.address}}


class MarkedItem(NamedTuple):
    """Case and output with marks instead of media, and the media."""

    case: Case
    output: Output
    media: list[Medium]


def with_marks(case: Case, output: Output) -> MarkedItem:
    """Replace an item's media by marks; an item without media is unchanged."""
    part_by_key = {_content_key(part): part for part in _media_of(case, output)}  # equal media share a mark
    if not part_by_key:
        return MarkedItem(case, output, [])
    # Each mark contains the item's hash, which no text of the item can contain. So only these marks are replaced later.
    digest = _digest(case, output)
    media: dict[str, Medium] = {}
    for number, (key, part) in enumerate(part_by_key.items(), start=1):
        kind = _KIND_BY_PART_TYPE[part["type"]]
        media[key] = Medium(kind, medium_address(part), f"[{kind} {number}: {digest}]")
    return MarkedItem(_marked_case(case, media), _marked_output(output, media), list(media.values()))


def shown_among(media: Sequence[Medium], values: Mapping[str, Any]) -> list[Medium]:
    """Return the media whose marks are in the values of a prompt's inputs."""
    texts = [str(value) for value in values.values()] if media else []
    return [medium for medium in media if any(medium.mark in text for text in texts)]


def require_sendable(media: Sequence[Medium], *, images: bool, how: str) -> None:
    """Refuse media that a prompt does not send, since its judge could not see them.

    Args:
        media: The media that the prompt would show.
        images: Whether the prompt sends images.
        how: Advice for the error: how to make the prompt send images.
    """
    for medium in media:
        if medium.kind != "image":
            raise NotApplicableError(f"the item holds {_NOUNS[medium.kind]}, which judges are not shown")
    if media and not images:
        noun = _NOUNS["image"] if len(media) == 1 else f"{len(media)} images"
        raise NotApplicableError(f"the item holds {noun}, and this prompt sends text; {how}")
    if any(medium.address is None for medium in media):
        raise NotApplicableError(
            "the item holds an image that cannot be sent: expected https://... or data:image/...;base64,..."
        )


def with_parts(messages: Sequence[Message], media: Sequence[Medium]) -> list[Message]:
    """Replace marks in messages by content parts, each at its first occurrence only."""
    marks = {medium.mark: medium for medium in media}
    marker = re.compile("(" + "|".join(map(re.escape, marks)) + ")")
    unplaced = dict(marks)
    return [
        {**message, "content": _parts(message["content"], marker, marks, unplaced)} for message in messages
    ]


def _parts(
    text: str, marker: re.Pattern[str], marks: Mapping[str, Medium], unplaced: dict[str, Medium]
) -> str | list[dict[str, Any]]:
    """Return a text with parts instead of marks; remove the media from ``unplaced``."""
    parts: list[dict[str, Any]] = []
    pending = ""
    for piece in marker.split(text):
        # The model sees `[image 1]`, without the hash.
        pending += f"[{piece[1:].partition(':')[0]}]" if piece in marks else piece
        if piece in unplaced:  # a medium that an input shows twice is sent once
            parts += [{"type": "text", "text": pending}, unplaced.pop(piece).part]
            pending = ""
    if not parts:
        return pending
    return [*parts, {"type": "text", "text": pending}] if pending else parts


def _media_of(case: Case, output: Output) -> Iterator[dict[str, Any]]:
    """Yield the non-text content parts of an item, in their order."""
    for message in case.all_messages:
        if isinstance(message.get("content"), list):
            yield from _media_in(message["content"])
    for item in case.context:
        yield from _media_in(item.content)
    outputs = [output.first, output.second] if isinstance(output, Pair) else [output]
    for single_output in outputs:
        for turn in single_output.turns or ():
            for step in turn:
                if isinstance(step, ToolResults):
                    yield from _media_in(step.results)


def _media_in(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the media in a JSON value, at any depth up to the limit."""
    if depth > _MAX_DEPTH or not isinstance(value, list | dict):
        return
    if is_medium(value):
        yield cast("dict[str, Any]", value)
        return
    items = cast("dict[str, Any]", value).values() if isinstance(value, dict) else cast("list[Any]", value)
    for item in items:
        yield from _media_in(item, depth + 1)


def is_medium(value: Any) -> bool:
    """Return whether a value is a content part with a medium.

    Its type alone is not enough, since a tool's result may have a ``type`` of the same name.
    """
    if not isinstance(value, dict):
        return False
    fields = cast("dict[str, Any]", value)
    kind = fields.get("type")
    if not isinstance(kind, str) or kind not in _KIND_BY_PART_TYPE:
        return False
    content = fields.get(kind)
    has_content = isinstance(content, dict) or (
        isinstance(content, str) and content.startswith(("data:", "http"))
    )
    has_data = isinstance(fields.get("data"), str) and "mimeType" in fields
    return has_content or has_data or any(key in fields for key in _MEDIUM_KEYS)


def medium_address(part: Mapping[str, Any]) -> str | None:
    """Return the URL or data address of an image, or None if neither is known."""
    image: Any = part.get("image_url") or part.get("image") or part.get("source") or part
    fields = cast("dict[str, Any]", image) if isinstance(image, dict) else {"url": image}
    data, kind = fields.get("data"), fields.get("media_type") or fields.get("mimeType")
    address = f"data:{kind};base64,{data}" if isinstance(data, str) and kind else fields.get("url")
    return address if isinstance(address, str) and _ADDRESS.match(address) else None


def _content_key(part: Mapping[str, Any]) -> str:
    return json.dumps(part, sort_keys=True)


def _digest(case: Case, output: Output) -> str:
    item = json.dumps(msgspec.to_builtins([case.messages, case.context, output]), sort_keys=True)
    return hashlib.sha256(item.encode()).hexdigest()[:_DIGEST_LENGTH]


def _marked_case(case: Case, media: Mapping[str, Medium]) -> Case:
    messages: list[Any] = [
        _marked_message(entry, media)
        if isinstance(entry, dict)
        else [_marked_message(message, media) for message in entry]
        for entry in case.messages
    ]
    context = [msgspec.structs.replace(item, content=_marked(item.content, media)) for item in case.context]
    return msgspec.structs.replace(case, messages=messages, context=context)


def _marked_message(message: Message, media: Mapping[str, Medium]) -> Message:
    """Return the message with a mark in place of each medium.

    All of its content is text then, which `Case` joins into one.
    """
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts = [
        {"type": "text", "text": f"\n{marked}\n"} if is_medium(part) else marked
        for part, marked in zip(cast("list[Any]", content), _marked(content, media), strict=True)
    ]
    return {**message, "content": parts}


def _marked_output(output: Output, media: Mapping[str, Medium]) -> Output:
    if isinstance(output, Pair):
        first, second = _marked_output(output.first, media), _marked_output(output.second, media)
        return msgspec.structs.replace(output, first=first, second=second)
    if output.turns is None:
        return output
    return msgspec.structs.replace(
        output, turns=[[_marked_step(step, media) for step in turn] for turn in output.turns]
    )


def _marked_step(step: Step, media: Mapping[str, Medium]) -> Step:
    return ToolResults(results=_marked(step.results, media)) if isinstance(step, ToolResults) else step


def _marked(value: Any, media: Mapping[str, Medium], depth: int = 0) -> Any:
    if depth > _MAX_DEPTH or not isinstance(value, list | dict):
        return value
    if is_medium(value):
        return media[_content_key(cast("dict[str, Any]", value))].mark
    if isinstance(value, dict):
        return {name: _marked(item, media, depth + 1) for name, item in cast("dict[str, Any]", value).items()}
    return [_marked(item, media, depth + 1) for item in cast("list[Any]", value)]
