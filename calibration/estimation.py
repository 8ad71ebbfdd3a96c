"""The true pass rate of each system, from judge scores and the labels that there are."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ..errors import InputError
from .arrays import IntArray
from .panel import FEW_CLUSTERS
from .ranking import ranks, simultaneous_level
from .rate_estimates import RateTerms, Target, rate_estimates
from .statistic import Statistic
from .table import Table
from .true_rate import RateInterval


def estimate(
    table: Table,
    *,
    judge: str | None = None,
    pass_at: float = 0.5,
    interval: RateInterval = "logit",
    level: float = 0.95,
    target: Target = "population",
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

    Returns:
        By system, and for ``all``: counts, ``lambda``, ``label_equivalents``, ``estimates`` and, for systems, ``rank``,
        ready for JSON.

    Raises:
        InputError: Several judges and none is named, or no such judge.
    """
    table = of_judge(table, judge)
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
    found = rate_estimates(table, terms)
    return {
        "n_labelled": int((labelled & judged).sum()),
        "n_unlabelled": int((judged & ~labelled).sum()),
        "n_missing": int((~judged).sum()),
        "n_clusters": len(np.unique(table.cluster)),
        "target": terms.target,
        "judge_mean": float(table.score[judged].mean()) if judged.any() else None,
        "lambda": found.weight,
        "label_equivalents": found.label_equivalents,
        "estimates": msgspec.to_builtins(found.estimates),
        "rank": None,
        "warnings": _warnings(table.cluster[labelled & judged], terms),
    }


def _ranks(systems: dict[str, Table], terms: RateTerms) -> dict[str, Statistic]:
    """The place of each system by the best estimate that it has."""
    together = terms._replace(level=simultaneous_level(terms.level, len(systems)))
    rates = {name: _headline(rate_estimates(part, together).estimates) for name, part in systems.items()}
    return ranks(rates, level=terms.level)


def _headline(estimates: dict[str, Statistic]) -> Statistic:
    given = [estimates[name] for name in ("active", "ppi_plus_plus", "labels_only") if name in estimates]
    return next((each for each in given if each.value is not None), given[-1])


def _warnings(labelled_clusters: IntArray, terms: RateTerms) -> list[str]:
    clusters = len(np.unique(labelled_clusters))
    if clusters >= FEW_CLUSTERS or len(labelled_clusters) < 2 or terms.target == "finite":  # noqa: PLR2004 - no spread
        return []
    return [f"only {clusters} clusters have labels; below {FEW_CLUSTERS} an interval may be too short"]
