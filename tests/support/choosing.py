"""Scripted judges that compare two outputs, as shown first and second."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, TypeAlias

from provider_server import Answer, Script, Seen

Chosen: TypeAlias = Literal["first", "second", "tie"]

_SECTION = r"=== (\w{20}) begin %s output ===\n(.*?)\n=== \1 end %s output ==="


def shown(seen: Seen) -> tuple[str, str]:
    """The two outputs in a request."""
    found = [re.search(_SECTION % (which, which), seen.text, re.DOTALL) for which in ("first", "second")]
    first, second = (match[2] if match else "" for match in found)
    return first, second


def choosing(choose: Callable[[str, str], Chosen]) -> Script:
    """A script that chooses, in the form that is asked for."""

    def script(seen: Seen) -> Answer:
        chosen = choose(*shown(seen))
        return Answer(f"<S1>because</S1>\n<S2>{chosen}</S2>" if "<S2>" in seen.text else chosen)

    return script


def without(word: str) -> Callable[[str, str], Chosen]:
    """Chooses the output that lacks a word; a tie where both do or neither."""

    def choose(first: str, second: str) -> Chosen:
        if (word in first) == (word in second):
            return "tie"
        return "second" if word in first else "first"

    return choose
