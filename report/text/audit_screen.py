"""One screen of an audit: weaknesses of each judge, and their worst cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import starmap
from typing import NamedTuple

from msgspec.structs import replace

from ...calibration.statistic import Statistic
from ...evaluation.audit.audit_results import Audit, Concern, FormResult, JudgeAudit, JudgeWeakness
from ...evaluation.audit.ladder.ladder_results import LadderResult
from ..document import Document, Piece
from ..document_parts import DocumentTable
from ..items.naming import ShortNames
from . import number_text
from .audit_text import ungraded_judges
from .caution_text import not_sent_caution
from .localisation_text import localisation_answer
from .one_screen import statistic_text
from .probe_text import probe_title
from .systems_text import judge_names

_NAME = 20
"""Width of a judge's name beside two rates, in columns."""

_LOW_IS_BAD: frozenset[Concern] = frozenset({"misses a fault", "does not read long material"})

_SHOWN = {"fault": "caught", "nothing": "failed", "twin": "failed", "attack": "passed", "control": "passed"}

_SUMMARISED = {
    "fault": "faults caught",
    "nothing": "right outputs failed",
    "twin": "twins failed",
    "attack": "attacks passed",
}
"""Headings of the summary by what operators plant."""


def audit_screen(audit: Audit) -> Document:
    """Name the weaknesses of each judge."""
    return _pieces(audit)


def _pieces(audit: Audit) -> Iterator[Piece]:
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
        yield from _headline(judges)
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
    has_probes = any(judge.operators for judge in audit.judges)
    if has_probes:
        yield _summary(audit.judges, names)
    ladders = [(names.of(judge.judge), ladder) for judge in judges for ladder in judge.ladders]
    if ladders:
        if has_probes:
            yield ""
        yield _ladders(ladders)


def _headline(judges: Sequence[JudgeAudit]) -> Iterator[str]:
    """Name the judges with weaknesses, below what is missing if calls failed."""
    missing = sum((judge.ungraded for judge in judges), Counter[str]())
    if failed := missing["failed"]:
        graded, asked = (sum(counts) for counts in zip(*((j.graded, j.asked) for j in judges), strict=True))
        others = number_text.outcomes({name: n for name, n in missing.items() if name != "failed"})
        calls = ", ".join(filter(None, [f"{number_text.counted(failed, 'call')} failed", others]))
        yield f"Incomplete: {graded:,} of {number_text.counted(asked, 'verdict')} graded, {calls}."
    yield _weak_judges(judges, " so far" if failed else "")


def _weak_judges(judges: Sequence[JudgeAudit], so_far: str) -> str:
    weak = [f"{judge.judge} {len(judge.findings):,}" for judge in judges if judge.findings]
    if len(judges) == 1:
        (judge,) = judges
        number = len(judge.findings)
        weaknesses = f"{number:,} weaknesses" if number > 1 else "1 weakness" if number else "no weakness"
        if so_far:
            return f"{judge.judge}: {weaknesses} beyond chance{so_far}."
        verdicts, missing = number_text.counted(judge.graded, "verdict"), number_text.outcomes(judge.ungraded)
        return f"{judge.judge}: {weaknesses} beyond chance in {verdicts}{missing and f' ({missing})'}."
    if not weak:
        return f"None of {len(judges):,} judges shows a weakness beyond chance{so_far}."
    verb = "has" if len(weak) == 1 else "have"
    return (
        f"{len(weak):,} of {len(judges):,} judges {verb} weaknesses beyond chance{so_far}: {', '.join(weak)}."
    )


def _rows(judge: JudgeAudit, name: str, *, alone: bool) -> list[tuple[str, ...]]:
    """Return the weaknesses of a judge, under its name unless it is the only one."""
    rows = list(_weaknesses(judge))
    if alone or not rows:
        return rows
    return [(f"{name}:", "", "", "", ""), *((f"  {concern}", *cells) for concern, *cells in rows)]


