"""Tables of judges: their errors against labels, and the verdict on each.

`trust_words` decides the verdicts; here they are laid out, for the run's screen and for pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from ...calibration.comparison.comparison_results import ComparedPair
from ...judges.baseline import is_baseline_name
from ..document import Piece
from ..document_parts import FIRST, Cell, DocumentTable
from ..items.naming import NAME, apart, fitted, group_of, items_at
from . import number_text
from .safe_text import WIDTH, columns_of
from .systems_text import judge_names
from .trust_words import LOW_ERRORS, OFF_WORDS, Trust, TrustWord

_SHORT_LOW_ERRORS = "both below 10 %"
"""`LOW_ERRORS` in a table with columns of both error rates."""

BASELINE_NAMES = {"always_pass": "always pass", "always_fail": "always fail"}
"""Constant judges, which do not read the output, in words."""

CONSTANTS = tuple(BASELINE_NAMES)
"""Names of the constant judges; the first passes everything."""

PASSED_BAD, FAILED_GOOD = "let through", "rejected"
"""The two errors of a judge: bad outputs that it passed, and good ones that it failed."""

_NAME_COLUMNS = 26
"""Width of a judge's name: more than a system's (`NAME`), since it includes a variant."""

CONTROL = "word overlap baseline"
"""Name of the baseline judge in tables; it is a control, since it compares words without reading."""


def with_baseline(pair: ComparedPair) -> bool:
    """Return whether a pair compares something with a word overlap baseline."""
    return is_baseline_name(pair.a) or is_baseline_name(pair.b)


def judges_table(
    trust: Sequence[Trust],
    *,
    most: int | None = None,
    why: bool = False,
    linked: bool = False,
    control: Trust | None = None,
) -> Iterator[Piece]:
    """Yield a table of judges; variants of a judge with equal results share a row.

    Args:
        trust: The verdicts on the judges.
        most: Most rows, or None for all; judges beyond are counted below the table.
        why: Give each judge its own row, with the reason for its verdict.
        linked: Link counts of errors to their items on the page.
        control: Verdict on the baseline, which gets the last row.
    """
    groups = [[verdict] for verdict in trust] if why else list(same_results(trust))
    shown_groups = groups if most is None or len(groups) <= most else groups[: max(1, most - 1)]
    names = judge_names([verdict.judge for verdict in trust], columns=_NAME_COLUMNS)
    rows = [
        (group_label(group, names.of(group[0].judge)), *_cells(group[0], why=why, linked=linked))
        for group in shown_groups
    ]
    if control is not None:
        rows.append((CONTROL, *_cells(control, why=why, linked=linked)))
    head = (
        "judge" + (f" ({names.shared})" if names.shared else ""),
        Cell(PASSED_BAD, title="Bad outputs, by their labels, that the judge let through"),
        Cell(FAILED_GOOD, title="Good outputs, by their labels, that the judge rejected"),
        Cell("at worst", title="The larger of the upper limits of the two error rates"),
        "verdict",
    )
    table = DocumentTable(head, rows, left_aligned=FIRST | {4}, indent=0)
    yield table if why or linked else _with_short_names(table)
    if hidden := [verdict for group in groups[len(shown_groups) :] for verdict in group]:
        verdict_texts = {verdict_of(verdict) for verdict in hidden}
        shared = f": {_plural_verdict(len(hidden), verdict_texts.pop())}" if len(verdict_texts) == 1 else ""
        yield f"{number_text.counted(len(hidden), 'more judge')}{shared}"


def _plural_verdict(judges: int, verdict: str) -> str:
    """Return a verdict with its verb in the plural if there are several: ``need more labels``."""
    verb, blank, rest = verdict.partition(" ")
    return verdict if judges == 1 else f"{_PLURAL_VERBS.get(verb, verb)}{blank}{rest}"


_PLURAL_VERBS = {"needs": "need", "errs": "err", "passes": "pass", "scores": "score"}


def _with_short_names(table: DocumentTable) -> DocumentTable:
    """Shorten the names in the first column so that the table fits on a screen."""
    names = [str(row[0]) for row in table.rows]
    excess = max(map(columns_of, table.lines())) - WIDTH
    if excess <= 0 or not names:
        return table
    short = apart(names, max(map(columns_of, names)) - excess)
    return replace(table, rows=[(name, *row[1:]) for name, row in zip(short, table.rows, strict=True)])


def same_results(trust: Iterable[Trust]) -> Iterator[list[Trust]]:
    """Yield groups of adjacent verdicts: variants of one judge with the same errors and verdict."""
    for _, group in groupby(trust, key=_row_key):
        yield list(group)


def _row_key(trust: Trust) -> tuple[object, ...]:
    """Return what verdicts must share to stand in one row; without labels, also the variant."""
    panel = trust.panel
    base = trust.judge.rpartition("@")[0].partition("/")[0] or trust.judge  # of name/variant@model
    if not panel.n:
        base = trust.judge
    return base, panel.fp, trust.bad, panel.fn, trust.good, trust.word, trust.checked_only, trust.adjudicated


def group_label(group: Sequence[Trust], name: str) -> str:
    """Return the name of a judge, or of several variants: ``tool_call_accuracy x3``."""
    if len(group) == 1:
        return name
    base = name.partition("/")[0]
    if "..." in base:  # it was shortened, and without its variant may fit
        base = fitted(group[0].judge.partition("/")[0], NAME)
    return f"{base} x{len(group)}"


def _cells(trust: Trust, *, why: bool, linked: bool) -> tuple[str | Cell, ...]:
    worst = trust.worst_error_rate
    return (
        _error_cell(trust, PASSED_BAD, trust.panel.fp, trust.bad, linked=linked),
        _error_cell(trust, FAILED_GOOD, trust.panel.fn, trust.good, linked=linked),
        "-" if worst is None else f"{100 * worst:.0f} %",
        Cell(verdict_of(trust), trust.why if why else "", "" if why else trust.why),
    )


def _error_cell(trust: Trust, cell: str, errors: int, of: int, *, linked: bool) -> str | Cell:
    text = f"{errors:,} of {of:,}" if of else "-"
    if not (linked and errors):
        return text
    return Cell(text, link=items_at(group=group_of(trust.judge, cell)))


def heading_of(word: TrustWord) -> str:
    """Return a verdict as the heading above its judges in a table."""
    return _SHORT_LOW_ERRORS if word == LOW_ERRORS else word.removesuffix(" than labels do")


def verdict_of(trust: Trust) -> str:
    """Return a verdict for a table; low errors on checked outputs alone are marked so."""
    if trust.word in OFF_WORDS:
        return OFF_WORDS[trust.word][0].format(points([trust]))
    if trust.word != LOW_ERRORS:
        return trust.word
    return f"{_SHORT_LOW_ERRORS}{' (checked)' if trust.checked_only else ''}"


def points(trust: Sequence[Trust]) -> str:
    """Return how far judges' rates are off the labels', in percent points: ``6 to 12 points``."""
    ends = dict.fromkeys(_in_points(pick(abs(verdict.off) for verdict in trust)) for pick in (min, max))
    return f"{' to '.join(ends)} {'point' if list(ends) == ['1'] else 'points'}"


def _in_points(off: float) -> str:
    return f"{100 * off:.0f}" if round(100 * off) else f"{100 * off:.1f}"
