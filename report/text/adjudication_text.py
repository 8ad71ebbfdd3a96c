"""Text for adjudication results.

Covers who decided, each judge against the labels before and after adjudication, and label errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ...calibration.agreement.adjudication_results import (
    AdjudicatedJudge,
    Adjudication,
    Adjudicators,
    LookedAt,
)
from ...calibration.decisions import FAULTS
from ...calibration.statistic import Statistic
from ..document import CautionLine, Piece
from ..document_table import FIRST, DocumentTable, statistic_pieces
from .number_text import counted, number

_MODELS = (
    "some decisions are a model's: look again at those that matter (`fiducial review RUN --of disagreements`)"
)
_ONE_SIDED = (
    "where judge and label agree nobody looked, so the adjudicated numbers can hardly fall: they are the judge's at best "
    "(`fiducial review RUN --of disagreements --agreements 30`)"
)
_TAKEN_AS_RIGHT = (
    "decisions count as right: errors on 5 % of them move corrected accuracy by up to 0.05, which no interval below contains; have a second person "
    "decide half of them again"
)
_ALLOWED_FOR = "only corrected numbers allow for it"
_HOW = "by double sampling: also for agreements that nobody looked at; what cannot be decided is left out"


def adjudication_pieces(found: Adjudication | None) -> Iterator[Piece]:
    """Yield the effects of adjudication; yield no pieces if nothing was adjudicated."""
    if found is None:
        return
    yield from who_decided(found.by, found.faults)
    if found.elsewhere:
        yield CautionLine(f"{counted(found.elsewhere, 'adjudicated item')} not in this table", indent=2)
    for judge, each in found.judges.items():
        yield from _judge(judge, each)


def who_decided(by: Adjudicators, faults: Mapping[str, int]) -> Iterator[Piece]:
    """Yield who adjudicated, how far they agree, and why judge and label differ."""
    yield f"Adjudicated: {_who(by)}"
    if by.models:
        yield CautionLine(_MODELS, indent=2)
    yield CautionLine(_errors_of(by.alike, by.error), indent=2)
    if faults:
        told = ", ".join(f"{FAULTS[name]} {times:,}" for name, times in faults.items())
        yield f"  why judge and label differ, by decision: {told}"


def _errors_of(alike: Statistic | None, error: Statistic | None) -> str:
    """Say whether decisions count as right, and how often they are wrong where two decided the same items."""
    if error is not None:
        return f"decisions are wrong at a rate of {error} items that two decided, if both err alike and independently; {_ALLOWED_FOR}"
    if alike is None or alike.value is None:
        return _TAKEN_AS_RIGHT
    apart = min(0.5, 1.0 - alike.value)
    error = (1.0 - math.sqrt(1.0 - 2.0 * apart)) / 2.0
    return f"decisions count as right: each of two that differ on {apart:.0%} errs on about {error:.0%}, which no interval below contains"


def _who(by: Adjudicators) -> str:
    names = ", ".join(f"{name} {items:,}" for name, items in {**by.people, **by.models}.items())
    told = f"{counted(by.items, 'item')} ({names})"
    if by.alike is None:
        return told
    alpha = "" if by.krippendorff_alpha is None else f", Krippendorff's alpha {by.krippendorff_alpha}"
    contested = f"; {by.contested:,} without a majority count as undecidable" if by.contested else ""
    return f"{told}; {by.twice:,} by two or more: alike {by.alike} pairs{alpha}{contested}"


def said_of(found: AdjudicatedJudge) -> str:
    """Return a clause on a judge's disagreements.

    Example: ``of 36 disagreements the judge is right in 25, ...``.
    """
    apart = found.disagreements
    parts = [f"the judge is right in {apart.judge_right:,}", f"the label in {apart.judge_wrong:,}"]
    parts += [f"{apart.undecidable:,} cannot be decided"] if apart.undecidable else []
    parts += [f"{apart.left:,} nobody looked at"] if apart.left else []
    return f"of {counted(apart.rows, 'disagreement')} {', '.join(parts)}"


def _judge(judge: str, found: AdjudicatedJudge) -> Iterator[Piece]:
    yield f"  {judge}: {said_of(found)}; {_agreements(found.agreements)}"
    if not found.disagreements.rows + found.agreements.rows:
        return
    rows = [
        (name, _cell(each), _cell(found.adjudicated[name]), bounds(found.lowest[name], found.highest[name]))
        for name, each in found.as_labelled.items()
    ]
    yield DocumentTable(("", "as labelled", "adjudicated", "undecidable against it, for it"), rows, indent=4)
    if all(each.value is None for each in found.corrected.values()):
        why = next(iter(found.corrected.values())).undefined
        yield f"    not corrected for what nobody looked at: {why}"
        if found.agreements.left == found.agreements.rows:
            yield CautionLine(_ONE_SIDED, indent=4)
    else:
        yield f"    corrected {_HOW}"
        yield from statistic_pieces(found.corrected, head=False, indent=6)
    yield "    errors of the labels themselves"
    errors = [
        (name, _cell(each.found), f"{each.undecidable:,}", _cell(each.corrected))
        for name, each in found.label_errors.items()
    ]
    yield DocumentTable(
        ("", "found wrong, at least", "undecidable", "corrected"), errors, words=FIRST, indent=4
    )


def _agreements(found: LookedAt) -> str:
    seen = found.rows - found.left
    if not seen:
        return f"none of {counted(found.rows, 'agreement')} was looked at"
    wrong = f"both are wrong in {found.judge_wrong:,}"
    open_ = f", {found.undecidable:,} cannot be decided" if found.undecidable else ""
    return f"of {seen:,} agreements looked at (of {found.rows:,}) {wrong}{open_}"


def _cell(found: Statistic) -> str:
    return "-" if found.value is None else str(found)


def bounds(lowest: Statistic, highest: Statistic) -> str:
    """Both ends, and the ends of their intervals."""
    if lowest.value is None or highest.value is None:
        return "-"
    ends = (
        ""
        if lowest.low is None or highest.high is None
        else f" [{number(lowest.low)}, {number(highest.high)}]"
    )
    return f"{number(lowest.value)} to {number(highest.value)}{ends} on {max(lowest.n, highest.n):,}"


def adjudicated_by(found: Adjudication | None, judge: str) -> str:
    """Return a self-contained clause on a judge's adjudication; empty if there was none."""
    each = None if found is None else found.judges.get(judge)
    if found is None or each is None or each.disagreements.left == each.disagreements.rows:
        return ""
    who = "people" if not found.by.models else "a model" if not found.by.people else "people and a model"
    rates = _rates(each.adjudicated)
    return f"adjudicated by {who}: {said_of(each)}{rates}"


def _rates(statistics: Mapping[str, Statistic]) -> str:
    positive, negative = (statistics[name].value for name in ("true_positive_rate", "true_negative_rate"))
    return f" (then TPR {number(positive)}, TNR {number(negative)})"
