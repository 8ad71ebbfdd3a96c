"""Choice of the best contender, with its optimism, and the cost of verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import msgspec
import numpy as np

from ..arrays import BoolArray, IntArray, folds_of
from ..intervals.clustered_rates import share_of
from ..intervals.measurement import Settings, measure
from ..sample import QUADRANTS, Estimator, Sample, make_sample
from ..statistic import Statistic, defined, undefined
from ..tables.calibration_table import AMOUNTS, Table
from .comparison_results import Costs
from .significance import simultaneous_level

_NO_INTERVAL = "no interval: the choices of the splits share their items, so their spread says too little"
"""Method of a held-out share."""


class Choice(NamedTuple):
    """The best contender, with its share right on all items and on held-out items.

    Attributes:
        best: Index of the contender that is right most often; the first of equals.
        apparent: Its share right on the items that chose it; the interval allows for the choice.
        held_out: Share right, over all folds, of whichever is best on the other folds; undefined with fewer
            than two clusters.
    """

    best: int
    apparent: Statistic
    held_out: Statistic


def best_of_many(right: BoolArray, cluster: IntArray, *, level: float = 0.95) -> Choice:
    """Choose the contender that is right most often, and score the choice on held-out items.

    The held-out share is cross-fitted: choose on nine tenths of the clusters and score on the last tenth, in turn.
    It has no interval: one from the spread over items or folds would cover too rarely if contenders are about
    equal. The interval of the best's share on all items is simultaneous for all contenders (Bonferroni), so it
    stays valid after the choice.

    Args:
        right: Whether each contender is right, shape ``(contenders, n)``, at least one item.
        cluster: Cluster number of each item, shape ``(n,)``; a cluster is never split.
        level: Nominal coverage.
    """
    best = int(right.mean(axis=1).argmax())
    all_contenders_level = simultaneous_level(level, len(right))
    share = share_of(right[best].astype(np.float64), cluster, level=all_contenders_level)
    method = f"{share.method}, for the best of {len(right)} contender{'' if len(right) == 1 else 's'}"
    apparent = msgspec.structs.replace(share, level=level, method=method)
    return Choice(best, apparent, _held_out(right, cluster, level))


def best_by_statistic(
    estimator: Estimator, quadrant: IntArray, cluster: IntArray, settings: Settings
) -> Choice | None:
    """Choose by a statistic of the 2x2 table, as `best_of_many` does by the share right.

    The held-out value is that of the pooled verdicts of the contenders chosen fold by fold. None if the
    statistic is undefined for one contender.

    Args:
        estimator: Statistic of which more is better.
        quadrant: Quadrant of each item by contender, shape ``(contenders, n)``: 2 if its label passes, plus 1
            if its score does.
        cluster: Cluster number of each item, shape ``(n,)``.
        settings: Interval settings.
    """
    counts = np.stack([np.bincount(row, minlength=4) for row in quadrant]).astype(np.float64)
    values = estimator.formula(counts, QUADRANTS)
    if not np.isfinite(values).all():
        return None
    best = int(values.argmax())
    label, score = (quadrant[best] // 2).astype(np.float64), (quadrant[best] % 2).astype(np.float64)
    apparent = simultaneous(estimator, make_sample(label, score, cluster), settings, of=len(quadrant))
    fold, folds = folds_of(cluster)
    if folds < 2:  # noqa: PLR2004 - nothing could be held out
        held_out = undefined("there is only one cluster, so nothing can be held out", n=len(cluster))
        return Choice(best, apparent, held_out)
    held_out_counts = np.zeros(4)
    for index in range(folds):
        # 2x2 tables of each contender inside the fold; `counts - inside` are those outside.
        inside = np.stack([np.bincount(row[fold == index], minlength=4) for row in quadrant])
        # A contender without a value on the other folds is never the best there.
        outside_values = np.nan_to_num(estimator.formula(counts - inside, QUADRANTS), nan=-np.inf)
        held_out_counts += inside[int(outside_values.argmax())]
    value = float(estimator.formula(held_out_counts, QUADRANTS))
    held_out = (
        defined(value, n=len(cluster), method=_NO_INTERVAL, level=settings.level)
        if np.isfinite(value)
        else undefined(estimator.undefined, n=len(cluster), level=settings.level)
    )
    return Choice(best, apparent, held_out)


def simultaneous(estimator: Estimator, sample: Sample, settings: Settings, *, of: int) -> Statistic:
    """Return a statistic, its interval valid for all ``of`` contenders at once (Bonferroni)."""
    wider_settings = settings._replace(level=simultaneous_level(settings.level, of))
    statistic = measure([estimator], sample, wider_settings)[estimator.name]
    return at_once(statistic, settings.level, of)


def at_once(statistic: Statistic, level: float, of: int) -> Statistic:
    """Label a statistic computed at a simultaneous level with the level of all ``of`` at once."""
    method = statistic.method if of == 1 or statistic.low is None else f"{statistic.method}, all {of} at once"
    return msgspec.structs.replace(statistic, level=level, method=method)


def _held_out(right: BoolArray, cluster: IntArray, level: float) -> Statistic:
    """Return the share right over all folds of whichever is best on the other folds."""
    n = right.shape[1]
    fold, folds = folds_of(cluster)
    if folds < 2:  # noqa: PLR2004 - nothing could be held out
        return undefined("there is only one cluster, so nothing can be held out", n=n, level=level)
    hits = 0
    for index in range(folds):
        chosen = int(right[:, fold != index].mean(axis=1).argmax())
        hits += int(right[chosen, fold == index].sum())
    return defined(hits / n, n=n, method=_NO_INTERVAL, level=level)


CostOf: TypeAlias = Callable[[str, float, float], float | None]
"""Function from a model's name (empty if unknown), prompt and completion tokens to US dollars; None if
prices are unknown."""


def costs(table: Table, rows: BoolArray | IntArray, cost_of: CostOf | None = None) -> Costs | None:
    """Add up the costs of some rows, or return None if no row has any.

    ``cost_of`` prices rows that have tokens but no cost. Tokens of cached replies count, too: this is the cost
    of the verdicts, not what this run paid.
    """
    rows_table = table.take(rows)
    amounts = {name: numbers for name, numbers in rows_table.numbers.items() if name in AMOUNTS}
    has_amount = np.zeros(len(rows_table), dtype=np.bool_)
    for numbers in amounts.values():
        has_amount |= np.isfinite(numbers)
    n_verdicts = int(has_amount.sum())
    if not n_verdicts:
        return None
    rows_table = rows_table.take(has_amount)
    calls, prompt, completion, cost = (_total(rows_table, name) for name in AMOUNTS)
    if cost is None and cost_of is not None:
        cost = _priced(rows_table, cost_of)
    return Costs(
        verdicts=n_verdicts,
        calls=calls,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=cost,
        tokens_per_verdict=None
        if prompt is None or completion is None
        else (prompt + completion) / n_verdicts,
        cost_per_verdict=None if cost is None else cost / n_verdicts,
    )


def _total(table: Table, name: str) -> float | None:
    numbers = table.numbers.get(name)
    return None if numbers is None or not np.isfinite(numbers).all() else float(numbers.sum())


def _priced(table: Table, cost_of: CostOf) -> float | None:
    """Return the cost of all rows at their judges' prices, or None if a price is unknown."""
    cost = 0.0
    for judge, rows in table.judge.present():
        prompt, completion = (
            _total(table.take(rows), name) for name in ("prompt_tokens", "completion_tokens")
        )
        price = (
            None
            if prompt is None or completion is None
            else cost_of(table.model_of(judge), prompt, completion)
        )
        if price is None:
            return None
        cost += price
    return cost
