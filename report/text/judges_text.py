"""Table of judges: errors on labelled outputs, their upper bounds, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ..document import Piece
from ..document_table import FIRST, Cell, DocumentTable
from ..figures.forest_plot import interval_strip
from ..items.addresses import group_of, items_at
from ..markup import NOTHING
from ..trust import Trust
from . import number_text
from .systems_text import judge_names

_NAME = 26
"""Columns of a judge's name: more than of a system's, since a variant stands behind it."""


_CONTROL = "word overlap baseline"


def judges_table(
    trust: Sequence[Trust],
    *,
    most: int | None = None,
    why: bool = False,
    linked: bool = False,
    control: Trust | None = None,
) -> Iterator[Piece]:
    """Yield a table of judges, and the number of rows beyond ``most``.

    Variants alike share a row; a baseline, the ``control``, has the last one.

    With ``why`` each judge has its row, with the reason of its verdict in place of a drawing; with ``linked`` errors lead to
    their items.
    """
    groups = [[each] for each in trust] if why else list(alike(trust))
    shown = groups if most is None or len(groups) <= most else groups[: max(1, most - 1)]
    names = judge_names([each.judge for each in trust], columns=_NAME)
    rows = [
        (group_label(group, names.of(group[0].judge)), *_cells(group[0], why=why, linked=linked))
        for group in shown
    ]
    if control is not None:
        rows.append((_CONTROL, *_cells(control, why=why, linked=linked)))
    head = (
        "judge" + (f" ({names.shared})" if names.shared else ""),
        "passed bad",
        "failed good",
        "at worst",
        "verdict",
    )
    yield DocumentTable(head, rows, words=FIRST | {4}, indent=0)
    if left := [each for group in groups[len(shown) :] for each in group]:
        verdicts = {verdict_of(each) for each in left}
        yield f"{number_text.counted(len(left), 'more judge')}{f': {verdicts.pop()}' if len(verdicts) == 1 else ''}"


def alike(trust: Iterable[Trust]) -> Iterator[list[Trust]]:
    """Group adjacent variants of a judge that have the same errors and verdict."""
    for _, group in groupby(trust, key=_likeness):
        yield list(group)


def _likeness(each: Trust) -> tuple[object, ...]:
    panel = each.panel
    base = each.judge.rpartition("@")[0].partition("/")[0] or each.judge
    if not panel.n:
        base = each.judge
    return base, panel.fp, each.bad, panel.fn, each.good, each.word, each.checked_only, each.adjudicated


def group_label(group: Sequence[Trust], name: str) -> str:
    """Return the name of a judge, or of several variants: ``tool_call_accuracy x3``."""
    return name if len(group) == 1 else f"{name.partition('/')[0]} x{len(group)}"


def _cells(each: Trust, *, why: bool, linked: bool) -> tuple[str | Cell, ...]:
    worst, worse = each.at_worst, each.worse
    drawn = (
        NOTHING
        if worse is None or worse.value is None
        else interval_strip(worse.value, worse.low, worse.high)
    )
    return (
        _errors(each, "passes bad", each.panel.fp, each.bad, linked=linked),
        _errors(each, "fails good", each.panel.fn, each.good, linked=linked),
        "-" if worst is None else Cell(f"{100 * worst:.0f} %", figure=NOTHING if why else drawn),
        Cell(verdict_of(each), each.why if why else "", "" if why else each.why),
    )


def _errors(each: Trust, cell: str, errors: int, of: int, *, linked: bool) -> str | Cell:
    """Return errors of so many outputs, as a link where there are some."""
    shown = f"{errors:,} of {of:,}" if of else "-"
    if not (linked and errors):
        return shown
    return Cell(shown, link=items_at(group=group_of(each.judge, cell)))


def verdict_of(each: Trust) -> str:
    """Return the verdict, and whether it holds on checked outputs alone."""
    return f"{each.word} (checked)" if each.word == "proven" and each.checked_only else each.word
