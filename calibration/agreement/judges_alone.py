"""What the judges of a table say without the labels, by Dawid and Skene's model, for reading beside the labels."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import FloatArray
from ..statistic import Statistic, defined, undefined
from ..tables.table import Table
from .dawid_skene import DawidSkene, dawid_skene
from .results import JudgesAlone, ModelledJudge, PairAgreement

_METHOD = "Dawid-Skene: no interval"


def judges_alone(table: Table) -> JudgesAlone:
    """Fit Dawid and Skene's model to the verdicts of all judges, labels aside.

    Args:
        table: Scores; the first row of each judge and item counts.

    Returns:
        The model, with the judges' names.
    """
    names, verdicts = _verdicts(table)
    found = dawid_skene(verdicts)
    if isinstance(found, str):
        return JudgesAlone(undefined=found)
    modelled = np.isfinite(found.posterior)
    n = int(modelled.sum())
    return JudgesAlone(
        n=n,
        prevalence=_plain(found.prevalence, n),
        judges={name: _rates(found, verdicts[:, modelled], number) for number, name in enumerate(names)},
        pairs=[
            PairAgreement(
                a=names[pair.a],
                b=names[pair.b],
                n=pair.n,
                observed=pair.observed,
                expected=pair.expected,
                residual=pair.observed - pair.expected,
            )
            for pair in found.pairs
        ],
    )


def _verdicts(table: Table) -> tuple[list[str], FloatArray]:
    """Judges, and what each says of every item: 1, 0, or NaN, shape ``(J, n)``."""
    item = np.unique(table.key("system"), return_inverse=True)[1]
    judges, passed = table.judge.present(), table.passed
    verdicts = np.full((len(judges), int(item.max(initial=-1)) + 1), np.nan)
    for number, (_, rows) in enumerate(judges):
        mine = np.flatnonzero(rows & np.isfinite(table.score))
        # Of repeats the first stands: later ones are written before it.
        verdicts[number, item[mine[::-1]]] = passed[mine[::-1]]
    return [name for name, _ in judges], verdicts


def _rates(found: DawidSkene, verdicts: FloatArray, judge: int) -> ModelledJudge:
    n = int(np.isfinite(verdicts[judge]).sum())
    tpr, tnr = (float(rates[judge]) for rates in (found.true_positive_rate, found.true_negative_rate))
    return ModelledJudge(n=n, true_positive_rate=_plain(tpr, n), true_negative_rate=_plain(tnr, n))


def _plain(value: float, n: int) -> Statistic:
    if math.isfinite(value):
        return defined(value, n=n, method=_METHOD)
    return undefined("the model finds none of the judge's items to be of that class", n=n)
