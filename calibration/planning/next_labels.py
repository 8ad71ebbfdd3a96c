"""Draw the items to label next: at random, by doubt about their labels, or by stratum."""

from __future__ import annotations

import hashlib

import numpy as np

from ...errors import InputError
from ..arrays import CodeArray, FloatArray, IntArray, bisected
from ..corrected_rate.active_labels import draw_probabilities
from ..corrected_rate.estimation import FurtherEstimates, estimate, rows_of_judge
from ..corrected_rate.strata import stratified_items, with_strata
from ..corrected_rate.stratified import MIN_STRATUM_LABELS, StratifiedItems, stratum_estimates
from ..statistic import Statistic
from ..tables.calibration_table import Table
from .plan_results import Draw, StratumPlan


def next_to_label(table: Table, count: int, *, seed: int = 0) -> list[str]:
    """Draw a simple random sample of the items without a label, in random order.

    Every estimate stays valid if labelling stops early, unless an interval decided when to stop.

    Raises:
        InputError: Every item has a label.
    """
    unlabelled = unlabelled_items(table)
    if not len(unlabelled):
        raise InputError("every item has a label, so there is nothing to draw from")
    draw = _generator(table, seed).permutation(unlabelled)[:count]
    return [table.item.values[item] for item in draw.tolist()]


def rate_so_far(table: Table) -> Statistic | None:
    """Return the rate by the labels so far, with an interval that is valid at every look.

    None without labels, or if the table has several judges.
    """
    if len(table.judge.present()) > 1 or not np.isfinite(table.label).any():
        return None
    return estimate(table, further=FurtherEstimates(anytime=True)).all.estimates["anytime"]


def unlabelled_items(table: Table) -> CodeArray:
    """Return the numbers of the items that have an unlabelled output, ascending.

    Several systems' outputs may have the same item id, and a label of one says nothing about another.
    """
    output = table.output_key()
    unlabelled = ~np.isin(output, output[np.isfinite(table.label)])
    return np.unique(table.item.codes[unlabelled])


def _generator(table: Table, seed: int) -> np.random.Generator:
    """Return the random generator of a round of labels.

    It depends on the items labelled so far. With the same random numbers in each round, a draw would depend on
    earlier ones, so the recorded chances would be wrong.
    """
    labelled = sorted(table.labelled_items())
    if not labelled:
        return np.random.default_rng(seed)
    digest = hashlib.sha256("\0".join(labelled).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:16], "big")])


def next_by_doubt(table: Table, count: int, *, seed: int = 0) -> dict[str, float]:
    """Draw items with higher chances where their labels are in doubt; return items and chances.

    Items are drawn independently, so their number varies around ``count``. All drawn items must be labelled,
    and the chances passed to `estimate` as the column ``label_probability``.

    Raises:
        InputError: The table has several judges, no item is judged and not labelled, or systems share items.
    """
    items = _drawable_items(table)
    chance = draw_probabilities(items.score, items.label, count)
    rng = _generator(table, seed)
    rows = rng.permutation(np.flatnonzero(rng.random(len(chance)) < chance))
    return {items.item.values[items.item.codes[row]]: float(chance[row]) for row in rows.tolist()}


def next_by_stratum(table: Table, count: int, by: str, *, seed: int = 0) -> Draw:
    """Draw a simple random sample in each stratum, by Neyman allocation from the labels so far.

    Every stratum reaches at least ten labels, or labels of all its items. All drawn items must be labelled,
    and `estimate` called with the same strata.

    Raises:
        InputError: There are several judges, nothing to draw from, no such strata, too few labels for all
            strata, or systems that share items.
    """
    available = len(unlabelled_items(table.take(np.isfinite(table.score))))
    table = with_strata(_drawable_items(table), by)
    items = stratified_items(table)
    if items is None:
        raise InputError("no item has a judge's score")
    estimates = stratum_estimates(items)
    size = np.array([stratum_estimate.n for stratum_estimate in estimates.values()])
    labelled = np.array([stratum_estimate.n_labelled for stratum_estimate in estimates.values()])
    spread = np.array([stratum_estimate.spread for stratum_estimate in estimates.values()])
    try:
        new_by_stratum = neyman_allocation(size, spread, labelled, count, least=MIN_STRATUM_LABELS)
    except ValueError as error:
        raise InputError(str(error)) from error
    plans = {
        name: StratumPlan(
            stratum_estimate.n, stratum_estimate.n_labelled, stratum_estimate.spread, new_labels
        )
        for (name, stratum_estimate), new_labels in zip(
            estimates.items(), new_by_stratum.tolist(), strict=True
        )
    }
    draws = _draw_by_stratum(items, plans, _generator(table, seed))
    codes: list[int] = table.item.codes.tolist()
    item_names = [table.item.values[code] for code in codes]
    return Draw(
        chances={item_names[row]: chance for row, _, chance in draws},
        of=available,
        strata=plans,
        stratum_of={item_names[row]: name for row, name, _ in draws},
    )


