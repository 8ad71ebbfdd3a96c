"""The true pass rate of each system, from judge scores and the labels that there are."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from scipy.special import chdtrc

from ...errors import InputError
from ..agreement.cautions import FEW_CLUSTERS
from ..arrays import IntArray
from ..lines import counted
from ..statistic import Statistic
from ..tables.table import ROUND, Table
from .ranking import ranks, simultaneous_level
from .rate_estimates import RateTerms, Target, judge_mean, rate_estimates, was_drawn
from .rate_interval import RateInterval
from .strata import stratified_items, with_strata
from .stratified import StratumEstimate

_ALARM = 0.01


def estimate(
    table: Table,
    *,
    judge: str | None = None,
    pass_at: float = 0.5,
    interval: RateInterval = "logit",
    level: float = 0.95,
    target: Target = "population",
    strata: str | None = None,
) -> dict[str, Any]:
    """Estimate the mean label of the population that the items are a sample of, or of just these items.

    Rows with a label are the labelled items, rows without one the unlabelled; the labelled must be a random sample of
    the whole. 0/1 labels make it a pass rate.

    Args:
        table: One judge's rows, or several judges' with ``judge``.
        judge: Whose scores to use.
        pass_at: A score passes when it is at least this; for the estimates that need two verdicts.
        interval: ``logit`` is clustered; ``wald`` takes items as independent, as other software does.
        level: Nominal coverage.
        target: The ``population`` behind the items, or the ``finite`` set that they are.
        strata: Also estimate stratum by stratum: a column, or ``score`` for parts by the judge's score.

    Returns:
        By system, and for ``all``: counts, ``judge_mean`` (``uncorrected`` has its interval), ``lambda``, ``label_equivalents``, ``estimates``, ``strata`` and, for systems,
        ``rank``, ready for JSON.

    Raises:
        InputError: Several judges and none is named, no such judge, or no such strata.
    """
    table = of_judge(table, judge)
    if strata is not None:
        table = with_strata(table, strata)
    terms = RateTerms(pass_at, interval, level, target)
    column = table.columns.get("system")
    systems = {} if column is None else {name: table.take(rows) for name, rows in column.present()}
    result = {name: _result(part, terms) for name, part in ({"all": table} | systems).items()}
    if len(systems) > 1:
        for name, rank in _ranks(systems, terms).items():
            result[name]["rank"] = msgspec.to_builtins(rank)
    return result


def of_judge(table: Table, judge: str | None) -> Table:
    """The rows of one judge.

    Raises:
        InputError: Several judges and none is named, or no such judge.
    """
    judges = dict(table.judge.present())
    if judge is None and len(judges) > 1:
        raise InputError(f"the table has {len(judges)} judges ({', '.join(judges)}); name one with --judge")
    if judge is not None and judge not in judges:
        raise InputError(f"there is no judge {judge!r}; there are {', '.join(judges)}")
    return table if judge is None else table.take(judges[judge])


def _result(table: Table, terms: RateTerms) -> dict[str, Any]:
    labelled, judged = np.isfinite(table.label), np.isfinite(table.score)
    found, uncorrected = rate_estimates(table, terms), judge_mean(table, terms)
    return {
        "n_labelled": int((labelled & judged).sum()),
        "n_unlabelled": int((judged & ~labelled).sum()),
        "n_missing": int((~judged).sum()),
        "n_clusters": len(np.unique(table.cluster)),
        "target": terms.target,
        "judge_mean": uncorrected.value,
        "uncorrected": msgspec.to_builtins(uncorrected),
        "lambda": found.weight,
        "label_equivalents": found.label_equivalents,
        "estimates": msgspec.to_builtins(found.estimates),
        "strata": None if found.strata is None else _by_stratum(found.strata),
        "rank": None,
        "warnings": [
            *_warnings(table.cluster[labelled & judged], terms),
            *_plainly_drawn(table),
            *_uneven(table),
        ],
    }


def _by_stratum(strata: dict[str, StratumEstimate]) -> dict[str, Any]:
    return {
        name: {
            "n": each.n,
            "n_labelled": each.n_labelled,
            "lambda": each.weight,
            "estimate": msgspec.to_builtins(each.estimate),
        }
        for name, each in strata.items()
    }


def _ranks(systems: dict[str, Table], terms: RateTerms) -> dict[str, Statistic]:
    """The place of each system by the best estimate that it has."""
    together = terms._replace(level=simultaneous_level(terms.level, len(systems)))
    rates = {name: _headline(rate_estimates(part, together).estimates) for name, part in systems.items()}
    return ranks(rates, level=terms.level)


def _headline(estimates: dict[str, Statistic]) -> Statistic:
    given = [
        estimates[name]
        for name in ("stratified_ppi", "active", "ppi_plus_plus", "labels_only")
        if name in estimates
    ]
    return next((each for each in given if each.value is not None), given[-1])


def _warnings(labelled_clusters: IntArray, terms: RateTerms) -> list[str]:
    clusters = len(np.unique(labelled_clusters))
    if clusters >= FEW_CLUSTERS or len(labelled_clusters) < 2 or terms.target == "finite":  # noqa: PLR2004 - no spread
        return []
    return [
        f"labels in only {counted(clusters, 'cluster')}; below {FEW_CLUSTERS} an interval may be too short"
    ]


def _plainly_drawn(table: Table) -> list[str]:
    """A word where a draw has no chances: what it is taken for, and what would make that wrong."""
    if ROUND not in table.numbers:
        return []
    plain = np.isfinite(table.numbers[ROUND]) & ~was_drawn(table)
    if not plain.any():
        return []
    items = counted(len(np.unique(table.item.codes[plain])), "item")
    meant = "taken for a simple random sample, which needs none; a draw by doubt or by stratum does"
    return [f"no label_probability for {items} of the draw: {meant}"]


def _uneven(table: Table) -> list[str]:
    """A word where labels are not spread over the strata as chance spreads them."""
    items = stratified_items(table)
    if items is None or was_drawn(table).any() or len(items.names) < 2:  # noqa: PLR2004 - one stratum is the whole
        return []
    size = np.bincount(items.stratum)
    known = np.bincount(items.stratum, weights=np.isfinite(items.label))
    share = known.sum() / size.sum()
    if not 0 < share < 1:
        return []
    chi2 = float(((known - share * size) ** 2 / (size * share * (1 - share))).sum())
    p = float(chdtrc(len(size) - 1, chi2))
    if p > _ALARM:
        return []
    return [
        f"labels are not spread evenly over the strata (p {p:.2g}): if that is how they were drawn, only stratified_ppi is valid"
    ]
