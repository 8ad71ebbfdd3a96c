"""Table of the built-in operators; load operators and dials, built-in and custom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

from ... import plugins
from ...errors import ConfigurationError
from ..finding import shorten
from .answer_operators import ANSWERS
from .attacks import ATTACKS
from .call_faults import ARGUMENT_FAULTS, CALL_FAULTS
from .call_twins import CALL_TWINS
from .conversion_faults import CONVERSION_FAULTS
from .dials import DIALS, Dial
from .groundedness_operators import GROUNDEDNESS
from .lifelike import LIFELIKE
from .multi_turn_operators import MULTI_TURN
from .operator import Operator
from .value_faults import VALUE_FAULTS

OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        *VALUE_FAULTS,
        *CONVERSION_FAULTS,
        *ARGUMENT_FAULTS,
        *CALL_FAULTS,
        *CALL_TWINS,
        *MULTI_TURN,
        *ANSWERS,
        *GROUNDEDNESS,
        *ATTACKS,
        *LIFELIKE,
    )
}
"""Operators by name, in the order of reports."""


def load_operators(specs: Iterable[str] = (), folder: Path | None = None) -> dict[str, Operator]:
    """Return the built-in and registered operators, and those of specs, by name.

    Args:
        specs: ``module:NAME`` of an operator or a list of them.
        folder: An additional folder to look for modules in.

    Raises:
        UsageError: A spec is not of that form.
        ConfigurationError: There is no such module or name, it is not an operator, or its name is taken.
    """
    custom = {
        extension.name: extension
        for extension in _load_custom(specs, folder)
        if isinstance(extension, Operator)
    }
    return OPERATORS | custom


def load_dials() -> dict[str, Dial]:
    """Return the built-in and registered dials, by name.

    Raises:
        ConfigurationError: One of them is neither an operator nor a dial, or its name is taken.
    """
    return DIALS | {
        extension.name: extension for extension in _load_custom((), None) if isinstance(extension, Dial)
    }


def _load_custom(specs: Iterable[str], folder: Path | None) -> Iterator[Operator | Dial]:
    """Yield the operators and dials that users have registered or named in specs."""
    names_taken = OPERATORS.keys() | DIALS.keys()
    targets_of_specs = ((spec, plugins.look_up("operator", spec, folder)) for spec in specs)
    for label, target in (*plugins.OPERATORS.items(), *targets_of_specs):
        extensions = cast("Sequence[object]", target) if isinstance(target, list | tuple) else [target]
        for extension in extensions:
            if not isinstance(extension, Operator | Dial):
                raise ConfigurationError(
                    f"operator {label!r}: expected an Operator, a Dial, or a list of them, got {shorten(extension)}"
                )
            if extension.name in names_taken:
                raise ConfigurationError(f"operator {label!r}: the name {extension.name!r} is taken")
            names_taken |= {extension.name}
            yield extension
