"""Worlds in which two things go wrong at once: labels, ungraded outputs, trials, people."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiducial.calibration import compare, estimate, table_from_rows
from fiducial.calibration.arrays import FloatArray
from fiducial.calibration.statistic import Statistic
from fiducial.calibration.tables.calibration_table import Table

from .scenario import Scenario, share
from .uneven_outputs import World, world

_GOLDEN = 50
"""Labelled right outputs of a golden set, and wrong ones."""

_WRONG = 0.15
"""Share of labels in which each person errs."""

_PEOPLE = ("ann", "bob", "eve")


def combined_worlds(draws: int) -> Iterator[Scenario]:
    """Simulate four pairs of difficulties."""
    yield from golden_set_of_one_system(draws)
    yield from golden_set_and_ungraded(draws)
    yield from people_who_err(draws)


def golden_set_of_one_system(draws: int) -> Iterator[Scenario]:
    """Compare two systems that pass 85 and 75 %; only the first has labels, half of them right."""
    rng = np.random.default_rng(701)
    invented, first, marked = list[bool](), list[bool](), list[bool]()
    for _ in range(draws):
        table = _golden_table(rng)
        undeclared, declared = estimate(table), estimate(table, labels_chosen_by="label")
        invented.append(
            undeclared.all.reported is not None
            or any(estimation.parts["b"].reported is not None for estimation in (undeclared, declared))
            or declared.all.reported is not None
        )
        first.append(_covers(declared.parts["a"].rate, 0.85))
        strata = compare(table, by="system", labels_chosen_by="label").strata
        assert strata is not None
        marked.append(not strata.all.corrected_systems and not strata.all.pairs[0].corrected)
    what = "golden set of one of two systems"
    yield share(f"{what}: a corrected rate of all, or of the other one", "", "0", invented)
    yield share(f"{what}: its own rate, declared", "", "93 % or more", first)
    yield share(f"{what}: the difference is marked as uncorrected", "", "100 %", marked)


def _golden_table(rng: np.random.Generator) -> Table:
    rows: list[dict[str, object]] = []
    for system, rate in (("a", 0.85), ("b", 0.75)):
        right = rng.random(600) < rate
        score = np.where(rng.random(600) < 0.9, right, ~right)
        known = {
            int(each)
            for side in ((right, ~right) if system == "a" else ())
            for each in rng.choice(np.flatnonzero(side), _GOLDEN, replace=False)
        }
        for n in range(600):
            row: dict[str, object] = {"item_id": f"c{n}|{system}|0", "system": system, "judge": "j"}
            row |= {"score": float(score[n]), "checker_score": None}
            rows.append(row | {"label": float(right[n]) if n in known else None})
    return table_from_rows(rows)


def golden_set_and_ungraded(draws: int) -> Iterator[Scenario]:
    """Leave 40 % of hard outputs ungraded; labels are of 40 right outputs and of 40 wrong ones."""
    rng = np.random.default_rng(702)
    covered, ranged = list[bool](), list[bool]()
    for _ in range(draws):
        drawn = world(rng, trials=lambda hard: np.ones(len(hard), dtype=np.int64), hidden=0.4)
        label = np.full(len(drawn.case), np.nan)
        for side in (drawn.passes, ~drawn.passes):
            known = rng.choice(np.flatnonzero(side), 40, replace=False)
            label[known] = drawn.passes[known]
        found = estimate(_table(drawn, label), labels_chosen_by="label").all
        covered.append(_covers(found.rate, drawn.truth))
        low, high = found.bounds or (1.0, 0.0)
        ranged.append(low <= drawn.truth <= high)
    what = "golden set, and hard outputs ungraded"
    yield share(f"{what}: the rate of graded ones covers that of all", "", "", covered)
    yield share(f"{what}: the printed range has it", "", "95 % or more", ranged)


def people_who_err(draws: int) -> Iterator[Scenario]:
    """Let three people label outputs of cases with unequal trials, or with hard ones ungraded."""
    for what, trials, hidden in (
        ("unequal trials", _more_if_hard, 0.0),
        ("hard outputs ungraded", _once, 0.4),
    ):
        rng = np.random.default_rng([703, len(what)])
        said, exact, covered = list[bool](), list[bool](), list[bool]()
        for _ in range(draws):
            drawn = world(rng, trials=trials, hidden=hidden)
            found = estimate(_labelled_by_people(rng, drawn), labels_chosen_by="random").all
            errors = found.label_errors
            why = None if errors is None else errors.undefined
            said.append(why is not None or found.reported == "people_errors")
            exact.append(_covers(found.ppi_plus_plus, drawn.truth))
            if found.reported == "people_errors":
                covered.append(_covers(found.rate, drawn.truth))
        title = f"{what}, people wrong on 15 %"
        yield share(f"{title}: corrected, or said that labels are taken as exact and why", "", "100 %", said)
        yield share(f"{title}: labels taken as exact", "", "", exact)
        yield share(f"{title}: corrected", "", "93 % or more", covered)


def _labelled_by_people(rng: np.random.Generator, drawn: World) -> Table:
    """Return the rows with labels of 120 random outputs by three people, and their majority."""
    n = len(drawn.case)
    grades = np.full((len(_PEOPLE), n), np.nan)
    known = rng.choice(n, 120, replace=False)
    wrong = rng.random((len(_PEOPLE), 120)) < _WRONG
    passes: FloatArray = drawn.passes[known].astype(np.float64)
    grades[:, known] = wrong + (1.0 - 2.0 * wrong) * passes
    majority = np.where(np.isfinite(grades[0]), grades.sum(axis=0) * 2 > len(_PEOPLE), np.nan)
    return _table(drawn, majority, grades)


def _table(drawn: World, label: np.ndarray, people: np.ndarray | None = None) -> Table:
    rows: list[dict[str, object]] = []
    for n in range(len(drawn.case)):
        row: dict[str, object] = {
            "item_id": f"c{drawn.case[n]}|s|{drawn.trial[n]}",
            "judge": "j",
            "cluster": f"c{drawn.case[n]}",
            "score": _known(drawn.score[n]),
            "label": _known(label[n]),
        }
        for number, name in enumerate(_PEOPLE) if people is not None else ():
            row[f"person:{name}"] = None if people is None else _known(people[number, n])
        rows.append(row)
    return table_from_rows(rows)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _once(hard: np.ndarray) -> np.ndarray:
    return np.ones(len(hard), dtype=np.int64)


def _more_if_hard(hard: np.ndarray) -> np.ndarray:
    return np.where(hard, 8, 2)


def _covers(found: Statistic, truth: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= truth <= found.high
