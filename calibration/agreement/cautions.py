"""What a reader of a panel must know before believing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ..cautions import FEW_CLUSTERS, FEW_FOR_A_SHARE, FEW_OF_A_CLASS, AgreementCaution, Caution
from ..tables.table import PROBABILITY, Table
from ..thresholds.results import BetterCut
from .results import JudgeCalibration


def cautions(
    judges: Mapping[str, JudgeCalibration], table: Table, cuts: Mapping[str, BetterCut] | None = None
) -> list[Caution]:
    """What limits a panel.

    Args:
        judges: The panel of each judge.
        table: What they were computed from.
        cuts: What another cut would gain.

    Returns:
        One of each kind that there is.
    """
    said = {name: panel for name, panel in judges.items() if panel.n}
    numbers: dict[AgreementCaution, dict[str, float]] = {
        "nothing_said": {name: 0 for name, panel in judges.items() if not panel.n},
        "few_clusters": {
            name: panel.n_clusters for name, panel in said.items() if panel.n_clusters < FEW_CLUSTERS
        },
        "few_of_a_class": {name: few for name, panel in said.items() if (few := _smaller_class(panel))},
        "few_rows": {name: panel.n for name, panel in said.items() if panel.n < FEW_FOR_A_SHARE},
        "another_cut": {name: cut.better_at for name, cut in (cuts or {}).items() if cut.clear},
        "missing_verdicts": {name: panel.n_missing for name, panel in said.items() if panel.n_missing},
    }
    found = [Caution(kind, about) for kind, about in numbers.items() if about]
    if not all(panel.binary for panel in judges.values()):
        found.append(Caution("ece_biased"))
    return found + list(_drawn_unevenly(table))


def _smaller_class(panel: JudgeCalibration) -> int:
    """Labels of the smaller class that there is; 0 where both are large enough."""
    classes = (panel.tp + panel.fn, panel.fp + panel.tn)
    return min((count for count in classes if 0 < count < FEW_OF_A_CLASS), default=0)


def _drawn_unevenly(table: Table) -> Iterator[Caution]:
    chance = table.numbers.get(PROBABILITY)
    labelled = np.isfinite(table.label)
    if chance is not None and len(np.unique(chance[labelled & np.isfinite(chance)])) > 1:
        yield Caution("drawn_unevenly")
