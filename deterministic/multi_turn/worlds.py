"""Make the worlds of a trajectory, list their methods, read and compare their state.

An environment is a class; a world is an instance of it, used for one trajectory.
"""

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
"""A world. It may be of any class, since users register their own environments."""

State: TypeAlias = dict[str, Any]
"""A world's compared attributes."""

Equality: TypeAlias = Callable[[Any, Any], bool]
"""Function that returns whether two values are equal."""


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = _Absent()
"""Stands for the value of a key that is missing on one side."""

_CONTAINER_BY_EQUALITY: Mapping[Any, type] = {
    **{cast("Any", container).__eq__: container for container in (dict, list, tuple)},
    cast("Any", OrderedDict).__eq__: dict,  # the order of keys is ignored
}
"""Containers that are compared part by part, by their ``__eq__``.

Subclasses that inherit it, such as defaultdict, are included. Classes with their own, such as Counter, are compared as a whole.
"""

_Path: TypeAlias = "tuple[_Path, Any] | None"
"""Keys that lead from a value to one of its parts: the path of the part's container, and the last key."""

_RESERVED_NAMES = frozenset({"load", "state"})
"""Public methods of worlds that agents may not call."""


@contextmanager
def naming_case(case: Case) -> Generator[None]:
    """Add the case's id to input errors that the block raises."""
    try:
        yield
    except InputError as error:
        raise InputError(f"case {case.id!r}: {error.message}", field=error.field) from error


def environment_types(classes: list[str], environments: Mapping[str, type]) -> tuple[type, ...]:
    """Return the environment classes with these names, in the same order.

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
    """Make the worlds of one trajectory, in their initial state, by class name.

    Worlds may keep and change parts of the reference, so pass a copy.

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
    """Return the methods an agent may call; of those with the same name, the last world's."""
    return {
        name: getattr(world, name) for world in worlds.values() for name in public_methods(world.__class__)
    }


@lru_cache(maxsize=256)
def public_methods(environment: type) -> tuple[str, ...]:
    """Return the names of an environment's API methods.

    These are all its methods except ``load``, ``state`` and those that begin with ``_``.
    """
    return tuple(
        name
        for name in dir(environment)
        if not name.startswith("_")
        and name not in _RESERVED_NAMES
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
    return any(
        parameter.name == "long_context" or parameter.kind is inspect.Parameter.VAR_KEYWORD
        for parameter in parameters
    )


class StateMismatch(NamedTuple):
    """Place where two values differ."""

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
    except RecursionError:  # deep values, or values that contain themselves
        return all(
            _leaves_equal(expected_leaf, got_leaf) for _, expected_leaf, got_leaf in _leaves(expected, got)
        )
    except Exception:  # noqa: BLE001 - a custom world may have values of any type
        return False


def equal_distinguishing_bools(expected: Any, got: Any) -> bool:
    """Return whether values are equal, distinguishing booleans from numbers at any depth."""
    return equal(expected, got) and all(
        isinstance(expected_leaf, bool) == isinstance(got_leaf, bool)
        for _, expected_leaf, got_leaf in _leaves(expected, got)
    )


def first_difference(expected: Any, got: Any, root_name: str, equals: Equality) -> StateMismatch:
    """Return where two unequal values first differ, in the order of ``expected``.

    Args:
        expected: The reference's value.
        got: The model's value.
        root_name: Beginning of the returned path: the name of the two values.
        equals: Compares parts of the values.
    """
    for path, expected_leaf, got_leaf in _leaves(expected, got):
        if expected_leaf is got_leaf:
            continue
        is_missing = expected_leaf is ABSENT or got_leaf is ABSENT
        if is_missing or not equals(expected_leaf, got_leaf):
            return StateMismatch(root_name + _path_text(path), expected_leaf, got_leaf)
    return StateMismatch(root_name, expected, got)


def _path_text(path: _Path) -> str:
    """Return a path as written in Python, such as ``['orders'][0]``."""
    keys: list[str] = []
    while path is not None:
        path, key = path
        keys.append(f"[{key!r}]")
    return "".join(reversed(keys))


def _leaves(expected: Any, got: Any) -> Iterator[tuple[_Path, Any, Any]]:
    """Yield the leaves of two values in pairs, with their paths, in the order of ``expected``.

    Each pair of containers is entered only once, so the values may contain themselves.
    """
    stack: list[tuple[_Path, Any, Any]] = [(None, expected, got)]
    visited: set[tuple[int, int]] = set()
    while stack:
        path, expected_part, got_part = stack.pop()
        container = _CONTAINER_BY_EQUALITY.get(type(expected_part).__eq__)
        if container is None or container is not _CONTAINER_BY_EQUALITY.get(type(got_part).__eq__):
            yield path, expected_part, got_part
        elif (id(expected_part), id(got_part)) not in visited:
            visited.add((id(expected_part), id(got_part)))
            expected_children, got_children = _children(expected_part), _children(got_part)
            keys = dict.fromkeys([*expected_children, *got_children])
            # Reversed, since the last of a stack is taken first.
            stack += [
                ((path, key), expected_children.get(key, ABSENT), got_children.get(key, ABSENT))
                for key in reversed(keys)
            ]


def _children(value: Any) -> Mapping[Any, Any]:
    return (
        cast("dict[Any, Any]", value)
        if isinstance(value, dict)
        else dict(enumerate(cast("list[Any]", value)))
    )


def _leaves_equal(expected_leaf: Any, got_leaf: Any) -> bool:
    try:
        # Identity counts first, as when Python's containers compare their parts.
        return expected_leaf is got_leaf or bool(expected_leaf == got_leaf)
    except Exception:  # noqa: BLE001 - a custom world may have values of any type
        return False
