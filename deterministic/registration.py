"""Worlds and functions of the user's own: from ``module:Name`` on the command line, or from an installed package."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from ..errors import ConfigurationError, UsageError
from .evidence import shorten

ENVIRONMENT_GROUP = "fiducial.environments"
"""Entry points that are environment classes; the entry point's name is the class name that cases use."""

FUNCTION_GROUP = "fiducial.functions"
"""Entry points that are a function, a mapping of functions by name, or a module of functions."""


def load_environments(specs: Iterable[str] = (), folder: Path | None = None) -> dict[str, type]:
    """Find the worlds that users have registered.

    Args:
        specs: ``module:Class`` each; they come before entry points of the same name.
        folder: Where modules are also looked for, after everything that is installed.

    Returns:
        Classes by the name that cases use.

    Raises:
        UsageError: A spec is not of that form.
        ConfigurationError: There is no such module or name, or it is not a world.
    """
    found = {name: _environment(name, target) for name, target in _installed(ENVIRONMENT_GROUP)}
    for spec in specs:
        module, name = _split("--environment", spec, "module:Class")
        if not name:
            raise UsageError(f"--environment {spec!r}: expected module:Class")
        found[name.rpartition(".")[2]] = _environment(spec, _look_up("--environment", module, name, folder))
    return found


def load_functions(specs: Iterable[str] = (), folder: Path | None = None) -> dict[str, Callable[..., Any]]:
    """Find the functions that users have registered for executable calls.

    Args:
        specs: ``module:NAME`` each, NAME being a function or a mapping of functions by name; or ``module`` alone, for all
            public functions that it defines. They come before entry points of the same name.
        folder: Where modules are also looked for, after everything that is installed.

    Returns:
        Functions by the name that calls use.

    Raises:
        UsageError: A spec is not of that form.
        ConfigurationError: There is no such module or name, or it is not a function or several.
    """
    found: dict[str, Callable[..., Any]] = {}
    for name, target in _installed(FUNCTION_GROUP):
        found.update(_functions(name, name, target))
    for spec in specs:
        module, name = _split("--functions", spec, "module:NAME")
        target = _look_up("--functions", module, name, folder)
        found.update(_functions(spec, name.rpartition(".")[2], target))
    return found


def load_targets(
    group: str, option: str, specs: Iterable[str], folder: Path | None = None
) -> Iterator[tuple[str, Any]]:
    """Find what users have registered under some other group.

    Args:
        group: The group of entry points.
        option: The option that takes specs, for messages.
        specs: ``module:NAME`` each.
        folder: Where modules are also looked for, after everything that is installed.

    Yields:
        The entry point's name or the spec, and what it names.

    Raises:
        UsageError: A spec is not of that form.
        ConfigurationError: There is no such module or name.
    """
    yield from _installed(group)
    for spec in specs:
        module, name = _split(option, spec, "module:NAME")
        yield spec, _look_up(option, module, name, folder)


def _split(option: str, spec: str, form: str) -> tuple[str, str]:
    module, _, name = spec.partition(":")
    if not all(part.isidentifier() for part in [*module.split("."), *(name.split(".") if name else [])]):
        raise UsageError(f"{option} {spec!r}: expected {form}")
    return module, name


def _look_up(option: str, module: str, name: str, folder: Path | None) -> Any:
    try:
        with _importable(folder):
            target: Any = import_module(module)
    except (
        Exception
    ) as error:  # the module is the user's; whatever it raises while it is imported has to be told
        raise ConfigurationError(f"{option} {module}:{name}: cannot import {module!r}: {error}") from error
    for part in name.split(".") if name else []:
        try:
            target = getattr(target, part)
        except AttributeError as error:
            raise ConfigurationError(f"{option} {module}:{name}: {error}") from error
    return target


@contextmanager
def _importable(folder: Path | None) -> Generator[None]:
    if folder is None:
        yield
        return
    # At the end: a file of the folder must not stand in for an installed module.
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _installed(group: str) -> Iterator[tuple[str, Any]]:
    for entry_point in entry_points(group=group):
        try:
            yield entry_point.name, entry_point.load()
        except Exception as error:
            raise ConfigurationError(
                f"the entry point {entry_point.name!r} of {group} ({entry_point.value}) cannot be loaded: {error}"
            ) from error


def _environment(name: str, target: Any) -> type:
    if not isinstance(target, type) or not callable(getattr(target, "load", None)):
        raise ConfigurationError(
            f"environment {name!r}: expected a class with a method load(config), got {shorten(target)}"
        )
    return target


def _functions(label: str, name: str, target: Any) -> dict[str, Callable[..., Any]]:
    if isinstance(target, ModuleType):
        return {
            key: function
            for key, function in inspect.getmembers(target, inspect.isfunction)
            if not key.startswith("_") and function.__module__ == target.__name__
        }
    functions = dict(cast("Mapping[str, Any]", target)) if isinstance(target, Mapping) else {name: target}
    if not all(map(callable, functions.values())):
        raise ConfigurationError(
            f"functions {label!r}: expected a function, functions by name, or a module, got {shorten(cast('Any', target))}"
        )
    return functions
