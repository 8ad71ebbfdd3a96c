"""Tables of judges: their errors by the labels, and the verdict on each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from ..document import Piece
from ..document_parts import FIRST, Cell, DocumentTable
from ..items.naming import NAME, apart, fitted, group_of, items_at
from . import number_text
from .safe_text import WIDTH, columns_of
from .systems_text import judge_names
from .trust_words import LOW_ERRORS, OFF_WORDS, Trust, TrustWord

_SHORT = "both below 10 %"
"""The same beneath columns of both errors."""

BASELINE_NAMES = {"always_pass": "always pass", "always_fail": "always fail"}
"""Judges that do not look, in words."""

CONSTANTS = tuple(BASELINE_NAMES)
"""Their names; the first passes everything."""

PASSED_BAD, FAILED_GOOD = "let through", "rejected"
"""The two errors of a judge: false positives and false negatives."""

_NAME = 26
"""Width of a judge's name in columns: more than a system's, since it includes a variant."""

CONTROL = "word overlap baseline"
"""Name of the control in tables of judges."""


def judges_table(
    trust: Sequence[Trust],
    *,
    most: int | None = None,
    why: bool = False,
    linked: bool = False,
    control: Trust | None = None,
) -> Iterator[Piece]:
    """Yield a table of judges, and the number of rows beyond ``most``.

    Variants with equal results share a row; a baseline, the ``control``, has the last one.

    With ``why`` each judge has its own row, with the reason for its verdict. With ``linked`` counts of errors lead to their
    items.
    """
    groups = [[each] for each in trust] if why else list(same_results(trust))
    shown = groups if most is None or len(groups) <= most else groups[: max(1, most - 1)]
    names = judge_names([each.judge for each in trust], columns=_NAME)
    rows = [
        (group_label(group, names.of(group[0].judge)), *_cells(group[0], why=why, linked=linked))
        for group in shown
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
    yield table if why or linked else _fitted(table)
    if hidden := [each for group in groups[len(shown) :] for each in group]:
        verdicts = {verdict_of(each) for each in hidden}
        shared = f": {_of(len(hidden), verdicts.pop())}" if len(verdicts) == 1 else ""
        yield f"{number_text.counted(len(hidden), 'more judge')}{shared}"


def _of(judges: int, verdict: str) -> str:
    """Return a verdict on one or several judges: ``needs more labels``, ``need more labels``."""
    verb, blank, rest = verdict.partition(" ")
    return verdict if judges == 1 else f"{_PLURAL.get(verb, verb)}{blank}{rest}"


_PLURAL = {"needs": "need", "errs": "err", "passes": "pass", "scores": "score"}


def _fitted(table: DocumentTable) -> DocumentTable:
    """Shorten names in the first column until the table fits on a screen."""
    names = [str(row[0]) for row in table.rows]
    over = max(map(columns_of, table.lines())) - WIDTH
    if over <= 0 or not names:
        return table
    short = apart(names, max(map(columns_of, names)) - over)
    return replace(table, rows=[(name, *row[1:]) for name, row in zip(short, table.rows, strict=True)])


def same_results(trust: Iterable[Trust]) -> Iterator[list[Trust]]:
    """Group adjacent variants of a judge that have the same errors and verdict."""
    for _, group in groupby(trust, key=_results):
        yield list(group)


def _results(trust: Trust) -> tuple[object, ...]:
    panel = trust.panel
    base = trust.judge.rpartition("@")[0].partition("/")[0] or trust.judge
    if not panel.n:
        base = trust.judge
    return base, panel.fp, trust.bad, panel.fn, trust.good, trust.word, trust.checked_only, trust.adjudicated


def group_label(group: Sequence[Trust], name: str) -> str:
    """Return the name of a judge, or of several variants: ``tool_call_accuracy x3``."""
    if len(group) == 1:
        return name
    base = name.partition("/")[0]
    if "..." in base:  # without its variant it may have room
        base = fitted(group[0].judge.partition("/")[0], NAME)
    return f"{base} x{len(group)}"


def _cells(trust: Trust, *, why: bool, linked: bool) -> tuple[str | Cell, ...]:
    worst = trust.worst_error_rate
    return (
        _errors(trust, PASSED_BAD, trust.panel.fp, trust.bad, linked=linked),
        _errors(trust, FAILED_GOOD, trust.panel.fn, trust.good, linked=linked),
        "-" if worst is None else f"{100 * worst:.0f} %",
        Cell(verdict_of(trust), trust.why if why else "", "" if why else trust.why),
    )


def _errors(trust: Trust, cell: str, errors: int, of: int, *, linked: bool) -> str | Cell:
    """Return the number of errors with n; with ``linked`` it leads to these outputs."""
    shown = f"{errors:,} of {of:,}" if of else "-"
    if not (linked and errors):
        return shown
    return Cell(shown, link=items_at(group=group_of(trust.judge, cell)))


def heading_of(word: TrustWord) -> str:
    """Return a verdict as the heading of its judges in a table."""
    return _SHORT if word == LOW_ERRORS else word.removesuffix(" than labels do")


def verdict_of(trust: Trust) -> str:
    """Return the verdict for a table; a good one with whether it holds on checked outputs alone."""
    if trust.word in OFF_WORDS:
        return OFF_WORDS[trust.word][0].format(points([trust]))
    if trust.word != LOW_ERRORS:
        return trust.word
    return f"{_SHORT}{' (checked)' if trust.checked_only else ''}"


def points(trust: Sequence[Trust]) -> str:
    """Return how far judges are off the labels: ``6 points``, ``6 to 12 points``."""
    ends = dict.fromkeys(_in_points(pick(abs(each.off) for each in trust)) for pick in (min, max))
    return f"{' to '.join(ends)} {'point' if list(ends) == ['1'] else 'points'}"


def _in_points(off: float) -> str:
    return f"{100 * off:.0f}" if round(100 * off) else f"{100 * off:.1f}"
