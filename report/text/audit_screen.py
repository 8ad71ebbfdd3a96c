"""One screen of an audit: weaknesses of each judge, and their worst cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import starmap

from ...calibration.statistic import Statistic
from ...evaluation.audit.audit_results import AuditNumbers, Concern, JudgeAudit, JudgeWeakness
from ...evaluation.audit.ladder.ladder_results import LadderResult
from ..document import Document, Piece
from ..document_parts import DocumentTable
from ..items.naming import ShortNames
from . import number_text
from .audit_text import ungraded_judges
from .caution_text import not_sent_caution
from .localisation_text import localisation_answer
from .one_screen import statistic_text
from .systems_text import judge_names

_NAME = 20
"""Width of a judge's name beside two rates, in columns."""

_LOW_IS_BAD: frozenset[Concern] = frozenset({"misses a fault"})

_SHOWN = {"fault": "caught", "nothing": "failed", "twin": "failed", "attack": "passed", "control": "passed"}

_SUMMARISED = {
    "fault": "faults caught",
    "nothing": "right outputs failed",
    "twin": "twins failed",
    "attack": "attacks passed",
}
"""Headings of the summary by what operators plant."""


def audit_screen(audit: AuditNumbers) -> Document:
    """Name the weaknesses of each judge."""
    return _pieces(audit)


def _pieces(audit: AuditNumbers) -> Iterator[Piece]:
    judges = [judge for judge in audit.judges if judge.id.kind != "baseline"] or audit.judges
    several = len(audit.judges) > 1
    names = (
        judge_names([judge.judge for judge in audit.judges], columns=_NAME) if several else ShortNames({}, "")
    )
    yield from ungraded_judges(audit.judges)
    judges = [judge for judge in judges if judge.graded_nothing is None]
    for judge in judges:
        yield from localisation_answer(judge)
    if judges:
        yield _headline(judges)
    yield from starmap(not_sent_caution, audit.refused.items())
    if not judges:
        return
    yield ""
    if names.shared:
        yield f"judges {names.shared}"
    rows = [row for judge in judges for row in _rows(judge, names.of(judge.judge), alone=len(judges) == 1)]
    if rows:
        head = ("weakness", "worst at", "rate", "n", "more")
        yield DocumentTable(head, rows, left_aligned=frozenset({0, 1}), indent=0)
        yield ""
    yield _summary(audit.judges, names)
    ladders = [(names.of(judge.judge), ladder) for judge in judges for ladder in judge.ladders]
    if ladders:
        yield ""
        yield _ladders(ladders)


def _headline(judges: Sequence[JudgeAudit]) -> str:
    weak = [f"{judge.judge} {len(judge.findings):,}" for judge in judges if judge.findings]
    if len(judges) == 1:
        (judge,) = judges
        number = len(judge.findings)
        weaknesses = f"{number:,} weaknesses" if number > 1 else "1 weakness" if number else "no weakness"
        return f"{judge.judge}: {weaknesses} beyond chance in {number_text.counted(judge.asked, 'verdict')}."
    if not weak:
        return f"None of {len(judges):,} judges shows a weakness beyond chance."
    verb = "has" if len(weak) == 1 else "have"
    return f"{len(weak):,} of {len(judges):,} judges {verb} weaknesses beyond chance: {', '.join(weak)}."


def _rows(judge: JudgeAudit, name: str, *, alone: bool) -> list[tuple[str, ...]]:
    """Return the weaknesses of a judge, under its name unless it is the only one."""
    rows = list(_weaknesses(judge))
    if alone or not rows:
        return rows
    return [(f"{name}:", "", "", "", ""), *((f"  {concern}", *cells) for concern, *cells in rows)]


def _weaknesses(judge: JudgeAudit) -> Iterator[tuple[str, ...]]:
    """Yield a row per kind of weakness, with its worst case."""
    kinds: dict[Concern, list[tuple[JudgeWeakness, Statistic | None, str]]] = {}
    for finding in judge.findings:
        kinds.setdefault(finding.concern, []).append((finding, *_rate(judge, finding)))
    for concern, weaknesses in kinds.items():
        sign = 1.0 if concern in _LOW_IS_BAD else -1.0
        worst = min(weaknesses, key=lambda each: sign * _value(each[1]))
        finding, rate, noun = worst
        more = f"{len(weaknesses) - 1:,}" if len(weaknesses) > 1 else ""
        shown = f"{noun} {statistic_text(rate)}".strip() if rate is not None else ""
        yield concern, finding.where, shown, "" if rate is None else f"{rate.n:,}", more


def _value(rate: Statistic | None) -> float:
    return 0.0 if rate is None or rate.value is None else rate.value


def _rate(judge: JudgeAudit, finding: JudgeWeakness) -> tuple[Statistic | None, str]:
    """Return the number behind a finding, and what it is a share of."""
    for operator in judge.operators:
        if operator.operator == finding.where:
            return operator.rate, _SHOWN.get(operator.plants, "")
    for comparison in judge.comparisons:
        if comparison.name == finding.where:
            return comparison.difference, "difference"
    if judge.steadiness is not None and finding.where == "repeats":
        return judge.steadiness.flip_rate, "differ"
    for ladder in judge.ladders:
        if ladder.dial == finding.where:
            return ladder.drop, "falls by"
    return None, ""


def _summary(judges: Sequence[JudgeAudit], names: ShortNames) -> DocumentTable:
    """Return the lowest and highest rate by what operators plant; operators are never pooled.

    A single judge, named above, is not named again.
    """
    several = len(judges) > 1
    rows: list[tuple[str, ...]] = []
    for plants, heading in _SUMMARISED.items():
        ranges = {judge.judge: _range_cells(judge, plants) for judge in judges}
        if several and any(cells != _NO_RANGE for cells in ranges.values()):
            rows += [
                (heading, "", "", "", ""),
                *((f"  {names.of(each)}", *cells) for each, cells in ranges.items()),
            ]
        else:
            rows.append((heading, *next(iter(ranges.values()))))
    return DocumentTable(("", "lowest", "n", "highest", "n"), rows, indent=0)


_NO_RANGE = ("-", "", "", "")


def _range_cells(judge: JudgeAudit, plants: str) -> tuple[str, str, str, str]:
    """Return the lowest and highest rate with interval and n; no highest for one operator."""
    rates = sorted(
        (each.rate for each in judge.operators if each.plants == plants and each.rate.value is not None),
        key=_value,
    )
    if not rates:
        return _NO_RANGE
    lowest, highest = rates[0], rates[-1]
    start = statistic_text(lowest), f"{lowest.n:,}"
    return (*start, statistic_text(highest), f"{highest.n:,}") if len(rates) > 1 else (*start, "", "")


def _ladders(ladders: Sequence[tuple[str, LadderResult]]) -> DocumentTable:
    rows = [(name, ladder.dial, f"{ladder.breaks} ({ladder.unit})") for name, ladder in ladders]
    return DocumentTable(
        ("judge", "dial", "still catches 80 % up to"), rows, left_aligned=frozenset({0, 1, 2}), indent=0
    )
