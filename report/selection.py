"""Which items a report shows when it cannot show all: disagreements first, in one pass and bounded memory."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable

import msgspec

from .item_view import STATUSES, ItemView, Status, status_of, view_of
from .model import ReportItem


class Selection(msgspec.Struct, frozen=True):
    """The rows to show, most worth reading first, and how many items there are of each status."""

    views: list[ItemView]
    totals: dict[Status, int]

    @property
    def total(self) -> int:
        """Items in all."""
        return sum(self.totals.values())

    @property
    def shown(self) -> dict[Status, int]:
        """Rows shown of each status."""
        found = Counter(view.status for view in self.views)
        return {status: found[status] for status in self.totals}


def select(items: Iterable[ReportItem], limit: int, pass_at: float) -> Selection:
    """Choose the items most worth reading.

    A row is made only when it is kept, and its texts are cut, so that memory depends on the limit alone.

    Args:
        items: All items, in the order of the run.
        limit: How many rows are kept at most.
        pass_at: From which score on a verdict counts as a pass.

    Returns:
        The rows by status (disagreements, not graded, wrong, right), within a status in the order given.
    """
    heap: list[tuple[int, int, ItemView]] = []  # its smallest entry is the row to give up next
    totals: Counter[Status] = Counter()
    for place, item in enumerate(items):
        status = status_of(item, pass_at)
        totals[status] += 1
        rank = (-STATUSES.index(status), -place)
        if len(heap) < limit:
            heapq.heappush(heap, (*rank, view_of(item, status, pass_at)))
        elif heap and rank > heap[0][:2]:
            heapq.heapreplace(heap, (*rank, view_of(item, status, pass_at)))
    views = [view for _, _, view in sorted(heap, key=lambda entry: entry[:2], reverse=True)]
    return Selection(views, {status: totals[status] for status in STATUSES})
