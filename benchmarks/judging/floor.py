"""Least time that faults leave to a client that waits as long as the server asks.

It is computed from the faults alone.

List scheduling: items begin in the order of their file, as slots become free; one that is to be asked again waits outside the slots, and
comes before items that have not begun. Nothing is known in advance, and nothing but the server takes time: so this is what
a client without any work of its own would need, from its first call to the last reply.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

_ASKED_AT_MOST = 2
"""A reply that cannot be read is asked for once more."""


class Call(NamedTuple):
    """One call for an item.

    Attributes:
        seconds: How long it takes.
        wait: How long the server has its item wait before the next call for it, in seconds.
    """

    seconds: float
    wait: float = 0.0


def calls_of(
    fault: Callable[[int], str], latency: float, retry_after: float, *, most: int = 1000
) -> list[Call]:
    """The calls that one item takes.

    Args:
        fault: From the number of the attempt, counted from 1, to what it meets: ``429`` (asks to wait), ``500`` or ``drop`` (come at
            once), ``badjson``, ``garbage`` or ``hang`` (take as long as a reply: a hang is noticed no sooner), or ``ok``.
        latency: Seconds that a reply takes.
        retry_after: Seconds that a 429 asks to wait.
        most: Attempts looked at; what never ends is no item of a benchmark.

    Raises:
        ValueError: The item never ends.
    """
    calls: list[Call] = []
    unreadable = 0
    for attempt in range(1, most + 1):
        kind = fault(attempt)
        at_once = kind in {"429", "500", "drop"}
        calls.append(Call(0.0 if at_once else latency, retry_after if kind == "429" else 0.0))
        unreadable += kind == "garbage"
        if kind == "ok" or unreadable == _ASKED_AT_MOST:
            return calls
    raise ValueError(f"no end after {most} attempts")


def least_seconds(
    items: Iterable[Sequence[Call]], slots: int, *, opens: Callable[[int], float] = lambda _number: 0.0
) -> float:
    """Seconds from the first call to the last reply.

    Args:
        items: The calls of each item, in the order of their file.
        slots: Calls in flight at most.
        opens: From the number of a call, counted from 0, to the earliest second at which the server lets it in.
    """
    waiting = iter(items)
    again: list[tuple[float, int, Sequence[Call]]] = []
    free = [0.0] * slots
    begun = 0
    end = 0.0
    while True:
        slot = heapq.heappop(free)
        now = max(slot, opens(begun))
        due = bool(again) and again[0][0] <= now
        calls = None if due else next(waiting, None)
        if calls is None:
            if not again:
                return end
            allowed, _, calls = heapq.heappop(again)
            now = max(now, allowed)
        over = now + calls[0].seconds
        end = max(end, over)
        heapq.heappush(free, over)
        begun += 1
        if len(calls) > 1:
            heapq.heappush(again, (over + calls[0].wait, begun, calls[1:]))


def ratio(least: float, least_without_faults: float, start_up: float) -> float:
    """Return the least ratio of a run's time with faults to its time without.

    Args:
        least: Seconds under faults, by `least_seconds`.
        least_without_faults: The same without faults.
        start_up: Seconds that a run takes beside its calls, which both have.
    """
    return (start_up + least) / (start_up + least_without_faults)
