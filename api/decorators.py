"""Decorators for plugins; docs/extending.md has an example of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ConfigurationError
from ..plugins import AGENTS, FORMATS, GROUPS, JUDGES, OPERATORS, STATISTICS, WORLDS, Plugin, load_module
from ..records import Case, Output

if TYPE_CHECKING:
    from ..deterministic.mutation import OperatorFamily, Plants
    from ..deterministic.mutation.dials.dial import Make
    from ..deterministic.mutation.operator import Mutate

A = TypeVar("A", bound=Callable[[Case], Any])
F = TypeVar("F", bound=Callable[[Path], Iterable[Any]])
J = TypeVar("J", bound=Callable[[Case, Output], Any])
S = TypeVar("S", bound=Callable[..., Any])
W = TypeVar("W", bound=type)


def agent(name: str) -> Callable[[A], A]:
    """Register an agent for `generate`.

    It is a function of a case that returns a text, calls, fields of an output, or an `Output`.

    Args:
        name: Its name.
    """
    return AGENTS.registering(name)


def dial(
    name: str,
    *,
    family: OperatorFamily,
    levels: Sequence[int],
    unit: str,
    about: str,
    steps: Sequence[str] = (),
) -> Callable[[Make], Make]:
    """Register a dial: faults of graded difficulty, for ``fiducial audit run --ladder``.

    It is a pure function of a seed and a level that returns a `Rung`.

    Args:
        name: The dial's name; not that of an operator.
        family: Sort of output it makes: ``tool_call``, ``multi_turn``, ``answer`` or ``groundedness``.
        levels: Numbers from easy to hard, or 1 to the number of steps.
        unit: Unit of a level.
        about: One line for a person.
        steps: Name of each level, if levels are kinds instead of numbers.
    """

    def add(make: Make) -> Make:
        from ..deterministic.mutation import Dial  # noqa: PLC0415 - slow to import

        OPERATORS.register(name, Dial(name, family, make, tuple(levels), unit, about, tuple(steps)))
        return make

    return add


def file_format(name: str) -> Callable[[F], F]:
    """Register a file format for ``fiducial import NAME PATH`` and ``fiducial cases NAME PATH``.

    The function takes a path and yields cases, outputs and verdicts, as records or as mappings with the same keys.

    Args:
        name: Its name.
    """
    return FORMATS.registering(name)


def judge_function(name: str) -> Callable[[J], J]:
    """Register a function as a judge, for ``--judge NAME`` and ``fiducial.judge(NAME)``.

    The function takes a case and an output. It may be sync or async.

    It returns a score in [0, 1] or a boolean, optionally in a pair with a reason, or a `Verdict`. An exception becomes a verdict
    with the outcome ``failed``.

    Args:
        name: Its name; not a built-in one.

    Raises:
        ConfigurationError: A built-in judge has this name.
    """
    from ..judges.catalogue import JUDGED_KINDS, LOCALISING, PAIRWISE  # noqa: PLC0415 - reads the catalogue of prompts

    if name in {*JUDGED_KINDS, *PAIRWISE, *LOCALISING}:
        raise ConfigurationError(f"judges: {name!r} is the name of a judge that comes with fiducial")
    return JUDGES.registering(name)


def operator(
    name: str, *, family: OperatorFamily, plants: Plants, about: str, against: str = ""
) -> Callable[[Mutate], Mutate]:
    """Register an operator that changes correct outputs, for ``fiducial audit mutate``.

    It is a function of a `Subject` and a random generator that yields mutations.

    Args:
        name: The operator's name; becomes part of the probe's system name.
        family: Sort of output it changes: ``tool_call``, ``multi_turn``, ``answer`` or ``groundedness``.
        plants: Effect on a right output: ``fault``, ``twin``, ``attack`` or ``control``.
        about: One line for a person.
        against: For an attack: the name of its control.
    """

    def add(mutate: Mutate) -> Mutate:
        from ..deterministic.mutation import Operator  # noqa: PLC0415 - slow to import

        OPERATORS.register(name, Operator(name, family, plants, mutate, about, against))
        return mutate

    return add


def statistic(name: str) -> Callable[[S], S]:
    """Register a statistic that measures judges in `calibrate`.

    It is a function of labels, scores and weights, each a numpy array of shape ``(m,)``.

    It returns a number, or None if undefined, and gets a clustered interval like any statistic. Equal pairs of label and score come once,
    with their count as weight: ``numpy.average(..., weights=weights)``, ``sample_weight=weights``.

    Args:
        name: Name in the results; not a built-in one.
    """
    return STATISTICS.registering(name)


def world(name: str) -> Callable[[W], W]:
    """Register a simulated world for cases of kind ``multi_turn``.

    It is a class with ``load(config)`` and methods that agents call.

    Args:
        name: The name that cases use.
    """
    return WORLDS.registering(name)


def load_plugin(spec: str) -> None:
    """Load the plugins that a file or an importable module registers."""
    load_module(spec)


def plugins() -> list[Plugin]:
    """Return the plugins of installed packages and loaded modules.

    Each is loaded to check that it can be used; none is run.
    """
    return [plugin for group in GROUPS for plugin in group.load_all()]


def has_format(name: str) -> bool:
    """Return whether a custom format has this name."""
    return name in FORMATS