def _draw_by_stratum(
    items: StratifiedItems, plans: dict[str, StratumPlan], rng: np.random.Generator
) -> list[tuple[int, str, float]]:
    """Return row, stratum and chance of the drawn items, in random order."""
    draws: list[tuple[int, str, float]] = []
    for number, (name, plan) in enumerate(plans.items()):
        unlabelled = np.flatnonzero((items.stratum == number) & np.isnan(items.label))
        rows: list[int] = rng.permutation(unlabelled)[: plan.next].tolist()
        draws += [(row, name, plan.next / len(unlabelled)) for row in rows]
    order: list[int] = rng.permutation(len(draws)).tolist()
    return [draws[number] for number in order]


def _drawable_items(table: Table) -> Table:
    """Return the judged items of one judge, each once.

    Raises:
        InputError: There are several judges, every judged item has a label, or systems share items.
    """
    table = rows_of_judge(table, None)
    items = table.take(np.isfinite(table.score)).each_item_once()
    if not np.isnan(items.label).any():
        raise InputError("every judged item has a label, so there is nothing to draw from")
    if len(np.unique(items.item.codes)) < len(items):
        raise InputError(
            "outputs of several systems have the same item id, so an id names no single chance: draw from the rows of one system, or at random"
        )
    return items


def neyman_allocation(
    size: IntArray, spread: FloatArray, labelled: IntArray, count: int, *, least: int = 10
) -> IntArray:
    """Return the new labels for each stratum, shape ``(K,)``.

    They make the total labels of each stratum proportional to its size times its spread, which minimises the
    variance of a stratified mean. A stratum that already has too many labels leaves fewer for the others. In total a
    stratum gets at most as many labels as it has items, and at least ``least`` if it has so many items. The new
    labels sum to ``count`` if so many items are left.

    Source: Neyman 1934; for prediction-powered estimates Fisch et al. 2024 (arXiv 2406.04291).

    Raises:
        ValueError: There are too few labels for the minimum of every stratum.
    """
    min_labels = np.maximum(labelled, np.minimum(least, size))
    total = min(int(labelled.sum()) + count, int(size.sum()))
    if min_labels.sum() > total:
        needed = int((min_labels - labelled).sum())
        raise ValueError(f"{least} labels in each of {len(size)} strata take {needed} new ones, not {count}")
    exact = _bounded_shares(size * spread, min_labels, size, total)
    # The small addition keeps whole numbers whole in spite of rounding.
    allocated = np.clip(np.floor(exact + 1e-9).astype(np.int64), min_labels, size)
    # Labels lost by rounding down go to the largest remainders, one for each stratum.
    for stratum in np.argsort(allocated - exact, kind="stable")[: total - int(allocated.sum())]:
        allocated[stratum] += 1
    return allocated - labelled


def _bounded_shares(weight: FloatArray, low: IntArray, high: IntArray, total: int) -> FloatArray:
    """Return numbers proportional to the weights, within bounds, that sum to the total."""

    def is_enough(scale: float) -> bool:
        return bool(np.clip(scale * weight, low, high).sum() >= total)

    _, scale = bisected(0.0, float((high / weight).max()), is_enough, halvings=200)
    return np.clip(scale * weight, low, high)
