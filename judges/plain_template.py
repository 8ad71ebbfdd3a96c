"""Fill templates that hold nothing but names, without jinja.

The result equals jinja's. All shipped prompts are such templates; jinja is loaded for those that loop, choose or filter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .template_limits import FREE_CHARACTERS, TOO_LONG, TemplateLimitError, allowed_characters

_MOST_NAMES = 1000
_NAME = re.compile(r"(?<!\{)\{\{ *([A-Za-z_][A-Za-z0-9_]*) *\}\}")
_MARKUP = re.compile(r"\{[{%#]")
_NEWLINE = re.compile(r"\r\n|\r")
_JINJAS_OWN = frozenset(
    [
        "and",
        "caller",
        "elif",
        "else",
        "false",
        "False",
        "if",
        "in",
        "is",
        "loop",
        "none",
        "None",
        "not",
        "or",
        "range",
        "self",
        "super",
        "true",
        "True",
        "varargs",
        "kwargs",
    ]
)
"""Names that mean something to jinja whatever the values are."""


def plain_template(source: str) -> Callable[[Mapping[str, Any]], str] | None:
    """Compile a template of names alone; None for any other.

    The function raises TemplateLimitError for a name without a value, or a text far longer than its values.
    """
    pieces = _NAME.split(source)
    texts, names = [_NEWLINE.sub("\n", text) for text in pieces[::2]], pieces[1::2]
    if len(names) > _MOST_NAMES or not _JINJAS_OWN.isdisjoint(names) or any(map(_MARKUP.search, texts)):
        return None

    def render(values: Mapping[str, Any]) -> str:
        missing = next((name for name in names if name not in values), None)
        if missing is not None:
            raise TemplateLimitError(f"{missing!r} is undefined")
        written = {name: str(values[name]) for name in dict.fromkeys(names)}
        parts = [""] * (2 * len(names) + 1)
        parts[::2], parts[1::2] = texts, [written[name] for name in names]
        length = sum(map(len, parts))
        if length > FREE_CHARACTERS and length > allowed_characters(values):
            raise TemplateLimitError(TOO_LONG)
        return "".join(parts)

    return render
