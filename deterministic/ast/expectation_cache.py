"""Compiled references, kept while they are in use: many systems answer the same case."""

from __future__ import annotations

import msgspec

from ...records import Case, Language, ToolCallReference
from ..checkers import Names
from .expectation import Expectation, compile_expectation

_KEEP = 8_192
_compiled: dict[tuple[int, Names], tuple[Case, Expectation]] = {}


def expectation_of(case: Case, names: Names) -> Expectation:
    """The compiled reference of a case.

    Args:
        case: A case of kind ``tool_call``.
        names: How documented names with dots were offered to the system.

    Returns:
        What is expected.

    Raises:
        InputError: The reference cannot be used.
    """
    key = (id(case), names)
    entry = _compiled.get(key)
    if entry is None:
        if len(_compiled) >= _KEEP:
            _compiled.clear()
        reference = msgspec.convert(case.reference, ToolCallReference)
        # The case is kept beside it, so that its id cannot become another's while the entry lives.
        entry = _compiled[key] = (case, compile_expectation(reference, case.tools, names))
    return entry[1]


def language_of(case: Case) -> Language:
    """The language of a case's calls.

    Args:
        case: A case of kind ``tool_call``.

    Returns:
        The language, Python when none is stated.
    """
    return case.reference.get("language", "python")
