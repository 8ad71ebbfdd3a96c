"""Decisions on the outputs of a run, as its calibration table counts them."""

from __future__ import annotations

from ..records import ItemKey
from ..tables.standing_labels import is_tie
from .store.journal_rows import StoredVerdict
from .store.run_store import RunStore


class DecidedOutputs:
    """Verdicts on a run's outputs by checkers, people and others who are not judges.

    They are looked up on demand, because a run may have a million.
    """

    def __init__(self, store: RunStore) -> None:
        self._standing = store.verdicts.standing
        self._sharded = store.manifest_or_empty.sharded

    def on(self, item: ItemKey) -> StoredVerdict | None:
        """Return the verdict on an output: a tie of people, else the last graded, else the first."""
        verdicts = self._verdicts_on(item)
        if not verdicts:
            return None
        tie = next(filter(is_tie, verdicts), None)
        return tie or next((verdict for verdict in reversed(verdicts) if verdict.graded), verdicts[0])

    def graded(self, item: ItemKey) -> StoredVerdict | None:
        """Return the verdict on an output if it has a score."""
        verdict = self.on(item)
        return verdict if verdict is not None and verdict.graded else None

    def unjudged(self, first: StoredVerdict) -> StoredVerdict | None:
        """Return the verdict that counts for an unjudged output, or None for a judged one.

        Also None if ``first`` is not the output's first verdict, so that each output is counted once.
        """
        if self._standing.is_judged(first.key):
            return None
        return self.on(first.key) if self._verdicts_on(first.key)[0].row == first.row else None

    def _verdicts_on(self, item: ItemKey) -> list[StoredVerdict]:
        verdicts = self._standing.other_verdicts(item)
        if self._sharded and len(verdicts) > 1:  # as in `VerdictIndex.sorted_rows`
            verdicts.sort(key=lambda verdict: (verdict.source != "checker", verdict.by, verdict.repeat))
        return verdicts
