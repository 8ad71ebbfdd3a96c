"""Compiled references, kept as long as their case lives: many systems answer the same case."""

from __future__ import annotations

import weakref

import msgspec

from ...records import Case, Language, ToolCallReference
from ..checkers import Names
from .expectation import Expectation, compile_expectation

_compiled: dict[tuple[int, Names], tuple[weakref.ref[Case], Expectation]] = {}


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
        reference = msgspec.convert(case.reference, ToolCallReference)
        # Goes with the case, before its id can become another's: whoever reads cases decides how many are kept.
        alive = weakref.ref(case, lambda _: _compiled.pop(key, None))
        entry = _compiled[key] = (alive, compile_expectation(reference, case.tools, names))
    return entry[1]


def language_of(case: Case) -> Language:
    """The language of a case's calls.

    Args:
        case: A case of kind ``tool_call``.

    Returns:
        The language, Python when none is stated.
    """
    return case.reference.get("language", "python")
