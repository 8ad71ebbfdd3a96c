"""Which items a report shows when it cannot show all: disagreements first, in one pass and bounded memory."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec

from ..calibration.cuts import Cut
from ..records import Author
from .item_view import STATUSES, ItemView, Status, status_of, view_of
from .model import Candidate, ReportItem


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


def select(items: Iterable[Candidate], limit: int, cuts: Mapping[Author, Cut]) -> Selection:
    """Choose the items most worth reading.

    Only what is shown is read, one item at a time, and its texts are cut, so that memory depends on the limit alone.

    Args:
        items: All items, in the order of the run.
        limit: How many rows are kept at most.
        cuts: From which score on the verdicts of each judge pass; 0.5 for those that are not there.

    Returns:
        The rows by status (disagreements, not graded, wrong, right), within a status in the order given.
    """
    heap: list[
        tuple[int, int, Callable[[], ReportItem]]
    ] = []  # its smallest entry is the row to give up next
    totals: Counter[Status] = Counter()
    for place, item in enumerate(items):
        status = status_of(item, cuts)
        totals[status] += 1
        entry = (-STATUSES.index(status), -place, item.read)
        if len(heap) < limit:
            heapq.heappush(heap, entry)
        elif heap and entry > heap[0]:
            heapq.heapreplace(heap, entry)
    views = [view_of(read(), STATUSES[-rank], cuts) for rank, _, read in sorted(heap, reverse=True)]
    return Selection(views, {status: totals[status] for status in STATUSES})
