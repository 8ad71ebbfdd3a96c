"""Load custom environments and functions: ``module:Name`` options and registered ones."""

from __future__ import annotations

import inspect
import math
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

from ..errors import ConfigurationError, UsageError
from ..plugins import FUNCTIONS, WORLDS, look_up
from ..spelling import setting
from .finding import shorten


def load_environments(specs: Iterable[str] = (), folder: Path | None = None) -> Mapping[str, type]:
    """Return environment classes by name; specs take precedence over registered ones.

    Args:
        specs: Classes to import, as ``module:Class``.
        folder: An additional folder to look for modules in.

    Raises:
        UsageError: A spec is not of that form.
        ConfigurationError: There is no such module or name, or it is not an environment.
    """
    environments: dict[str, type] = {}
    for spec in specs:
        name = spec.partition(":")[2]
        if not name:
            raise UsageError(f"{setting('environment', f'{spec!r}')}: expected module:Class")
        environment = look_up("environment", spec, folder, "module:Class")
        if not WORLDS.accepts(environment):
            raise ConfigurationError(
                f"environment {spec!r}: expected {WORLDS.holds}, got {shorten(environment)}"
            )
        environments[name.rpartition(".")[2]] = environment
    return ChainMap(environments, cast("dict[str, type]", RegisteredEnvironments()))


def _is_built_in(name: str) -> bool:
    from .environments import ENVIRONMENTS  # noqa: PLC0415 - most cases need no world

    return name in ENVIRONMENTS


class RegisteredEnvironments(Mapping[str, type]):
    """Registered environments; packages are imported when one is looked up.

    An installed package never replaces a built-in environment, or verdicts would change without notice.
    """

    def __getitem__(self, name: str) -> type:
        if _is_built_in(name) and not WORLDS.is_decorated(name):
            raise KeyError(name)
        return WORLDS[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in WORLDS if WORLDS.is_decorated(name) or not _is_built_in(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def load_functions(specs: Iterable[str] = (), folder: Path | None = None) -> Mapping[str, Callable[..., Any]]:
    """Return functions by name; specs take precedence over registered ones.

    Args:
        specs: ``module:NAME`` of a function or a mapping of functions by name; or ``module``, for all public functions that it defines.
        folder: An additional folder to look for modules in.

    Raises:
        UsageError: A spec is not of that form.
        ConfigurationError: There is no such module or name, or it is neither a function nor a mapping of functions.
    """
    functions: dict[str, Callable[..., Any]] = {}
    for spec in specs:
        target = look_up("functions", spec, folder)
        functions.update(_functions(spec, spec.partition(":")[2].rpartition(".")[2], target))
    return ChainMap(functions, cast("dict[str, Any]", RegisteredFunctions()))


class RegisteredFunctions(Mapping[str, Callable[..., Any]]):
    """Registered and shipped functions; packages are imported at the first lookup.

    A package that cannot be loaded is an error only for names that no other package has.
    """

    @cached_property
    def _loaded(self) -> _LoadedFunctions:
        by_name: dict[str, Callable[..., Any]] = dict(SHIPPED)
        first_error: ConfigurationError | None = None
        for name in FUNCTIONS:
            try:
                by_name.update(_functions(name, name, FUNCTIONS[name]))  # one name can stand for several
            except ConfigurationError as error:
                first_error = first_error or error
        return _LoadedFunctions(by_name, first_error)

    def __getitem__(self, key: str) -> Callable[..., Any]:
        by_name, first_error = self._loaded
        if key not in by_name and first_error is not None:
            raise first_error
        return by_name[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded.by_name)

    def __len__(self) -> int:
        return len(self._loaded.by_name)


class _LoadedFunctions(NamedTuple):
    """Functions by name, and the error of the first package that could not be loaded."""

    by_name: dict[str, Callable[..., Any]]
    first_error: ConfigurationError | None


def _functions(label: str, name: str, target: Any) -> dict[str, Callable[..., Any]]:
    """Return the functions of a module, of a mapping, or of ``target`` itself under ``name``.

    Raises:
        ConfigurationError: One is not a function; ``label`` says in the message what the user asked for.
    """
    if isinstance(target, ModuleType):
        return {
            key: function
            for key, function in inspect.getmembers(target, inspect.isfunction)
            if not key.startswith("_") and function.__module__ == target.__name__  # not what it imports
        }
    functions = dict(cast("Mapping[str, Any]", target)) if isinstance(target, Mapping) else {name: target}
    if not all(map(callable, functions.values())):
        raise ConfigurationError(
            f"functions {label!r}: expected {FUNCTIONS.holds}, got {shorten(cast('Any', target))}"
        )
    return functions


_MAX_TRIALS = 1_000_000
"""More trials would keep a call busy for too long."""


def calc_binomial_probability(n: int, k: float, p: float) -> float:
    """Return the probability of exactly ``k`` successes in ``n`` independent trials.

    BFCL's executable entries call this function; the others that they call need the network.

    Raises:
        ValueError: The numbers are no trials, successes and probability, or there are more than a million trials.
    """
    if not (0 <= k <= n <= _MAX_TRIALS and k == int(k) and n == int(n) and 0 <= p <= 1):
        raise ValueError(f"expected 0 <= k <= n whole and p in [0, 1], got n={n}, k={k}, p={p}")
    trials, successes = int(n), int(k)
    if trials > 500:  # noqa: PLR2004 - products of larger numbers leave the range of floats
        if p in (0, 1):
            return float(successes == trials * p)
        logs = math.lgamma(trials + 1) - math.lgamma(successes + 1) - math.lgamma(trials - successes + 1)
        return math.exp(logs + successes * math.log(p) + (trials - successes) * math.log1p(-p))
    return float(math.comb(trials, successes) * p**successes * (1 - p) ** (trials - successes))


SHIPPED: Mapping[str, Callable[..., Any]] = {"calc_binomial_probability": calc_binomial_probability}
"""Functions that need not be registered, by name; custom functions take precedence."""
