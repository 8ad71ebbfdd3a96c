"""What a judge has to beat: judges that do not look, cheap ways to grade, and people among themselves."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..arrays import FloatArray, IntArray
from ..intervals.measurement import Settings
from ..statistic import Statistic
from ..statistics.krippendorff import Level
from ..tables.table import BASELINE, PERSON, Table
from .judge_panel import judge_panel
from .reliability import reliability
from .results import JudgeCalibration, People


def baselines_of(table: Table, settings: Settings) -> dict[str, JudgeCalibration]:
    """Panels to read beside those of the judges.

    Args:
        table: Labels, and the columns ``baseline:NAME`` and ``person:NAME`` where there are any.
        settings: How intervals are made.

    Returns:
        ``always_pass`` and ``always_fail`` on every labelled item. Where the table has them: each ``baseline:NAME`` under
        its name (``checker``, in a run folder: the checker against labels that are not its own), ``lexical`` (the
        judge that only compares words, when it is not the only judge), and ``human_human`` (one person as the judge of
        another, over every pair that looked at the same item; the earlier name is the label).
    """
    items = table.take(np.isfinite(table.label)).each_item_once()
    found = {
        "always_pass": items.with_scores(np.ones(len(items))),
        "always_fail": items.with_scores(np.zeros(len(items))),
    }
    for name, score in items.opinions(BASELINE).items():
        found[name] = _where_it_speaks(items, score)
    compares_words = [
        name in table.judges and table.judges[name].kind == "baseline" for name in table.judge.values
    ]
    lexical = np.array(compares_words)[table.judge.codes]
    if lexical.any() and not lexical.all():
        found["lexical"] = table.take(lexical)
    pairs = _pairs_of_people(table.each_item_once())
    if pairs is not None:
        found["human_human"] = pairs
    return {name: judge_panel(part, settings=settings) for name, part in found.items()}


def people_among_themselves(table: Table, settings: Settings) -> People | None:
    """How far the people of a table agree, all of them at once; None when no item has two of them.

    Args:
        table: With columns ``person:NAME``.
        settings: How intervals are made.

    Returns:
        Krippendorff's alpha at the nominal, ordinal and interval level.
    """
    items = table.each_item_once()
    people = items.opinions(PERSON)
    if len(people) < 2:  # noqa: PLR2004 - agreement takes two
        return None
    ratings = np.stack(list(people.values()))
    if not (np.isfinite(ratings).sum(axis=0) > 1).any():
        return None
    levels: tuple[Level, ...] = ("nominal", "ordinal", "interval")
    alphas: dict[str, Statistic] = {
        level: reliability(ratings, level, cluster=items.cluster, settings=settings) for level in levels
    }
    return People(list(people), alphas)


def _where_it_speaks(items: Table, score: FloatArray) -> Table:
    return items.with_scores(score).take(np.isfinite(score))


def _pairs_of_people(items: Table) -> Table | None:
    """A row for every two people on every item; None when no item has two."""
    people = items.opinions(PERSON)
    rows: list[IntArray] = []
    label: list[FloatArray] = []
    score: list[FloatArray] = []
    for first, second in combinations(sorted(people), 2):
        both = np.flatnonzero(np.isfinite(people[first]) & np.isfinite(people[second]))
        rows.append(both)
        label.append(people[first][both])
        score.append(people[second][both])
    if not sum(map(len, rows)):
        return None
    pairs = items.take(np.concatenate(rows)).with_scores(np.concatenate(score), np.concatenate(label))
    return pairs.without_slices()