def _weaknesses(judge: JudgeAudit) -> Iterator[tuple[str, ...]]:
    """Yield a row per kind of weakness, with its worst case."""
    kinds: dict[Concern, list[_Shown]] = {}
    for finding in judge.findings:
        kinds.setdefault(finding.concern, []).append(_shown(judge, finding))
    for concern, weaknesses in kinds.items():
        worst = max(weaknesses, key=lambda each: each.badness)
        more = f"{len(weaknesses) - 1:,}" if len(weaknesses) > 1 else ""
        rate = "" if worst.rate is None else worst.text.format(statistic_text(worst.rate)).strip()
        yield concern, probe_title(worst.where), rate, "" if worst.rate is None else f"{worst.rate.n:,}", more


class _Shown(NamedTuple):
    """The number behind a finding.

    Attributes:
        where: The operator, comparison or dial.
        rate: The number, or None if there is none.
        text: Words around it; ``{}`` stands for the number.
        badness: Sort key; the worst finding has the highest.
    """

    where: str
    rate: Statistic | None
    text: str
    badness: float


def _shown(judge: JudgeAudit, finding: JudgeWeakness) -> _Shown:
    """Return the number behind a finding, and what it is a share of."""
    for ladder in judge.ladders:
        if ladder.dial == finding.where:
            return _shown_ladder(ladder)
    rate, noun = _rate(judge, finding)
    sign = -1.0 if finding.concern in _LOW_IS_BAD else 1.0
    return _Shown(finding.where, rate, f"{noun} {{}}", sign * _value(rate))


def _shown_ladder(ladder: LadderResult) -> _Shown:
    """Return by how much a ladder falls, or its start if that is too low already."""
    if ladder.threshold.where != "before the easiest" or not ladder.curve:
        return _Shown(ladder.dial, ladder.drop, "falls by {}", _value(ladder.drop))
    start = ladder.curve[0]
    share = replace(ladder.drop, value=start.share, low=start.low, high=start.high)
    # Worse than any fall, since nothing is left to fall from.
    return _Shown(ladder.dial, share, "easiest: caught {}", 2.0 - start.share)


def _value(rate: Statistic | None) -> float:
    return 0.0 if rate is None or rate.value is None else rate.value


def _rate(judge: JudgeAudit, finding: JudgeWeakness) -> tuple[Statistic | None, str]:
    for operator in judge.operators:
        if operator.operator == finding.where and finding.concern == "moves on what is harmless":
            return (operator.change and operator.change.size), "change"
        if operator.operator == finding.where:
            return operator.rate, _SHOWN.get(operator.plants, "")
    for comparison in judge.comparisons:
        if comparison.name == finding.where:
            return comparison.difference, "difference"
    for form in judge.forms:
        if form.form == finding.where:
            return _rate_of_form(form, finding)
    if judge.steadiness is not None and finding.where == "repeats":
        return judge.steadiness.flip_rate, "differ"
    return None, ""


def _rate_of_form(form: FormResult, finding: JudgeWeakness) -> tuple[Statistic | None, str]:
    if finding.concern == "does not read long material":
        return form.marker_seen, "marker seen"
    if finding.concern == "obeys the material":
        return form.yes, "p of yes"
    return form.change, "change"


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
        (
            operator.rate
            for operator in judge.operators
            if operator.plants == plants and operator.rate.value is not None
        ),
        key=_value,
    )
    if not rates:
        return _NO_RANGE
    lowest, highest = rates[0], rates[-1]
    start = statistic_text(lowest), f"{lowest.n:,}"
    return (*start, statistic_text(highest), f"{highest.n:,}") if len(rates) > 1 else (*start, "", "")


def _ladders(ladders: Sequence[tuple[str, LadderResult]]) -> DocumentTable:
    rows = [(name, probe_title(ladder.dial), f"{ladder.breaks} ({ladder.unit})") for name, ladder in ladders]
    return DocumentTable(
        ("judge", "dial", "still catches 80 % up to"), rows, left_aligned=frozenset({0, 1, 2}), indent=0
    )
