"""Simulated labels and scores that people adjudicate, and the corrected rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fiducial.calibration import Settings, table_from_rows
from fiducial.calibration.agreement.adjudication import adjudicate
from fiducial.calibration.agreement.adjudication_results import AdjudicatedJudge
from fiducial.calibration.decisions import Decision, Decisions, drawn_rank


class Labelled(NamedTuple):
    """Labels and one judge's scores of a draw.

    Attributes:
        draw: Number of the draw, which names the rows and seeds the intervals.
        label: Whether each row is labelled right.
        score: Whether the judge says so.
        cluster: Rows that depend on each other.
    """

    draw: int
    label: NDArray[np.bool_]
    score: NDArray[np.bool_]
    cluster: NDArray[np.int64]

    def name(self, row: int) -> str:
        """Return the name of a row."""
        return f"{self.draw}.{row}"

    def to_decide(self, agreements: int) -> list[int]:
        """Return all rows on which label and judge disagree, and some drawn from the others."""
        agree = np.flatnonzero(self.label == self.score).tolist()
        drawn = sorted(agree, key=lambda row: drawn_rank(self.name(row), 0))
        return [*np.flatnonzero(self.label != self.score).tolist(), *drawn[:agreements]]

    def adjudicated(self, decided: Mapping[int, tuple[Decision, ...]]) -> AdjudicatedJudge:
        """Return the judge's rates, corrected by people's decisions of rows."""
        table = table_from_rows(
            {
                "item_id": self.name(row),
                "judge": "j",
                "label": float(self.label[row]),
                "score": float(self.score[row]),
                "cluster": str(self.cluster[row]),
            }
            for row in range(len(self.label))
        )
        decisions = Decisions({self.name(row): each for row, each in decided.items()})
        return adjudicate(table, decisions, Settings(seed=self.draw, replicates=500)).judges["j"]
