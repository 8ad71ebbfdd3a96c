"""Labels of a table: from verdicts or a table of grades, with warnings about them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...records import Verdict
from ...tables.grades import as_number
from ...tables.label_index import LabelIndex
from ...tables.label_rounds import round_added
from ...tables.label_table import LabelTable, OutputName
from ...tables.standing_labels import is_tie
from ..arrays import FloatArray
from .calibration_table import ADDED, IDENTITY, PERSON, TRIAL, Table
from .columns import Column


def with_label_table(table: Table, labels: LabelTable) -> Table:
    """Add the labels of a table of grades to a table of scores.

    Raises:
        InputError: No label belongs to an item, or one could belong to several outputs.
    """
    index = LabelIndex(labels)
    label = table.label.copy()
    added = table.numbers.get(ADDED, np.full(len(table), np.nan)).copy()
    people: dict[str, dict[int, float]] = {}
    outputs = _rows_by_output(table)
    for (output, item), rows in outputs.items():
        label_rows = index.labels_of(output, item)
        usable = [label_row for label_row in label_rows if label_row.is_usable]
        if not usable:
            continue
        last_score = usable[-1].score
        label[rows] = np.nan if last_score is None else last_score
        added[rows] = min(label_row.added for label_row in usable)
        for label_row in label_rows:
            if label_row.source == "human" and label_row.score is not None:
                people.setdefault(label_row.by, {}).update(dict.fromkeys(rows, label_row.score))
    n_unmatched = index.require_matched(output for output, _ in outputs)
    numbers = {f"{PERSON}{name}": _column(grades, len(table)) for name, grades in people.items()}
    warnings = (*table.warnings, *filter(None, [labels.unread.note()]))
    if n_unmatched:
        total = n_unmatched + len(index.used)
        warnings = (*warnings, unmatched_warning(n_unmatched, total, index.unmatched[0].id))
    return replace(table, label=label, numbers={**table.numbers, **numbers, ADDED: added}, warnings=warnings)


def with_unmatched_warning(table: Table, labels: Mapping[str, float]) -> Table:
    """Add a warning of labels that match no item, if there are any."""
    unmatched = labels.keys() - set(table.item.values)
    if not unmatched:
        return table
    warning = unmatched_warning(len(unmatched), len(labels), min(unmatched))
    return replace(table, warnings=(*table.warnings, warning))


def unmatched_warning(n_unmatched: int, total: int, first: str) -> str:
    """Return the warning of labels that match no item."""
    return f"{n_unmatched:,} of {total:,} labels match no item here, {first!r} for one"


def with_conflict_warning(table: Table) -> Table:
    """Add a warning of items whose rows have different labels, if there are any.

    Rows of another system, trial, repeat or order may have another label.
    """
    key = table.key(*IDENTITY[2:])
    labelled = np.flatnonzero(np.isfinite(table.label))
    first_label = np.empty(int(key.max()) + 1)
    # NumPy keeps the last of several assignments to an index, so go backwards.
    first_label[key[labelled[::-1]]] = table.label[labelled[::-1]]
    differs = labelled[table.label[labelled] != first_label[key[labelled]]]
    if not len(differs):
        return table
    n, name = len(np.unique(key[differs])), table.value("item_id", int(differs[0]))
    subject = "1 item has rows" if n == 1 else f"{n:,} items have rows"
    warning = f"{subject} with different labels, {name!r} for one; each row counts with its own"
    return replace(table, warnings=(*table.warnings, warning))


def _rows_by_output(table: Table) -> dict[tuple[OutputName, str], list[int]]:
    outputs: dict[tuple[OutputName, str], list[int]] = {}
    for row, item in enumerate(_items(table)):
        case, system, trial = split_item(item)
        system_name = table.value("system", row) if system is None else system
        number = _trial_number(table.value(TRIAL, row)) if trial is None else trial
        outputs.setdefault((OutputName(case, system_name, number), item), []).append(row)
    return outputs


def _trial_number(cell: str | None) -> int | None:
    """Return the number in a cell of the column `trial`, or None if labels cannot name it."""
    number = as_number(cell)
    return int(number) if number is not None and number.is_integer() and number >= 0 else None


def _items(table: Table) -> Iterator[str]:
    codes: list[int] = table.item.codes.tolist()
    return (table.item.values[code] for code in codes)


def split_item(item: str) -> OutputName:
    """Split ``case_id|system|trial``; any other id is the name of a case."""
    parts = item.rsplit("|", 2)
    if len(parts) == 3 and parts[2].isdecimal():  # noqa: PLR2004 - case, system, trial
        return OutputName(parts[0], parts[1], int(parts[2]))
    return OutputName(item)


def _column(scores: dict[int, float], rows: int) -> FloatArray:
    column = np.full(rows, np.nan)
    column[list(scores)] = list(scores.values())
    return column


def require_known_item(item: Column, values: Mapping[str, float], noun: str, *, path: object) -> None:
    """Require that at least one value belongs to an item in the table.

    Raises:
        InputError: No value does. The message names one item of the values and one of the table, to compare.
    """
    if any(name in values for name in item.values):
        return
    first = next(iter(values), None)
    raise InputError(
        f"no {noun} is graded"
        if first is None
        else f"no {noun} belongs to an item in the table: the first is for {first!r}, the first item_id of the table is {item.values[0]!r}"
        "; a verdict's item is case_id|system|trial",
        path=path,
    )


def by_item(item: Column, values: Mapping[str, float]) -> FloatArray:
    """Map values by item to rows; NaN for an item without a value."""
    return np.array([values.get(name, math.nan) for name in item.values])[item.codes]


class VerdictLabels(NamedTuple):
    """Labels by item, from verdicts; of several verdicts on one item the last counts.

    Attributes:
        scores: Label by item.
        people: Grades by person and item.
        checkers: Number of items whose label comes from a checker, by checker.
        rounds: Round in which a label was first added, by item.
    """

    scores: dict[str, float]
    people: dict[str, dict[str, float]]
    checkers: dict[str, int]
    rounds: dict[str, int]


def labels_from_verdicts(verdicts: Iterable[Verdict]) -> VerdictLabels:
    """Return the labels in verdicts, and their authors."""
    scores: dict[str, float] = {}
    people: defaultdict[str, dict[str, float]] = defaultdict(dict)
    checker_of_item: dict[str, str] = {}
    rounds: dict[str, int] = {}
    for verdict in verdicts:
        item = str(verdict.key)
        if is_tie(verdict):
            scores.pop(item, None)
            checker_of_item.pop(item, None)
        if verdict.score is None:
            continue
        scores[item] = verdict.score
        added = round_added(verdict)
        rounds[item] = min(rounds.get(item, added), added)
        checker_of_item.pop(item, None)
        if verdict.source == "human":
            people[verdict.by][item] = verdict.score
        elif verdict.source == "checker":
            checker_of_item[item] = verdict.by
    return VerdictLabels(scores, people, dict(Counter(checker_of_item.values())), rounds)
