"""Images of an item: those in the record are shown, others are named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...judges.media import is_medium, medium_address
from ..document import Picture
from ..text.safe_text import shortened
from .naming import NAME_LIMIT

_SHOWABLE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]{1,400000}={0,2}")
"""Formats that no script and no link to elsewhere is in, and the longest image shown."""

_MAX_IMAGES = 12
"""Images shown of one message, result or passage."""

_MAX_DEPTH = 50


def with_pictures(value: Any) -> tuple[Any, list[Picture]]:
    """Replace the media in a value by short descriptions, and return the images to show.

    Content parts that are texts and images become one text.
    """
    if not isinstance(value, list | dict):
        return value, []
    pictures: list[Picture] = []
    marked = _marked(cast("Any", value), pictures, 0)
    return _joined_text(marked), pictures


def _joined_text(value: object) -> object:
    """Return content parts that are texts as one text, any other value as it is."""
    if not isinstance(value, list):
        return value
    parts = cast("list[Any]", value)
    known = [text for text in map(_part_text, parts) if text is not None]
    return "\n".join(known) if parts and len(known) == len(parts) else parts


def _part_text(part: Any) -> str | None:
    """Return the text of a content part or the description of an image, else None."""
    if isinstance(part, _Description):
        return str(part)
    fields = cast("dict[str, Any]", part) if isinstance(part, dict) else {}
    text = fields.get("text")
    return text if isinstance(text, str) and fields.keys() == {"type", "text"} else None


class _Description(str):
    """Description of a medium, as opposed to a text of the record."""

    __slots__ = ()


def _marked(value: Any, pictures: list[Picture], depth: int) -> Any:
    if depth > _MAX_DEPTH or not isinstance(value, list | dict):
        return value
    if is_medium(value):
        return _Description(_described(cast("dict[str, Any]", value), pictures))
    if isinstance(value, dict):
        fields = cast("Mapping[str, Any]", value)
        return {name: _marked(inner, pictures, depth + 1) for name, inner in fields.items()}
    return [_marked(inner, pictures, depth + 1) for inner in cast("Sequence[Any]", value)]


def _described(part: Mapping[str, Any], pictures: list[Picture]) -> str:
    """Describe a medium in brackets; put an image that can be shown among the pictures."""
    address = medium_address(part)
    kind = str(part["type"]).removesuffix("_url").removeprefix("input_")
    if address is None:
        return f"[{kind}, not shown here]"
    if not address[:5].lower().startswith("data:"):
        return f"[{kind} at {shortened(address, NAME_LIMIT)}, not loaded]"
    if len(pictures) == _MAX_IMAGES or _SHOWABLE.fullmatch(address) is None:
        return f"[{kind} of {len(address):,} characters, not shown here]"
    title = f"image {len(pictures) + 1}"
    pictures.append(Picture(title, address))
    return f"[{title}]"
