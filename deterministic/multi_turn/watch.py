"""Calls that change a world, looked for one by one."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

from .reference import StateReader
from .turn_checks import equal_in_kind
from .worlds import AnyWorld, State


class Watch:
    """Watch of worlds during a turn, from their state at its start."""

    def __init__(self, worlds: Mapping[str, AnyWorld], read: StateReader) -> None:
        self._worlds = worlds
        self._read = read
        self._start = self._before = self._snapshot()
        self._changing: list[str] = []

    def look_after(self, call: str) -> None:
        """Note a call if a state differs from that before it."""
        after = self._snapshot()
        if after is None or not equal_in_kind(self._before, after):
            self._changing.append(call)
        self._before = after

    @property
    def changing(self) -> Sequence[str]:
        """The calls that changed a state; none if the states are as they were at the start."""
        unchanged = self._start is not None and equal_in_kind(self._start, self._before)
        return [] if unchanged else self._changing

    def _snapshot(self) -> dict[str, State] | None:
        """Return a copy of all states; None if one cannot be read, which counts as a change."""
        try:
            return {name: copy.deepcopy(self._read(world)) for name, world in self._worlds.items()}
        except Exception:  # noqa: BLE001 - what the calls have done to this world is the model's doing
            return None
