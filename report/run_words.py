"""What a run came to, in a screen: the answers, systems, judges, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, takewhile

from ..calibration.comparison.comparison_results import Comparison
from ..calibration.statistic import Statistic
from ..evaluation.conclusion.run_results import DECIDED, JudgeUse, SystemResult
from ..records import Outcome
from . import words
from .answers import answers
from .caution_words import sentences
from .document import Caution, Command, Piece, document
from .figures.rates import interval_strip
from .found import Found
from .next_step import never_answered, reason_of_silence
from .table import ENDS, FIRST, Cell, Table
from .text import columns_of, shortened
from .trust import Trust

_NAME = 26
"""Columns of a name in a table; of a longer one its ends are shown."""

_ADJUDICATED = 3
"""Judges of which it is told how their labels were adjudicated."""

_REASON = 120
"""Characters of a reason why there is no verdict."""

_SHORT: dict[str, str] = {
    "nothing_said": "no label",
    "few_clusters": "few clusters",
    "few_of_a_class": "few labels",
    "few_rows": "few rows",
    "another_cut": "another cut would do better",
    "missing_verdicts": "verdicts missing",
    "ece_biased": "ece biased up",
    "drawn_unevenly": "labels drawn unevenly",
}


_ALOUD = "labels_of_checkers"


@document
def run_document(found: Found) -> Iterator[Piece]:
    """A run in a screen: the answers, a table of systems, one of judges, and the next command."""
    told = answers(found)
    yield from _unanswered(found.judges)
    yield told.better.text
    if told.trusted:
        yield told.trusted
    yield f"next: {told.next.text}"
    if told.next.command:
        yield Command(told.next.command)
    yield ""
    yield systems_table(found.systems, found.compared)
    yield from _fractions(found, {each.judge for each in told.trust})
    if told.trust:
        yield ""
        yield judges_table(told.trust)
        yield from _adjudicated(told.trust)
        yield from _cautions(found, told.trust)
        yield from _silent(found.judges)


def _adjudicated(trust: Sequence[Trust]) -> Iterator[Piece]:
    """How the labels behind that were adjudicated, where they were."""
    told = [each for each in trust if each.adjudicated]
    yield from (f"{_fitted(each.judge)}: {each.adjudicated}" for each in told[:_ADJUDICATED])
    if len(told) > _ADJUDICATED:
        yield f"{len(told) - _ADJUDICATED:,} more judges by adjudicated labels in the report"


def _fractions(found: Found, judges: AbstractSet[str]) -> Iterator[Piece]:
    """That a system alone is shown with its mean score, where judges give fractions; of several the table has what passes."""
    if found.strata is not None:
        return
    graded = {
        part.by: None
        for system in found.systems
        for part in system.strata
        if part.fractions and part.by in judges and part.name != DECIDED
    }
    if graded:
        give = "gives" if len(graded) == 1 else "give"
        names = shortened(", ".join(filter(None, graded)), _REASON)
        yield Caution(f"{names} {give} fractions: shown is their mean")


def systems_table(systems: Sequence[SystemResult], compared: Comparison | None) -> Table:
    """A row a system: what checkers decided, and what judges say of the rest, by how systems compare where there are several."""
    strata = None if compared is None else compared.strata
    rests = {} if strata is None else strata.open.rates
    corrected = "corrected" if strata is not None and strata.open.corrected else "uncorrected"
    rows = [_system_row(system, rests.get(system.system)) for system in systems]
    head = ("system", "checkers decided", "on", f"open, by judges, {corrected}", "on", "not graded")
    if not any(row[3] for row in rows):
        return Table((*head[:3], head[5]), [(*row[:3], row[5]) for row in rows], words=ENDS, indent=0)
    return Table(head, rows, words=ENDS, indent=0)


def _system_row(system: SystemResult, rest: Statistic | None) -> tuple[str | Cell, ...]:
    decided = next((part for part in system.strata if part.name == DECIDED), None)
    judged = [part for part in system.strata if part.by is not None and part.name != DECIDED]
    rest = rest or (judged[0] if len({part.by for part in judged}) == 1 else None)
    silent = {
        name: count for name, count in (decided.outcomes if decided else {}).items() if name != "undecided"
    }
    return (
        _fitted(system.system),
        _rate(decided),
        "" if decided is None else words.count(decided.n),
        "" if rest is None or not rest.n else _rate(rest),
        "" if rest is None or not rest.n else words.count(rest.n),
        words.outcomes(silent),
    )


def _rate(found: Statistic | None) -> Cell:
    if found is None:
        return Cell("-", title="no checker was asked")
    if found.value is None:
        return Cell("-", title=found.undefined or "no value")
    drawn = interval_strip(found.value, found.low, found.high)
    return Cell(words.decimal(found.value), words.interval(found.low, found.high), figure=drawn)


def judges_table(trust: Sequence[Trust], *, why: bool = False) -> Table:
    """A row a judge: how far it may be trusted, and the rates behind that; with ``why``, as a page has room for, and with names at full length.

    A model that all share stands above.
    """
    models = {each.judge.rpartition("@")[2] for each in trust if "@" in each.judge}
    shared = f"@{models.pop()}" if len(models) == 1 and all("@" in each.judge for each in trust) else ""
    rows = [
        (
            each.judge.removesuffix(shared) if why else _fitted(each.judge.removesuffix(shared)),
            Cell(each.word, each.why if why else "", each.why),
            *_rates(each),
        )
        for each in trust
    ]
    return Table((f"judge{shared}", "trust", "TPR", "TNR", "on"), rows, words=FIRST | {1}, indent=0)


def _rates(each: Trust) -> tuple[str, str, str]:
    shown = (each.panel.statistics.get(name) for name in ("true_positive_rate", "true_negative_rate"))
    tpr, tnr = ("-" if found is None or found.value is None else words.statistic(found) for found in shown)
    return tpr, tnr, words.count(each.panel.n)


def _cautions(found: Found, trust: Sequence[Trust]) -> Iterator[Piece]:
    """What limits the judges' rates, once, in a line."""
    judges = {each.judge for each in trust}
    kinds: dict[int, list[str]] = {}
    for caution in found.agreement.cautions:
        about = len(judges & caution.about.keys())
        if about or not caution.about:
            kinds.setdefault(about, []).append(_SHORT.get(caution.kind, caution.kind.replace("_", " ")))
    told = [", ".join(names) + (f" ({words.counted(n, 'judge')})" if n else "") for n, names in kinds.items()]
    if told:
        yield Caution("; ".join(told), "; ".join(cautions_of(found)))
    yield from map(Caution, sentences(c for c in found.agreement.cautions if c.kind == _ALOUD))


