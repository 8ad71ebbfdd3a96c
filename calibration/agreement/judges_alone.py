"""What the judges of a table say without the labels, by Dawid and Skene's model, for reading beside the labels."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np

from ..arrays import FloatArray
from ..statistic import Statistic, defined, undefined
from ..tables.table import Table
from .dawid_skene import DawidSkene, dawid_skene

_METHOD = "Dawid-Skene: no interval"


def judges_alone(table: Table, *, pass_at: float = 0.5) -> dict[str, Any]:
    """Fit Dawid and Skene's model to the verdicts of all judges, labels aside.

    Args:
        table: Scores; the first row of each judge and item counts.
        pass_at: A score passes when it is at least this.

    Returns:
        ``n`` items of which three judges or more speak, ``prevalence``, ``judges`` with their two rates, and ``pairs``: how often two judges agree, how often
        the model expects it, and the residual; ready for JSON. Where there is no model ``undefined`` says why.
    """
    names, verdicts = _verdicts(table, pass_at)
    found = dawid_skene(verdicts)
    if isinstance(found, str):
        return {"n": 0, "undefined": found}
    modelled = np.isfinite(found.posterior)
    n = int(modelled.sum())
    return {
        "n": n,
        "undefined": None,
        "prevalence": _plain(found.prevalence, n),
        "judges": {name: _rates(found, verdicts[:, modelled], number) for number, name in enumerate(names)},
        "pairs": [
            {
                "a": names[pair.a],
                "b": names[pair.b],
                "n": pair.n,
                "observed": pair.observed,
                "expected": pair.expected,
                "residual": pair.residual,
            }
            for pair in found.pairs
        ],
    }


def _verdicts(table: Table, pass_at: float) -> tuple[list[str], FloatArray]:
    """Judges, and what each says of every item: 1, 0, or NaN, shape ``(J, n)``."""
    item = np.unique(table.key("system"), return_inverse=True)[1]
    judges = table.judge.present()
    verdicts = np.full((len(judges), int(item.max(initial=-1)) + 1), np.nan)
    for number, (_, rows) in enumerate(judges):
        mine = np.flatnonzero(rows & np.isfinite(table.score))
        # Of repeats the first stands: later ones are written before it.
        verdicts[number, item[mine[::-1]]] = table.score[mine[::-1]] >= pass_at
    return [name for name, _ in judges], verdicts


def _rates(found: DawidSkene, verdicts: FloatArray, judge: int) -> dict[str, Any]:
    n = int(np.isfinite(verdicts[judge]).sum())
    rates = {"true_positive_rate": found.true_positive_rate, "true_negative_rate": found.true_negative_rate}
    return {"n": n} | {name: _plain(float(values[judge]), n) for name, values in rates.items()}


def _plain(value: float, n: int) -> dict[str, Any]:
    found: Statistic = (
        defined(value, n=n, method=_METHOD)
        if math.isfinite(value)
        else undefined("the model finds none of the judge's items to be of that class", n=n)
    )
    return msgspec.to_builtins(found)
