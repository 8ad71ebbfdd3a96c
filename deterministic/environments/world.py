"""Base class of environments: loads data and scenarios, and returns the compared attributes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache, reduce
from importlib import resources
from operator import add
from random import Random
from typing import Any, ClassVar, cast


@cache
def load_table(name: str) -> dict[str, Any]:
    """Read a JSON file of the folder ``data``, by its name without ending, once per process.

    All worlds share the table, so copy what is changed or returned.
    """
    package = __name__.rpartition(".")[0]
    return json.loads((resources.files(package) / "data" / f"{name}.json").read_text("utf-8"))


class World:
    """A simulated application, used for one check.

    Instances share no mutable state. ``load`` acts as the constructor: before it an instance has no state. Each other public method that
    a subclass adds is an API method, which a system under test may call. Arguments and results are JSON values; the types of arguments
    are not checked. A call that the application refuses returns ``{"error": text}`` or raises an exception. Names, texts and errors are
    BFCL's, since systems see them.

    The annotated attributes of a subclass are compared, in that order, except those in ``_NOT_COMPARED``.
    """

    _TABLE: ClassVar[str]
    """The table whose ``defaults`` are the attributes that a scenario may set, with their default values."""

    _NOT_COMPARED: ClassVar[frozenset[str]] = frozenset()
    _compared: ClassVar[tuple[str, ...]]

    _random: Random
    """Random numbers, if the table has a ``random_seed``."""

    long_context: bool

    def __init_subclass__(cls) -> None:
        cls._compared = tuple(name for name in cls.__annotations__ if name not in cls._NOT_COMPARED)

    def load(self, config: Mapping[str, Any], long_context: bool = False) -> None:  # noqa: FBT001, FBT002 - the contract
        """Start from a scenario.

        Args:
            config: Values by attribute, which are copied; other attributes get their default.
            long_context: Whether bulk data are added to the world.
        """
        scenario_table = load_table(self._TABLE)
        for name, default in scenario_table["defaults"].items():
            setattr(self, name, copy_value(config.get(name, default)))
        self.long_context = long_context
        if "random_seed" in scenario_table:
            self._random = Random(config.get("random_seed", scenario_table["random_seed"]))  # noqa: S311 - a simulation

    def state(self) -> dict[str, Any]:
        """Return the compared attributes, by name.

        Nothing is copied, so that the state can be read after every turn. Read the values before the next call, and do not change them.
        """
        return {name: getattr(self, name) for name in self._compared}


def copy_value(value: Any) -> Any:
    """Return a deep copy of a JSON value or a set.

    This is twice as fast as ``copy.deepcopy``, which keeps track of identities.
    """
    if isinstance(value, dict):
        return {key: copy_value(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [copy_value(item) for item in cast("list[Any]", value)]
    if isinstance(value, set):
        return set(cast("set[Any]", value))
    return value


def sum_left_to_right(numbers: Iterable[float]) -> float:
    """Sum numbers from left to right, as BFCL does.

    From Python 3.12, ``sum`` compensates for rounding, so verdicts would differ.
    """
    return reduce(add, numbers, 0)


def error(text: str) -> dict[str, Any]:
    """Return the result of a call that the application refuses."""
    return {"error": text}
