"""Entry point of `fiducial compare`: judges, prompts or systems on the same items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import InputError
from ..arrays import BoolArray, IntArray
from ..cautions import labels_of_checkers
from ..intervals.clustered_rates import share_of
from ..intervals.measurement import USUAL, Settings
from ..pass_threshold import GivenPassAt
from ..statistic_catalogue import ESTIMATORS
from ..tables.calibration_table import AMOUNTS, Column, Table
from . import limitations
from .choosing import CostOf, best_of_many, costs
from .comparison_results import Best, By, ComparisonNumbers, Contender, Costs, Right
from .contestants import Contestant, contestants_of
from .judges import JudgeTerms, judged_pair
from .outputs import graded_of, outputs_of
from .pairs import adjusted, every_pair
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
        by: ``judge``: which is right more often? ``system``: which passes more often, by what was decided and by what judges say of
            the rest?
        right: Of judges: ``agrees``, score and label fall on the same side of the cut; ``score`` or ``label``, that passes;
            None is ``agrees``, or ``score`` where nothing has a label. Of systems: ``score`` or ``label`` goes by that alone, ``agrees``
            compares how well they are judged, None goes by stratum.
        pass_at: From which score on verdicts pass, and labels beside them: for all judges, or by judge; None for the cuts that
            judges declare, and 0.5 for others.
        against: Compare only with this one.
        statistic: Whose difference is estimated, of judges or of how systems are judged; another than ``accuracy`` needs labels.
        flips: How many of the items on which a pair differs are listed.
        settings: How the interval of the difference is made; of systems only its level is used.
        cost_of: Prices of judges, for tables that have tokens and no costs.

    Raises:
        InputError: There are not two to compare, ``against`` is not one of them, labels are needed and there are none, or systems are
            to be compared by a statistic of judges.
    """
    table = table.cut_at(pass_at)
    if by == "system":
        if "system" not in table.columns:
            raise InputError("the table has no column system")
        if right != "agrees":
            if statistic != "accuracy":
                raise InputError(
                    f"{statistic} says how well systems are judged, which --right agrees compares; how good they are is the rate that passes"
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
    everybody = contestants_of(table, by, right)
    usable = {each.name: each for each in everybody if len(each.key)}
    _refuse_too_few(everybody, list(usable), by, right, terms.against)
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
        best=_best([(name, each.key, each.right, each.cluster) for name, each in usable.items()], level),
        cuts=dict(table.cuts),
        cautions=[
            *limitations.idle(everybody),
            *(limitations.of_cuts(usable, table.cuts, terms.against) if by == "judge" else []),
            *limitations.rough(pairs, terms.estimator),
            *labels_of_checkers(table.checkers),
        ],
    )


def _right(table: Table, asked: Right | None) -> Right:
    """Return the comparison criterion: the requested one, if the table has the labels it needs."""
    labelled = bool(np.isfinite(table.label).any())
    if asked in {"agrees", "label"} and not labelled:
        raise InputError(f"no row has a label, which --right {asked} needs; --right score compares without")
    return asked or ("agrees" if labelled else "score")


def _refuse_too_few(
    everybody: Sequence[Contestant], names: list[str], by: By, right: Right, against: str | None
) -> None:
    """Refuse where there are not two with usable rows, saying what else could be asked."""
    if len(names) < 2:  # noqa: PLR2004 - a comparison needs two
        found = f"only one {by} with usable rows ({names[0]})" if names else f"no {by} with usable rows"
        more = len(everybody) > 1 and right != "score"
        hint = f" (--right {right} needs labels; --right score does not)" if more else ""
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
        raise InputError(f"there is {found}; nothing to compare")
    _refuse_stranger(names, "system", terms.against)
    strata = strata_of(field, terms)
    whole = strata.all
    known = {name: each.take(each.known) for name, each in graded_of(field).items()}
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
            [(name, each.task, each.result == 1.0, each.cluster) for name, each in known.items()], terms.level
        ),
        cuts={judge: table.cut_of(judge) for judge in field.judges},
        cautions=[*limitations.of_systems(field, strata), *labels_of_checkers(table.checkers)],
        strata=strata,
    )


def _costs(table: Table, column: Column, cost_of: CostOf | None) -> dict[str, Costs | None]:
    """Return the cost of each value's rows."""
    if not table.numbers.keys() & set(AMOUNTS):
        return {}
    return {name: costs(table, rows, cost_of) for name, rows in column.rows().items()}


def _best(sides: Sequence[tuple[str, IntArray, BoolArray, IntArray]], level: float) -> Best | None:
    """Return the best on the items common to all.

    Each side has a name, keys, which items are right, and clusters.
    """
    common = sides[0][1]
    for _, key, _, _ in sides[1:]:
        common = np.intersect1d(common, key, assume_unique=True)
    if not len(common):
        return None
    right = np.stack([passed[np.searchsorted(key, common)] for _, key, passed, _ in sides])
    _, key, _, cluster = sides[0]
    choice = best_of_many(right, cluster[np.searchsorted(key, common)], level=level)
    return Best(name=sides[choice.best][0], n=len(common), apparent=choice.apparent, held_out=choice.held_out)
