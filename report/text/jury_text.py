"""Juries in words: how many independent votes each is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...calibration.agreement.diagnosis_results import JuryVotes
from .number_text import counted, statistic


def jury_lines(juries: Mapping[str, JuryVotes]) -> Iterator[str]:
    """Yield a sentence on each jury."""
    for name, jury in juries.items():
        worth = jury.votes
        if worth.value is None:
            yield f"{name}: not known how many independent votes its {jury.jurors:,} are worth: {worth.undefined}."
            continue
        by = (
            f"by their errors on {counted(worth.n, 'label')}"
            if jury.by == "labels"
            else f"by agreement on {counted(worth.n, 'output')}, where shared right answers look alike; labels tell more"
        )
        yield f"{name}: {jury.jurors:,} votes are worth {statistic(worth)} independent ones, {by}."
