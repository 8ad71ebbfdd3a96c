"""One screen of an audit: weaknesses of each judge, and where each is worst.

`audit_text` shows the same audit in full.
"""

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

_NAME_COLUMNS = 20
"""Width of a judge's name next to two rates."""

_LOW_IS_BAD: frozenset[Concern] = frozenset({"misses a fault", "does not read long material"})
"""Weaknesses whose rate is worst when it is low; of all others a high rate is worst."""

_RATE_WORDS = {
    "fault": "caught",
    "nothing": "failed",
    "twin": "failed",
    "attack": "passed",
    "control": "passed",
}
"""What the rate of an operator is the share of, by what the operator plants."""

_SUMMARY_HEADINGS = {
    "fault": "faults caught",
    "nothing": "right outputs failed",
    "twin": "twins failed",
    "attack": "attacks passed",
}
"""Headings of the summary by what operators plant."""


def audit_screen(audit: Audit) -> Document:
    """Build the screen of an audit."""
    return _screen_pieces(audit)


def _screen_pieces(audit: Audit) -> Iterator[Piece]:
    judges = [judge for judge in audit.judges if judge.id.kind != "baseline"] or audit.judges
    names_judges = len(audit.judges) > 1
    names = (
        judge_names([judge.judge for judge in audit.judges], columns=_NAME_COLUMNS)
        if names_judges
        else ShortNames({}, "")
    )
    yield from ungraded_judges(audit.judges)
    judges = [judge for judge in judges if judge.graded_nothing is None]
    for judge in judges:
        yield from localisation_answer(judge)
    if judges:
        yield from _headlines(judges)
    yield from starmap(not_sent_caution, audit.refused.items())
    if not judges:
        return
    yield ""
    if names.shared:
        yield f"judges {names.shared}"
    rows = [
        row
        for judge in judges
        for row in _indented_weakness_rows(judge, names.of(judge.judge), alone=len(judges) == 1)
    ]
    if rows:
        head = ("weakness", "worst at", "rate", "n", "more")
        yield DocumentTable(head, rows, left_aligned=frozenset({0, 1}), indent=0)
        yield ""
    has_probes = any(judge.operators for judge in audit.judges)
    if has_probes:
        yield _summary_table(audit.judges, names)
    ladders = [(names.of(judge.judge), ladder) for judge in judges for ladder in judge.ladders]
    if ladders:
        if has_probes:
            yield ""
        yield _ladder_table(ladders)


def _headlines(judges: Sequence[JudgeAudit]) -> Iterator[str]:
    """Yield how many weaknesses each judge has; if calls failed, first what is missing."""
    outcomes_without_score = sum((judge.ungraded for judge in judges), Counter[str]())
    if failed := outcomes_without_score["failed"]:
        graded, asked = (sum(counts) for counts in zip(*((j.graded, j.asked) for j in judges), strict=True))
        other_outcomes = number_text.outcomes(
            {name: n for name, n in outcomes_without_score.items() if name != "failed"}
        )
        failed_and_other = ", ".join(
            filter(None, [f"{number_text.counted(failed, 'call')} failed", other_outcomes])
        )
        yield f"Incomplete: {graded:,} of {number_text.counted(asked, 'verdict')} graded, {failed_and_other}."
    yield _weakness_count(judges, " so far" if failed else "")


def _weakness_count(judges: Sequence[JudgeAudit], so_far: str) -> str:
    weak_judges = [f"{judge.judge} {len(judge.findings):,}" for judge in judges if judge.findings]
    if len(judges) == 1:
        (judge,) = judges
        count = len(judge.findings)
        weaknesses = f"{count:,} weaknesses" if count > 1 else "1 weakness" if count else "no weakness"
        if so_far:
            return f"{judge.judge}: {weaknesses} beyond chance{so_far}."
        verdicts, missing = number_text.counted(judge.graded, "verdict"), number_text.outcomes(judge.ungraded)
        return f"{judge.judge}: {weaknesses} beyond chance in {verdicts}{missing and f' ({missing})'}."
    if not weak_judges:
        return f"None of {len(judges):,} judges shows a weakness beyond chance{so_far}."
    verb = "has" if len(weak_judges) == 1 else "have"
    return f"{len(weak_judges):,} of {len(judges):,} judges {verb} weaknesses beyond chance{so_far}: {', '.join(weak_judges)}."


def _indented_weakness_rows(judge: JudgeAudit, name: str, *, alone: bool) -> list[tuple[str, ...]]:
    """Return a row per kind of weakness of a judge, indented below its name unless ``alone``."""
    rows = list(_weakness_rows(judge))
    if alone or not rows:
        return rows
    return [(f"{name}:", "", "", "", ""), *((f"  {concern}", *cells) for concern, *cells in rows)]


