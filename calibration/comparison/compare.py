"""Entry point of `fiducial compare`: every pair of judges or systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ..arrays import BoolArray, IntArray
from ..intervals.clustered_rates import share_of
from ..intervals.measurement import USUAL, Settings
from ..pass_threshold import GivenPassAt
from ..statistic import labels_of_checkers
from ..statistic_catalogue import ESTIMATORS
from ..tables.calibration_table import AMOUNTS, Column, Table
from .choosing import CostOf, best_of_many, costs
from .comparison_cautions import (
    left_out_cautions,
    rough_interval_cautions,
    system_cautions,
    threshold_cautions,
)
from .comparison_results import (
    Best,
    By,
    ComparisonNumbers,
    Contender,
    Costs,
    Right,
)
from .judges import JudgeTerms, judged_pair
from .outputs import graded_of, outputs_of
from .pairs import Contestant, adjusted, contestants_of, every_pair
from .systems import SystemTerms, strata_of


def compare(
    table: Table,
    *,
    by: By = "judge",
    right: Right | None = None,
    pass_at: GivenPassAt = None,
    against: str | None = None,
    statistic: str = "accuracy",
    flips: int = 0,
    settings: Settings = USUAL,
    cost_of: CostOf | None = None,
) -> ComparisonNumbers:
    """Compare every pair on the items that both have.

    Args:
        table: Two or more judges, or systems.
        by: ``judge``: which judge is right more often? ``system``: which system passes more often, by
            decisions and by judges' verdicts on the other outputs?
        right: For judges: ``agrees``, score and label fall on the same side of the threshold; ``score`` or
            ``label``, that one passes; None is ``agrees``, or ``score`` without any label. For systems:
            ``score`` or ``label`` uses that alone, ``agrees`` compares how well they are judged, None
            compares by stratum.
        pass_at: Pass threshold of verdicts and of their labels: for all judges or by judge; by default the
            one that a judge declares, else 0.5.
        against: Compare only with this one.
        statistic: Statistic whose difference is estimated, for judges or for how well systems are judged; any
            but ``accuracy`` needs labels.
        flips: Number of items on which a pair differs to list.
        settings: Interval of the difference; for systems only its level is used.
        cost_of: Prices of judges, for tables with tokens but no costs.

    Raises:
        InputError: There are fewer than two to compare, ``against`` is not one of them, needed labels are
            missing, or systems are compared by a statistic of judges.
    """
    table = table.with_pass_at(pass_at)
    if by == "system":
        if "system" not in table.columns:
            raise InputError("the table has no column system; name it with --map system=COLUMN")
        if right != "agrees":
            if statistic != "accuracy":
                raise InputError(
                    f"{statistic} measures agreement: add --right agrees, or drop --statistic to compare pass rates"
                )
            terms = SystemTerms(table.item.values, against, flips, settings.level)
            return _systems(table, terms, right=right, cost_of=cost_of)
    terms = JudgeTerms(ESTIMATORS[statistic], table.item.values, against, flips, settings)
    return _judges(table, terms, by=by, right=right, cost_of=cost_of)


def _judges(
    table: Table, terms: JudgeTerms, *, by: By, right: Right | None, cost_of: CostOf | None
) -> ComparisonNumbers:
    level = terms.settings.level
    right = _right(table, right)
    contestants = contestants_of(table, by, right)
    usable = {each.name: each for each in contestants if len(each.key)}
    systems = list(table.columns["system"].present()) if by == "judge" and "system" in table.columns else []
    _refuse_too_few(contestants, by, right, terms.against, systems=len(systems))
    pairs = adjusted(
        [judged_pair(usable[a], usable[b], terms) for a, b in every_pair(usable, terms.against)], level
    )
    spent = _costs(table, table.judge if by == "judge" else table.columns["system"], cost_of)
    return ComparisonNumbers(
        by=by,
        right=right,
        statistic=terms.estimator.name,
        pairs=pairs,
        contenders={
            name: Contender(
                n=len(each.right),
                n_left_out=each.left_out,
                share_right=share_of(each.right.astype(np.float64), each.cluster, level=level),
                costs=spent.get(name),
            )
            for name, each in usable.items()
        },
        best=_best([_Side(name, each.key, each.right, each.cluster) for name, each in usable.items()], level),
        cuts=dict(table.thresholds),
        cautions=[
            *left_out_cautions(contestants),
            *(threshold_cautions(usable, table.thresholds, terms.against) if by == "judge" else []),
            *rough_interval_cautions(pairs, terms.estimator),
            *labels_of_checkers(table.checkers),
        ],
    )


def _right(table: Table, requested: Right | None) -> Right:
    """Return the comparison criterion: the requested one, if the table has the labels it needs."""
    labelled = bool(np.isfinite(table.label).any())
    if requested in {"agrees", "label"} and not labelled:
        raise InputError(
            f"no row has a label, which --right {requested} needs; --right score compares without"
        )
    return requested or ("agrees" if labelled else "score")


def _refuse_too_few(
    contestants: Sequence[Contestant], by: By, right: Right, against: str | None, *, systems: int
) -> None:
    """Refuse fewer than two with usable rows, and suggest another comparison."""
    names = [each.name for each in contestants if len(each.key)]
    if len(names) < 2:  # noqa: PLR2004 - a comparison needs two
        found = f"only one {by} with usable rows ({names[0]})" if names else f"no {by} with usable rows"
        more = len(contestants) > 1 and right != "score"
        hint = f" (--right {right} needs labels; --right score does not)" if more else ""
        hint = hint or (" (--by system compares the systems)" if systems > 1 else "; name a second table")
        raise InputError(f"there is {found}; nothing to compare{hint}")
    _refuse_stranger(names, by, against)


def _refuse_stranger(names: Sequence[str], by: By, against: str | None) -> None:
    if against is not None and against not in names:
        raise InputError(f"there is no {by} {against!r}; there are {', '.join(names)}")


def _systems(
    table: Table, terms: SystemTerms, *, right: Right | None, cost_of: CostOf | None
) -> ComparisonNumbers:
    field = outputs_of(table, right)
    names = list(field.systems)
    if len(names) < 2:  # noqa: PLR2004 - a comparison needs two
        found = f"only one system with outputs ({names[0]})" if names else "no system with outputs"
        raise InputError(
            f"there is {found}; nothing to compare; `fiducial report RUN1 RUN2` compares two runs of one system"
        )
    _refuse_stranger(names, "system", terms.against)
    strata = strata_of(field, terms)
    whole = strata.all
    graded = {name: each.take(each.is_graded) for name, each in graded_of(field).items()}
    spent = _costs(table, table.columns["system"], cost_of)
    return ComparisonNumbers(
        by="system",
        right=right,
        statistic="accuracy",
        pairs=whole.pairs,
        contenders={
            name: Contender(
                n=whole.graded[name],
                n_left_out=whole.outputs[name] - whole.graded[name],
                share_right=whole.rates[name],
                costs=spent.get(name),
            )
            for name in names
        },
        best=None
        if whole.corrected
        else _best(
            [_Side(name, each.task, each.result == 1.0, each.cluster) for name, each in graded.items()],
            terms.level,
        ),
        cuts={judge: table.threshold_of(judge) for judge in field.judges},
        cautions=[*system_cautions(field, strata), *labels_of_checkers(table.checkers)],
        strata=strata,
    )


def _costs(table: Table, column: Column, cost_of: CostOf | None) -> dict[str, Costs | None]:
    """Return the cost of each value's rows."""
    if not table.numbers.keys() & set(AMOUNTS):
        return {}
    return {name: costs(table, rows, cost_of) for name, rows in column.rows().items()}


class _Side(NamedTuple):
    """One contender for the best; arrays of shape ``(n,)``, keys ascending."""

    name: str
    key: IntArray
    right: BoolArray
    cluster: IntArray


def _best(sides: Sequence[_Side], level: float) -> Best | None:
    """Return the best on the items common to all; None without such an item."""
    first = sides[0]
    common = first.key
    for side in sides[1:]:
        common = np.intersect1d(common, side.key, assume_unique=True)
    if not len(common):
        return None
    right = np.stack([side.right[np.searchsorted(side.key, common)] for side in sides])
    choice = best_of_many(right, first.cluster[np.searchsorted(first.key, common)], level=level)
    return Best(
        name=sides[choice.best].name, n=len(common), apparent=choice.apparent, held_out=choice.held_out
    )
