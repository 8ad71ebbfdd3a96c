"""Images in an item's messages: those whose data is in the record are shown.

Nothing is loaded from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...judges.media import is_medium, medium_address
from ..document import Picture
from ..text.safe_text import shortened
from .naming import NAME_LIMIT

_SHOWABLE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]{1,400000}={0,2}")
"""Images that can be shown: formats that cannot contain scripts or links, of a bounded size."""

_MAX_IMAGES = 12
"""Most images shown of one message, result or passage."""

_MAX_DEPTH = 50
"""Nesting beyond which no images are looked for."""


def with_pictures(value: Any) -> tuple[Any, list[Picture]]:
    """Replace media in a value by short descriptions; return the value and the images to show.

    A list of content parts that are texts and media becomes one text.
    """
    if not isinstance(value, list | dict):
        return value, []
    pictures: list[Picture] = []
    described = _with_descriptions(cast("Any", value), pictures, 0)
    return _joined_text(described), pictures


def _joined_text(value: object) -> object:
    """Join content parts into one text if all are texts or descriptions; keep other values."""
    if not isinstance(value, list):
        return value
    parts = cast("list[Any]", value)
    texts = [text for text in map(_part_text, parts) if text is not None]
    return "\n".join(texts) if parts and len(texts) == len(parts) else parts


def _part_text(part: Any) -> str | None:
    """Return the text of a content part, or the description of a medium; None for others."""
    if isinstance(part, _Description):
        return str(part)
    fields = cast("dict[str, Any]", part) if isinstance(part, dict) else {}
    text = fields.get("text")
    return text if isinstance(text, str) and fields.keys() == {"type", "text"} else None


class _Description(str):
    """Description that replaces a medium, told apart by its type from texts of the record."""

    __slots__ = ()


def _with_descriptions(value: Any, pictures: list[Picture], depth: int) -> Any:
    if depth > _MAX_DEPTH or not isinstance(value, list | dict):
        return value
    if is_medium(value):
        return _Description(_describe(cast("dict[str, Any]", value), pictures))
    if isinstance(value, dict):
        fields = cast("Mapping[str, Any]", value)
        return {name: _with_descriptions(inner, pictures, depth + 1) for name, inner in fields.items()}
    return [_with_descriptions(inner, pictures, depth + 1) for inner in cast("Sequence[Any]", value)]


def _describe(part: Mapping[str, Any], pictures: list[Picture]) -> str:
    """Describe a medium in brackets; append it to ``pictures`` if it can be shown."""
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
