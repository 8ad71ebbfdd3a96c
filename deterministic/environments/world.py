"""World: base class of the simulated worlds, with tables, loading and compared attributes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache, reduce
from importlib import resources
from operator import add
from random import Random
from typing import Any, ClassVar, cast


@cache
def table(name: str) -> dict[str, Any]:
    """Read a file of the folder ``data``, named without its ending, once per process.

    It is shared by all worlds: read it, copy what is to be changed or handed out.
    """
    package = __name__.rpartition(".")[0]
    return json.loads((resources.files(package) / "data" / f"{name}.json").read_text("utf-8"))


class World:
    """A simulated application, used for one check.

    An instance shares no mutable state with any other.

    ``load`` takes the part of a constructor; before it an instance has no state. Every other public method that a subclass adds is
    an API method, which a system under test may call. Arguments and results are plain JSON values. A call that the application
    refuses returns ``{"error": text}`` or raises; arguments of a wrong type go as far as Python's operators take them.

    The attributes that a subclass declares are compared, in that order, but for those it lists as not.
    """

    _TABLE: ClassVar[str]
    """The table whose ``defaults`` hold the attributes that a scenario may set."""

    _NOT_COMPARED: ClassVar[frozenset[str]] = frozenset()
    _compared: ClassVar[tuple[str, ...]]

    _random: Random
    """Set only if the table has a ``random_seed``."""

    long_context: bool

    def __init_subclass__(cls) -> None:
        cls._compared = tuple(name for name in cls.__annotations__ if name not in cls._NOT_COMPARED)

    def load(self, config: Mapping[str, Any], long_context: bool = False) -> None:  # noqa: FBT001, FBT002 - the contract
        """Start from a scenario.

        Args:
            config: Attribute to value; what is absent takes the default. It is copied.
            long_context: Whether the world is inflated with bulk data.
        """
        scenario_table = table(self._TABLE)
        for name, default in scenario_table["defaults"].items():
            setattr(self, name, copied(config.get(name, default)))
        self.long_context = long_context
        if "random_seed" in scenario_table:
            self._random = Random(config.get("random_seed", scenario_table["random_seed"]))  # noqa: S311 - a simulation

    def state(self) -> dict[str, Any]:
        """Return the compared attributes, by name.

        Cheap enough to be called after every turn, because nothing is copied: the values are the world's own objects. Read them
        before the next call, and do not change them.
        """
        return {name: getattr(self, name) for name in self._compared}


def copied(value: Any) -> Any:
    """Return a deep copy of a JSON value or a set.

    It is twice as fast as ``copy.deepcopy``, which keeps track of identities.
    """
    if isinstance(value, dict):
        return {key: copied(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [copied(item) for item in cast("list[Any]", value)]
    if isinstance(value, set):
        return set(cast("set[Any]", value))
    return value


def total(numbers: Iterable[float]) -> float:
    """Sum numbers from left to right, as BFCL's Python did.

    From Python 3.12 on ``sum`` compensates for rounding, and verdicts would differ.
    """
    return reduce(add, numbers, 0)


def error(text: str) -> dict[str, Any]:
    """Return the result of a call that the application refuses."""
    return {"error": text}
