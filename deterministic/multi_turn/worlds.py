"""Make the worlds of one trajectory from a case, list their methods and read their state."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeAlias, cast

from ...errors import InputError
from ...records import Case, MultiTurnReference
from ..environments import ENVIRONMENTS

AnyWorld: TypeAlias = Any
"""An instance of an environment class, used for one trajectory of one check."""

State: TypeAlias = dict[str, Any]
"""A world's compared attributes."""

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
                f"no environment is called {name!r}; known are {world_names}; register your own with --environment module:Class",
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