def cautions_of(found: Found) -> list[str]:
    """The same in full."""
    return sentences(found.agreement.cautions, found.agreement.judges)


def _unanswered(judges: Sequence[JudgeUse]) -> Iterator[Piece]:
    """Name the judges that never answered, and why, before any number."""
    silent = never_answered(judges)
    if why := reason_of_silence(silent):
        names = words.listed([use.name for use in silent])
        who = "No judge answered" if len(silent) == len(judges) else f"{names} did not answer"
        yield Caution(f"{who}: {why}.")
        yield ""


def _silent(judges: Sequence[JudgeUse]) -> Iterator[Piece]:
    """What judges did not grade, and why; and what asking them took."""
    for use in judges:
        if use.refused:
            yield Caution(f"{use.name}: not sent, since the model refuses it: {', '.join(use.refused)}")
        left: dict[Outcome, int] = {
            name: number for name, number in use.outcomes.items() if name != "graded" and number
        }
        if left or not use.outcomes:
            told = "; ".join(_left(name, number, use.reasons.get(name, {})) for name, number in left.items())
            idle = "nothing to judge: no output that it was to be asked about is of its kind"
            yield Caution(f"{use.name}: {told or idle}")
    if calls := sum(use.calls for use in judges):
        tokens = (sum(use.prompt_tokens for use in judges), sum(use.completion_tokens for use in judges))
        costs = [use.cost for use in judges if use.cost is not None]
        spent = f", ${sum(costs):,.4f}" if costs else ""
        yield f"asked: {words.counted(calls, 'call')}, tokens: {words.tokens(*tokens)}{spent}"


def _left(outcome: Outcome, number: int, reasons: Mapping[str, int]) -> str:
    """Return an outcome with its commonest reason, which of a failed call is shown whole."""
    why = next(iter(reasons), "")
    told = words.outcomes({outcome: number})
    return f"{told}: {why if outcome == 'failed' else shortened(why, _REASON)}" if why else told


def _fitted(name: str) -> str:
    """A name that fits its column."""
    if columns_of(name) <= _NAME:
        return name
    half = (_NAME - 3) // 2
    return f"{_beginning(name, _NAME - 3 - half)}...{_beginning(name[::-1], half)[::-1]}"


def _beginning(name: str, columns: int) -> str:
    wide = accumulate(map(columns_of, name))
    return name[: sum(1 for _ in takewhile(lambda reached: reached <= columns, wide))]
