"""Engines other than this process and its workers."""

from __future__ import annotations

from importlib.util import find_spec

from ..errors import MissingExtraError, UsageError
from ..evaluation.engines.ray_engine import RayEngine


def engine_of(name: str | None, address: str | None = None, workers: int | None = None) -> RayEngine | None:
    """Return the engine of this name, with ``workers`` tasks or actors at a time.

    It is started, or joined at the address, when work begins.

    Raises:
        UsageError: There is no such engine, or an address of none.
        MissingExtraError: It is not installed.
    """
    if name is None:
        if address is not None:
            raise UsageError("an address is of an engine: name it (--engine ray)")
        return None
    if name != "ray":
        raise UsageError(f"there is no engine {name!r}; ray is one")
    if find_spec("ray") is None:  # said before anything is begun
        raise MissingExtraError("ray", "--engine ray")
    return RayEngine(address, workers)