def _weakness_rows(judge: JudgeAudit) -> Iterator[tuple[str, ...]]:
    """Yield a row per kind of weakness: its worst place, the rate there, and how many others."""
    by_concern: dict[Concern, list[_WeaknessNumber]] = {}
    for finding in judge.findings:
        by_concern.setdefault(finding.concern, []).append(_number_of(judge, finding))
    for concern, weaknesses in by_concern.items():
        worst_number = max(weaknesses, key=lambda number: number.badness)
        more = f"{len(weaknesses) - 1:,}" if len(weaknesses) > 1 else ""
        rate = (
            ""
            if worst_number.rate is None
            else worst_number.text.format(statistic_text(worst_number.rate)).strip()
        )
        yield (
            concern,
            probe_title(worst_number.where),
            rate,
            "" if worst_number.rate is None else f"{worst_number.rate.n:,}",
            more,
        )


class _WeaknessNumber(NamedTuple):
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


def _number_of(judge: JudgeAudit, finding: JudgeWeakness) -> _WeaknessNumber:
    """Return the number behind a finding, with words for what it is a share of."""
    for ladder in judge.ladders:
        if ladder.dial == finding.where:
            return _number_of_ladder(ladder)
    rate, rate_words = _rate_and_words(judge, finding)
    sign = -1.0 if finding.concern in _LOW_IS_BAD else 1.0
    return _WeaknessNumber(finding.where, rate, f"{rate_words} {{}}", sign * _value_or_zero(rate))


def _number_of_ladder(ladder: LadderResult) -> _WeaknessNumber:
    """Return how much a ladder's share caught falls, or its start if that is already too low."""
    if ladder.threshold.where != "before the easiest" or not ladder.curve:
        return _WeaknessNumber(ladder.dial, ladder.drop, "falls by {}", _value_or_zero(ladder.drop))
    start = ladder.curve[0]
    # The ladder's start is a point of a curve; as a statistic it keeps n and level of the drop.
    share_at_start = replace(ladder.drop, value=start.share, low=start.low, high=start.high)
    # 2.0 makes it worse than any fall, which is at most 1: nothing is left to fall from.
    return _WeaknessNumber(ladder.dial, share_at_start, "easiest: caught {}", 2.0 - start.share)


def _value_or_zero(rate: Statistic | None) -> float:
    return 0.0 if rate is None or rate.value is None else rate.value


def _rate_and_words(judge: JudgeAudit, finding: JudgeWeakness) -> tuple[Statistic | None, str]:
    """Return the rate of the operator, comparison or form of a finding, and words for it."""
    for operator in judge.operators:
        if operator.operator == finding.where and finding.concern == "moves on what is harmless":
            return (operator.change and operator.change.size), "change"
        if operator.operator == finding.where:
            return operator.rate, _RATE_WORDS.get(operator.plants, "")
    for comparison in judge.comparisons:
        if comparison.name == finding.where:
            return comparison.difference, "difference"
    for form in judge.forms:
        if form.form == finding.where:
            return _form_rate_and_words(form, finding)
    if judge.steadiness is not None and finding.where == "repeats":
        return judge.steadiness.flip_rate, "differ"
    return None, ""


def _form_rate_and_words(form: FormResult, finding: JudgeWeakness) -> tuple[Statistic | None, str]:
    if finding.concern == "does not read long material":
        return form.marker_seen, "marker seen"
    if finding.concern == "obeys the material":
        return form.yes, "p of yes"
    return form.change, "change"


def _summary_table(judges: Sequence[JudgeAudit], names: ShortNames) -> DocumentTable:
    """Return the lowest and highest operator rate of each judge, by what operators plant.

    Rates of operators are never pooled. A single judge is named above the table and not in it.
    """
    names_judges = len(judges) > 1
    rows: list[tuple[str, ...]] = []
    for plants, heading in _SUMMARY_HEADINGS.items():
        cells_by_judge = {judge.judge: _lowest_and_highest_cells(judge, plants) for judge in judges}
        if names_judges and any(cells != _NO_RANGE for cells in cells_by_judge.values()):
            rows += [
                (heading, "", "", "", ""),
                *((f"  {names.of(name)}", *cells) for name, cells in cells_by_judge.items()),
            ]
        else:
            rows.append((heading, *next(iter(cells_by_judge.values()))))
    return DocumentTable(("", "lowest", "n", "highest", "n"), rows, indent=0)


_NO_RANGE = ("-", "", "", "")


def _lowest_and_highest_cells(judge: JudgeAudit, plants: str) -> tuple[str, str, str, str]:
    """Return cells of the lowest and the highest rate; the last two are empty for one operator."""
    rates = sorted(
        (
            operator.rate
            for operator in judge.operators
            if operator.plants == plants and operator.rate.value is not None
        ),
        key=_value_or_zero,
    )
    if not rates:
        return _NO_RANGE
    lowest, highest = rates[0], rates[-1]
    lowest_cells = statistic_text(lowest), f"{lowest.n:,}"
    return (
        (*lowest_cells, statistic_text(highest), f"{highest.n:,}")
        if len(rates) > 1
        else (*lowest_cells, "", "")
    )


def _ladder_table(ladders: Sequence[tuple[str, LadderResult]]) -> DocumentTable:
    rows = [(name, probe_title(ladder.dial), f"{ladder.breaks} ({ladder.unit})") for name, ladder in ladders]
    return DocumentTable(
        ("judge", "dial", "still catches 80 % up to"), rows, left_aligned=frozenset({0, 1, 2}), indent=0
    )
