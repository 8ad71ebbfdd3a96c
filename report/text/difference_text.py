"""Two runs compared in full: regressions, fixes, rate differences and changed settings.

`difference_screen` is the short form. Cases with several trials are compared by how often they pass, others singly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...calibration.comparison.comparison_results import ComparedPair, ComparedStratum, Strata
from ...calibration.statistic import Statistic
from ...deterministic.finding import in_words
from ...evaluation.past_runs.changed_verdicts import ChangedVerdict, RepeatedCase
from ...evaluation.past_runs.compare_runs import AFTER, BEFORE, Difference
from ...evaluation.past_runs.run_changes import RunChange
from ...spelling import command
from ..document import CautionLine, Columns, Figure, Piece, document
from ..document_parts import ENDS, FIRST, Cell, DocumentTable
from ..figures.forest_plot import PlottedInterval, forest
from ..ranking import deciding
from . import number_text
from .number_text import counted, p_value

_MAX_LISTED = 50
"""Most rows of a list; the JSON has all."""


@document
def difference_document(runs: Difference) -> Iterator[Piece]:
    """Build the full document of two runs."""
    yield f"{runs.after} against {runs.before}: {counted(runs.outputs, 'output')} in both."
    rows = [row for system, strata in runs.systems.items() for row in _part_rows(system, strata)]
    if not rows:
        yield nothing_compared(runs)
        yield from uncompared_lines(runs)
        yield from changed_pieces(runs.changed)
        return
    for system, strata in runs.systems.items():
        yield change_verdict(system, strata)
    yield from carried_pieces(runs)
    regressions, fixed = tried_once(runs, runs.broke), tried_once(runs, runs.better)
    if runs.compared_once or not runs.repeated:
        yield from _change_list(f"{counted(len(regressions), 'regression')} (pass to fail)", regressions)
        yield from _change_list(f"{fixes(len(fixed))} (fail to pass)", fixed)
    if runs.repeated:
        yield repeated_sentence(runs)
        if changed := [case for case in runs.repeated if case.before != case.after]:
            yield repeated_table(changed[:_MAX_LISTED])
        if len(changed) > _MAX_LISTED:
            yield f"  and {number_text.count(len(changed) - _MAX_LISTED)} more ({number_text.whole_list()} has all)"
    yield ""
    head = ("system", "part", "before", "after", "difference", "p", "regressions", "fixes", "n")
    if runs.repeated:
        # Trials of two runs are no pairs, so the columns of regressions and fixes (6, 7) are left out.
        head, rows = (*head[:6], head[8]), [[*row[:6], row[8]] for row in rows]
    yield DocumentTable(head, rows, left_aligned=FIRST | {1}, indent=0)
    yield Columns(list(difference_figure(runs.systems)))
    if graded_once := runs.graded_otherwise:
        yield from _change_list(
            f"{number_text.count(len(graded_once))} have a score in only one of the runs.", graded_once
        )
    yield from uncompared_lines(runs)
    yield from changed_pieces(runs.changed)


def tried_once(runs: Difference, changes: Sequence[ChangedVerdict]) -> list[ChangedVerdict]:
    """Return the changes of cases that were tried once, so that their outputs can be paired."""
    repeated = {(case.case_id, case.system) for case in runs.repeated}
    return [change for change in changes if (change.case_id, change.system) not in repeated]


def fixes(number: int) -> str:
    """Return a count of fixes with the noun, whose plural has no simple rule."""
    return f"{number_text.count(number)} {'fix' if number == 1 else 'fixes'}"


def repeated_sentence(runs: Difference) -> str:
    """Say how many repeated cases pass less often than before, and how many more often."""
    less = sum(case.after < case.before for case in runs.repeated)
    more = sum(case.after > case.before for case in runs.repeated)
    systems = len({case.system for case in runs.repeated})
    by_systems = f" by {counted(systems, 'system')}" if systems > 1 else ""
    return (
        f"{counted(less, 'case')} {'passes' if less == 1 else 'pass'} less often, {number_text.count(more)} more often, "
        f"of {number_text.count(len(runs.repeated))} tried several times{by_systems}."
    )


def repeated_table(cases: Sequence[RepeatedCase]) -> DocumentTable:
    """Return a table of repeated cases: how many trials passed before and after."""
    rows = [
        (
            case.case_id,
            case.system,
            f"{case.before:,} of {case.trials:,}",
            f"{case.after:,} of {case.trials:,}",
            "" if case.error_type is None else in_words(case.error_type),
        )
        for case in cases
    ]
    return DocumentTable(
        ("case", "system", "before", "after", "fault"), rows, left_aligned=FIRST | {1, 4}, indent=0
    )


def nothing_compared(runs: Difference) -> str:
    """Say why no rate can be compared."""
    if not runs.outputs:
        return "Nothing can be compared: no output is in both runs."
    return "Nothing can be compared: no output was graded in both runs by the same checker or judge."


def change_verdict(system: str, strata: Strata) -> str:
    """Say whether a system got better or worse, by how much, and with which p."""
    part, part_words = deciding(strata)
    pair = after_before(part)
    if pair is None or pair.difference.value is None or pair.p is None:
        return f"{system}: no difference can be computed {part_words}."
    change = number_text.statistic(pair.difference)
    word = {AFTER: "better", BEFORE: "worse", None: "no significant change"}[pair.better]
    return f"{system}: {word}: its pass rate {part_words} changed by {change} (paired, p {p_value(pair.p)})."


def after_before(part: ComparedStratum) -> ComparedPair | None:
    """Return the comparison of the later with the earlier run in a part, or None."""
    return next((pair for pair in part.pairs if pair.n and (pair.a, pair.b) == (AFTER, BEFORE)), None)


_PART_TITLES = {"decided": "checkers decided", "open": "undecided, judged", "all": "all outputs"}


def _part_rows(system: str, strata: Strata) -> Iterator[Sequence[str | Cell]]:
    for name, title in _PART_TITLES.items():
        part: ComparedStratum = getattr(strata, name)
        pair = after_before(part)
        if pair is not None and (name != "all" or pair.difference.value is not None):
            yield (
                system,
                title + (", corrected" if name == "open" and part.corrected else ""),
                # Rates on common outputs, which match the difference beside them; `b` is the earlier run.
                _rate_cell(pair.rate_b),
                _rate_cell(pair.rate_a),
                _rate_cell(pair.difference),
                p_value(pair.p),
                number_text.count(pair.b_only_right),
                number_text.count(pair.a_only_right),
                number_text.count(pair.n),
            )


def _rate_cell(rate: Statistic | None) -> Cell:
    if rate is None or rate.value is None:
        return Cell("-", title="" if rate is None else rate.undefined or "")
    return Cell(number_text.decimal(rate.value), number_text.interval(rate.low, rate.high))


def difference_figure(systems: Mapping[str, Strata]) -> Iterator[Figure]:
    """Yield a figure of the change of each system's pass rate, if any is known."""
    intervals = [
        PlottedInterval.of(system, pair.difference, alarm=pair.better == BEFORE)
        for system, strata in systems.items()
        if (pair := after_before(deciding(strata)[0])) is not None
    ]
    if intervals:
        caption = "How far the pass rate changed"
        yield Figure(forest(caption, intervals, low=-1.0), caption=caption)


