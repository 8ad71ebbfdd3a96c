"""Entry point of `fiducial compare`, and the cautions that limit a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ...errors import InputError
from ..arrays import BoolArray, IntArray
from ..intervals.clustered_rates import share_of
from ..intervals.measurement import USUAL, Settings
from ..pass_threshold import GivenPassAt, PassThreshold
from ..sample import Estimator
from ..statistic import FEW_CLUSTERS, Caution, ComparisonCaution, labels_of_checkers
from ..statistic_catalogue import ESTIMATORS
from ..tables.calibration_table import AMOUNTS, Column, Table
from .choosing import CostOf, best_of_many, costs
from .comparison_results import (
    Best,
    By,
    ComparedPair,
    ComparedStratum,
    ComparisonNumbers,
    Contender,
    Costs,
    Right,
    Strata,
)
from .judges import JudgeTerms, judged_pair
from .outputs import FEWEST_LABELS, Field, graded_of, outputs_of
from .pairs import Contestant, adjusted, contestants_of, every_pair
from .systems import SystemTerms, strata_of

FEW_DIFFERING = 20
"""With fewer items that tell two judges apart, a bootstrap of their difference covers 91 to 93 % for 95."""

FEW_FOR_A_T_TEST = 10
"""With clusters that are worth fewer, an interval of a difference of shares is wide, and covers 91 to 93 % near 0 and 1."""


def rough(pairs: Sequence[ComparedPair], estimator: Estimator) -> list[Caution]:
    """Return cautions for differences whose interval is known to be rough."""
    names = {f"{pair.a} and {pair.b}": pair for pair in pairs if pair.n}
    shares = estimator.proportion is not None
    enough = FEW_FOR_A_T_TEST if shares else FEW_CLUSTERS
    clusters = {name: math.floor(pair.effective_clusters) for name, pair in names.items()}
    clusters = {name: count for name, count in clusters.items() if count < enough}
    differing = {name: pair.a_only_right + pair.b_only_right for name, pair in names.items()}
    few = {name: count for name, count in differing.items() if 0 < count < FEW_DIFFERING}
    return [*_one("few_clusters", clusters), *_one("few_differing", {} if shares else few)]


def idle(everybody: Sequence[Contestant]) -> list[Caution]:
    """Return a caution for contestants without usable rows, which are not compared.

    It counts their rows.
    """
    return _one("left_out", {each.name: each.left_out for each in everybody if not len(each.key)})


def differing_thresholds(
    contestants: Mapping[str, Contestant], thresholds: Mapping[str, PassThreshold], against: str | None
) -> list[Caution]:
    """Return cautions for compared judges whose different thresholds decide which is right."""
    unsaid: dict[str, int] = {}
    between: dict[str, int] = {}
    for first, second in ((contestants[a], contestants[b]) for a, b in every_pair(contestants, against)):
        low, high = sorted((first.threshold, second.threshold))
        if low == high:
            continue
        _, mine, theirs = np.intersect1d(first.key, second.key, assume_unique=True, return_indices=True)
        names = f"{first.name} and {second.name}"
        decided = (low <= first.label[mine]) & (first.label[mine] < high)
        between[names] = int(decided.sum())
        for each, rows in ((first, mine), (second, theirs)):
            if thresholds[each.name].source == "default":
                unsaid[names] = int((decided | ((low <= each.score[rows]) & (each.score[rows] < high))).sum())
    return [*_one("cut_not_declared", unsaid), *_one("labels_between_cuts", between)]


def of_systems(field: Field, strata: Strata) -> list[Caution]:
    """Return the cautions that limit a comparison of systems."""
    undecided, whole = strata.open, strata.all
    tasks = set[int]().union(*(each.task.tolist() for each in field.systems.values()))
    absent = {name: len(tasks) - len(each.task) for name, each in field.systems.items()}
    silent = {name: count - undecided.graded[name] for name, count in undecided.outputs.items()}
    some = {name: count for name, count in undecided.labelled.items() if count}
    drawn = {name: count for name, count in some.items() if count < undecided.graded[name]}
    return [
        *rough([*strata.decided.pairs, *undecided.pairs, *whole.pairs], ESTIMATORS["accuracy"]),
        *_one("no_output", absent),
        *_one("not_graded", silent),
        *_one("parts_differ", _apart(strata)),
        *_one(
            "uncorrected",
            {name: n for name, n in undecided.graded.items() if name not in undecided.corrected_systems},
        ),
        *_one("labels_of_some", _lacking(undecided) if some else {}),
        *_one("chosen_by_score", {name: undecided.labelled[name] for name in undecided.chosen}),
        *_one("corrected", {name: n for name, n in drawn.items() if name in undecided.corrected_systems}),
        *_one("repeats", field.repeats),
    ]


def _lacking(undecided: ComparedStratum) -> dict[str, int]:
    """Labels left to give each system that has undecided outputs and too few labels of them."""
    lacking = {
        name: FEWEST_LABELS - count for name, count in undecided.labelled.items() if undecided.graded[name]
    }
    return {name: count for name, count in lacking.items() if count > 0}


def _apart(strata: Strata) -> dict[str, int]:
    """Items with one decided and one undecided output, by pair."""
    parts = zip(strata.all.pairs, strata.decided.pairs, strata.open.pairs, strict=True)
    return {
        f"{whole.a} and {whole.b}": whole.n - decided.n - undecided.n for whole, decided, undecided in parts
    }


def _one(kind: ComparisonCaution, about: Mapping[str, int]) -> list[Caution]:
    counted: dict[str, float] = {name: count for name, count in about.items() if count}
    return [Caution(kind, counted)] if counted else []


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
        right: Of judges: ``agrees``, score and label fall on the same side of the threshold; ``score`` or ``label``, that passes;
            None is ``agrees``, or ``score`` if nothing has a label. Of systems: ``score`` or ``label`` goes by that alone, ``agrees``
            compares how well they are judged, None goes by stratum.
        pass_at: Pass threshold of verdicts, and of the labels beside them: for all judges or by judge; by default the one that
            a judge declares, else 0.5.
        against: Compare only with this one.
        statistic: Statistic whose difference is estimated, of judges or of how systems are judged; another than ``accuracy`` needs labels.
        flips: How many of the items on which a pair differs are listed.
        settings: How the interval of the difference is made; of systems only its level is used.
        cost_of: Prices of judges, for tables that have tokens and no costs.

    Raises:
        InputError: There are not two to compare, ``against`` is not one of them, labels are needed and there are none, or systems are
            to be compared by a statistic of judges.
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
    everybody = contestants_of(table, by, right)
    usable = {each.name: each for each in everybody if len(each.key)}
    systems = list(table.columns["system"].present()) if by == "judge" and "system" in table.columns else []
    _refuse_too_few(everybody, by, right, terms.against, systems=len(systems))
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
        cuts=dict(table.thresholds),
        cautions=[
            *idle(everybody),
            *(differing_thresholds(usable, table.thresholds, terms.against) if by == "judge" else []),
            *rough(pairs, terms.estimator),
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
    everybody: Sequence[Contestant], by: By, right: Right, against: str | None, *, systems: int
) -> None:
    """Refuse fewer than two with usable rows, and suggest another comparison."""
    names = [each.name for each in everybody if len(each.key)]
    if len(names) < 2:  # noqa: PLR2004 - a comparison needs two
        found = f"only one {by} with usable rows ({names[0]})" if names else f"no {by} with usable rows"
        more = len(everybody) > 1 and right != "score"
        hint = f" (--right {right} needs labels; --right score does not)" if more else ""
        hint = hint or (" (--by system compares the systems)" if systems > 1 else "")
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
            [(name, each.task, each.result == 1.0, each.cluster) for name, each in graded.items()],
            terms.level,
        ),
        cuts={judge: table.threshold_of(judge) for judge in field.judges},
        cautions=[*of_systems(field, strata), *labels_of_checkers(table.checkers)],
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
