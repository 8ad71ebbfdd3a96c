"""Make the worlds of a trajectory, list their methods, read and compare their state."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, cast

from ...errors import InputError
from ...records import Case, MultiTurnReference
from ...spelling import setting
from ..environments import ENVIRONMENTS
from ..finding import shorten

AnyWorld: TypeAlias = Any
"""An instance of an environment class, used for one trajectory of one check."""

State: TypeAlias = dict[str, Any]
"""A world's compared attributes."""

Equality: TypeAlias = Callable[[Any, Any], bool]


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = _Absent()
"""Marker for a value that only the other side has."""

_CONTAINERS: Mapping[Any, type] = {
    cast("Any", each).__eq__: dict if each is OrderedDict else each
    for each in (dict, OrderedDict, list, tuple)
}
"""Containers by their comparison. Classes with another one, such as Counter, are compared as a whole."""

_Path: TypeAlias = "tuple[_Path, Any] | None"
"""Keys that lead to a part of a value: those of its container, and its own."""

_NOT_METHODS = frozenset({"load", "state"})
"""Public names that agents may not call."""


@contextmanager
def naming_case(case: Case) -> Generator[None]:
    """Name this case in input errors raised within the block."""
    try:
        yield
    except InputError as error:
        raise InputError(f"case {case.id!r}: {error.message}", field=error.field) from error


def environment_types(classes: list[str], environments: Mapping[str, type]) -> tuple[type, ...]:
    """Return the environment classes that a case names, in that order.

    Custom classes take precedence over built-in ones of the same name.

    Raises:
        InputError: A name is not registered.
    """
    types: list[type] = []
    for name in classes:
        environment = environments.get(name) or ENVIRONMENTS.get(name)
        if environment is None:
            world_names = ", ".join(sorted({*ENVIRONMENTS, *environments}))
            raise InputError(
                f"no environment is called {name!r}; known are {world_names}; register your own with {setting('environment')} module:Class",
                field="reference.classes",
            )
        types.append(environment)
    return tuple(types)


def load_worlds(reference: MultiTurnReference, types: tuple[type, ...]) -> dict[str, AnyWorld]:
    """Make the worlds of one trajectory by class name, each in its initial state.

    Worlds may keep and change parts of the reference.

    Raises:
        InputError: A world does not take its configuration.
    """
    worlds: dict[str, AnyWorld] = {}
    for name, environment in zip(reference.classes, types, strict=True):
        world = environment()
        config = reference.initial_config.get(name, {})
        try:
            if _takes_long_context(environment):
                world.load(config, long_context=reference.long_context)
            else:
                world.load(config)
        except Exception as error:
            raise InputError(
                f"the environment {name} does not take its configuration: {type(error).__name__}: {error}",
                field=f"reference.initial_config.{name}",
            ) from error
        worlds[name] = world
    return worlds


def methods_of(worlds: Mapping[str, AnyWorld]) -> dict[str, Callable[..., Any]]:
    """Return the methods an agent may call; if two worlds share a name, the later has it."""
    return {
        name: getattr(world, name) for world in worlds.values() for name in public_methods(world.__class__)
    }


@lru_cache(maxsize=256)
def public_methods(environment: type) -> tuple[str, ...]:
    """Return the names of an environment's API methods.

    These are all its routines except ``load``, ``state`` and those that begin with ``_``.
    """
    return tuple(
        name
        for name in dir(environment)
        if not name.startswith("_")
        and name not in _NOT_METHODS
        and inspect.isroutine(getattr(environment, name))
    )


def state_of(world: AnyWorld) -> State:
    """Return a world's compared attributes: its ``state``, or its public instance attributes.

    Values may be the world's own objects: read them before the next call, and do not change them.
    """
    if callable(getattr(world, "state", None)):
        return world.state()
    attributes = cast("dict[str, Any]", vars(world))
    return {name: value for name, value in attributes.items() if not name.startswith("_")}


@lru_cache(maxsize=256)
def _takes_long_context(environment: Any) -> bool:
    parameters = inspect.signature(environment.load).parameters.values()
    return any(p.name == "long_context" or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


class StateMismatch(NamedTuple):
    """First place where two values differ."""

    path: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.path} should be {shorten(self.expected)}, is {shorten(self.got)}"


def equal(expected: Any, got: Any) -> bool:
    """Return whether two values are equal in Python: ``1 == 1.0 == True``.

    The order of dicts does not matter. Dicts, lists and tuples may be deep, or contain themselves. Values that cannot be compared, such
    as arrays, are not equal.
    """
    try:
        return bool(expected == got)
    except RecursionError:
        return all(_leaves_equal(one, other) for _, one, other in _leaves(expected, got))
    except Exception:  # noqa: BLE001 - a custom world may hold values of any type
        return False


def equal_in_kind(expected: Any, got: Any) -> bool:
    """Return whether values are equal, distinguishing booleans from numbers at any depth."""
    return equal(expected, got) and all(
        isinstance(one, bool) == isinstance(other, bool) for _, one, other in _leaves(expected, got)
    )


def first_difference(expected: Any, got: Any, path: str, same: Equality) -> StateMismatch:
    """Find where two unequal values first differ, in the reference's order.

    ``path`` names the two values.
    """
    for place, one, other in _leaves(expected, got):
        if one is not other and (one is ABSENT or other is ABSENT or not same(one, other)):
            return StateMismatch(path + _spelled(place), one, other)
    return StateMismatch(path, expected, got)


def _spelled(place: _Path) -> str:
    keys: list[str] = []
    while place is not None:
        place, key = place
        keys.append(f"[{key!r}]")
    return "".join(reversed(keys))


def _leaves(expected: Any, got: Any) -> Iterator[tuple[_Path, Any, Any]]:
    """Yield two values' leaves in pairs, with their places, in the expected value's order.

    Each pair of containers is entered once, so the values may contain themselves.
    """
    waiting: list[tuple[_Path, Any, Any]] = [(None, expected, got)]
    entered: set[tuple[int, int]] = set()
    while waiting:
        place, one, other = waiting.pop()
        container = _CONTAINERS.get(type(one).__eq__)
        if container is None or container is not _CONTAINERS.get(type(other).__eq__):
            yield place, one, other
        elif (id(one), id(other)) not in entered:
            entered.add((id(one), id(other)))
            left, right = _children(one), _children(other)
            waiting += [
                ((place, key), left.get(key, ABSENT), right.get(key, ABSENT))
                for key in reversed(dict.fromkeys([*left, *right]))
            ]


def _children(value: Any) -> Mapping[Any, Any]:
    return (
        cast("dict[Any, Any]", value)
        if isinstance(value, dict)
        else dict(enumerate(cast("list[Any]", value)))
    )


def _leaves_equal(one: Any, other: Any) -> bool:
    try:
        return one is other or bool(one == other)  # containers compare their parts like this
    except Exception:  # noqa: BLE001 - a custom world may hold values of any type
        return False