def _change_list(heading: str, verdicts: Sequence[ChangedVerdict]) -> Iterator[Piece]:
    yield heading
    if not verdicts:
        return
    rows = [
        (
            verdict.case_id,
            system_of(verdict),
            verdict.by,
            f"{number_text.outcome(verdict.before)} -> {number_text.outcome(verdict.after)}",
            _fault(verdict),
        )
        for verdict in verdicts[:_MAX_LISTED]
    ]
    yield DocumentTable(("case", "system", "by", "verdict", "fault"), rows, left_aligned=frozenset(range(5)))
    if len(verdicts) > _MAX_LISTED:
        yield f"  and {number_text.count(len(verdicts) - _MAX_LISTED)} more ({number_text.whole_list()} has all)"


def system_of(change: ChangedVerdict) -> str:
    """Return the system of a changed verdict, with its trial if there are several."""
    return change.system + (f", trial {change.trial}" if change.trial else "")


def _fault(change: ChangedVerdict) -> Cell:
    return (
        Cell("") if change.error_type is None else Cell(in_words(change.error_type), f"({change.error_type})")
    )


def carried_pieces(runs: Difference) -> Iterator[Piece]:
    """Yield a caution if labels may belong to answers of the earlier run that have changed."""
    if runs.carried_labels:
        outputs = "1 labelled output has" if runs.carried_labels == 1 else f"{runs.carried_labels:,} labelled outputs have"  # fmt: skip
        yield CautionLine(
            f"{outputs} another answer in {runs.after}, and the same label: if it was given for the earlier answer, "
            f"corrected rates are wrong; run {runs.after} without these labels, then label its own: "
            f"{command('review', runs.after)}"
        )


def uncompared_lines(runs: Difference) -> Iterator[str]:
    """Yield counts of outputs that are in one run only, or share no checker or judge."""
    for number, run in ((runs.only_before, runs.before), (runs.only_after, runs.after)):
        if number:
            yield f"{counted(number, 'output')} only in {run}"
    if runs.only_baseline:
        baseline_only = counted(runs.only_baseline, "output")
        yield f"{baseline_only} graded by the word overlap baseline alone, which is no judge: not compared"
    if others := runs.not_compared - runs.only_baseline:
        yield f"{counted(others, 'output')} without a common checker or judge: not compared"


def changed_pieces(changed: Sequence[RunChange]) -> Iterator[Piece]:
    """Yield the data, settings and versions that changed between two runs."""
    if not changed:
        yield "Data, rules, judges, prompts, models and versions are the same."
        return
    yield "What changed:"
    yield changes(changed)


def _without_name(title: str, value: str | None) -> str:
    """Return a setting's value without its name, if the title ``judge NAME`` already has it."""
    name = title.partition(" ")[2]
    return (value or "(not there)").removeprefix(f"{name}, ")


def changes(changed: Sequence[RunChange]) -> DocumentTable:
    """Return a table of the records that changed from an earlier run."""
    rows = [
        (change.what, *(_without_name(change.what, value) for value in (change.before, change.after)))
        for change in changed
    ]
    return DocumentTable(("what", "before", "after"), rows, left_aligned=ENDS | {1})
