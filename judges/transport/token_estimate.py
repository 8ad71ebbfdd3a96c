"""How many tokens a request will take, before anybody counted them."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from .exchange import Request

_BYTES_PER_TOKEN = (5.0, 4.0, 2.5)
"""At the fewest tokens, likely, at the most: English prose, mixed text, dense JSON or scripts of three bytes a letter."""
_MESSAGE_TOKENS = 4
"""What a chat template adds to a message."""


class Estimate(NamedTuple):
    """A number of tokens: at least, likely, at most."""

    low: float
    likely: float
    high: float


def estimate_prompt(request: Request) -> Estimate:
    """Estimate the tokens of a request's messages (and of its response format, which providers count, too).

    By the length in UTF-8, since tokenisers differ by model and have to be downloaded.

    Args:
        request: What is to be asked.

    Returns:
        The estimate.
    """
    size = sum(_size(message.get("content")) for message in request.messages)
    size += _size(request.parameters.get("response_format", ""))
    extra = _MESSAGE_TOKENS * len(request.messages)
    low, likely, high = (size / rate + extra for rate in _BYTES_PER_TOKEN)
    return Estimate(low, likely, high)


def completion_limit(request: Request) -> int | None:
    """The most tokens that a reply may have, where the request says so."""
    limits = (request.parameters.get(name) for name in ("max_completion_tokens", "max_tokens"))
    return next((limit for limit in limits if isinstance(limit, int)), None)


def _size(content: Any) -> int:
    if isinstance(content, str):
        return len(content.encode("utf-8", "surrogatepass"))
    return len(msgspec.json.encode(content))
