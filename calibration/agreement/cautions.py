"""What a reader of a panel must know before believing it: one sentence for each reason, naming the judges it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..tables.table import PROBABILITY, Table

FEW_CLUSTERS = 20
"""With fewer clusters than this, their own spread is known too badly to promise the level."""

FEW_OF_A_CLASS = 30
"""With fewer labels of a class than this, the levels of the intervals were not shown to hold."""

FEW_FOR_A_SHARE = 200
"""Rows below which an interval of a share, which takes few values, may cover less than it says (`docs/calibration.md`, Measured)."""


def cautions(judges: Mapping[str, dict[str, Any]], table: Table) -> list[str]:
    """What limits a panel.

    Args:
        judges: The panel of each judge.
        table: What they were computed from.

    Returns:
        Sentences, none where nothing limits it.
    """
    said = {name: panel for name, panel in judges.items() if panel["n"]}
    silent = [name for name, panel in judges.items() if not panel["n"]]
    sentences = [
        _about("no row has both a label and a score, so nothing can be said of", silent),
        _about(
            f"fewer than {FEW_CLUSTERS} clusters, so that an interval may be too short:",
            _counted(said, "n_clusters", FEW_CLUSTERS),
        ),
        _about(
            f"fewer than {FEW_OF_A_CLASS} labels of a class, so that what rests on them is rough:",
            [f"{name} ({few})" for name, panel in said.items() if (few := _few_labels(panel))],
        ),
        _about(
            f"fewer than {FEW_FOR_A_SHARE} rows, so that a Wilson interval may cover a few points less, or more, than it says:",
            _counted(said, "n", FEW_FOR_A_SHARE),
        ),
        _about(
            "labelled rows without a verdict, which the statistics leave out:",
            [
                f"{name} ({panel['n_missing']:,} of {panel['n'] + panel['n_missing']:,})"
                for name, panel in said.items()
                if panel["n_missing"]
            ],
        ),
    ]
    if not all(panel["binary"] for panel in judges.values()):
        sentences.append(
            "ece is biased upwards: believe its interval, which allows for that, before its value"
        )
    return [sentence for sentence in (*sentences, *_drawn_unevenly(table)) if sentence]


def _about(what: str, names: list[str]) -> str:
    return f"{what} {', '.join(names)}" if names else ""


def _counted(judges: Mapping[str, dict[str, Any]], count: str, enough: int) -> list[str]:
    return [f"{name} ({panel[count]})" for name, panel in judges.items() if panel[count] < enough]


def _few_labels(panel: dict[str, Any]) -> str:
    passing = panel["tp"] + panel["fn"]
    classes = ((passing, "pass"), (panel["n"] - passing, "fail"))
    return " and ".join(f"{count} {sort}" for count, sort in classes if 0 < count < FEW_OF_A_CLASS)


def _drawn_unevenly(table: Table) -> Iterator[str]:
    chance = table.numbers.get(PROBABILITY)
    labelled = np.isfinite(table.label)
    if chance is not None and len(np.unique(chance[labelled & np.isfinite(chance)])) > 1:
        yield (
            "labels were drawn with unequal chances, which nothing here weighs: this is the agreement on the labelled items, "
            "not on all; `fiducial estimate` weighs them"
        )
