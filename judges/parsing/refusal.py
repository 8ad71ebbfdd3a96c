"""Tells a judge that would not judge from one that answered in the wrong form."""

from __future__ import annotations

import re

_REFUSAL = re.compile(
    r"(?:i['\u2019]?m (?:very )?sorry|i am (?:very )?sorry|sorry|i apologi[sz]e|unfortunately|as an ai[^.!\n]{0,60})?"
    r"[\s,.:;]{0,4}(?:but )?"
    r"(?:i|we) (?:can['\u2019]?t|cannot|can not|am unable to|am not able to|won['\u2019]?t|will not|must decline to)"
    r" (?:help|assist|comply|fulfil|fulfill|engage|participate|provide|continue|process|discuss|evaluate (?:this|that|such))\b",
    re.IGNORECASE,
)
_LONGEST_PREAMBLE = 400


def is_refusal(text: str) -> bool:
    """Whether a reply that holds no score declines to judge, in one of the usual phrases at its beginning.

    Args:
        text: The reply.
    """
    start = text.lstrip(" \t\r\n*_`\"'#>")[:_LONGEST_PREAMBLE]
    return _REFUSAL.match(start) is not None
