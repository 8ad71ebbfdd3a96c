"""Decoding parameters that only shape the reply, which untrusted prompt files may set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DECODING_PARAMETERS = frozenset(
    [
        "frequency_penalty",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "presence_penalty",
        "reasoning_effort",
        "response_format",
        "seed",
        "stop",
        "temperature",
        "top_logprobs",
        "top_p",
    ]
)
"""Any other parameter may name tools, files or servers for the model to use, store what is sent, or multiply the cost."""


def beyond_decoding(parameters: Mapping[str, Any]) -> list[str]:
    """Return the names of parameters that do more than shape a reply, or contain an address."""
    return sorted(
        name for name, value in parameters.items() if name not in DECODING_PARAMETERS or "://" in str(value)
    )
