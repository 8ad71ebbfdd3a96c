"""Overview of all systems: rates by part of the outputs, in figures and a table.

A report first says which system is best; the overview has the details of that answer. Parts are the outputs that checkers
decided, those left to judges, and all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..calibration.comparison.comparison_results import Comparison, Strata
from ..calibration.statistic import Statistic
from ..deterministic.finding import in_words
from ..evaluation.conclusion.run_results import (
    CORRECTED,
    DECIDED,
    ONE_EACH_CORRECTED,
    OPEN,
    UNJUDGED,
    StratumRate,
    SystemResult,
)
from .document import Columns, Details, Figure, Piece, document
from .document_parts import Cell, DocumentTable
from .figures.forest_plot import PlottedInterval, forest
from .items.naming import items_at
from .ranking import deciding, graded_rates, ranked_rates
from .text import number_text
from .text.ranking_text import ahead
from .text.systems_text import rate_notes

_MAX_PLOTTED = 30
"""Most systems in a figure; the table has all."""

MAX_COLUMNS = 6
"""Most systems as columns of a table; with more, they are its rows."""

_MAX_FAULTS = 8
"""Most kinds of faults in a table."""


@document
def overview_document(systems: Sequence[SystemResult], compared: Comparison | None) -> Iterator[Piece]:
    """Build the overview: figures of parts and leads, a table of systems, rates by judge."""
    parts = _parts(systems, compared)
    yield overview_figures(systems, compared)
    table = {
        part: [_rate_cell(rates.get(result.system)) for result in systems] for part, rates in parts.items()
    }
    names = [system.system for system in systems]
    if len(systems) <= MAX_COLUMNS:
        yield _systems_as_columns("part", names, table)
    else:
        yield _systems_as_rows("system", names, table)
    if rows := list(_judge_rows(systems)):
        judge_table = DocumentTable(("part", *names), rows)
        yield Details("Each judge's rate of the undecided outputs", [judge_table, *rate_notes(systems)])


def _systems_as_columns(
    title: str, names: Sequence[str], table: Mapping[str, Sequence[Cell]]
) -> DocumentTable:
    return DocumentTable((title, *names), [(name, *cells) for name, cells in table.items()])


def _systems_as_rows(title: str, names: Sequence[str], table: Mapping[str, Sequence[Cell]]) -> DocumentTable:
    rows = [(name, *(cells[row] for cells in table.values())) for row, name in enumerate(names)]
    return DocumentTable((title, *table), rows)


def faults_document(systems: Sequence[SystemResult]) -> list[Piece]:
    """Return a table of the commonest faults by system, each number linked to its items."""
    totals: Counter[str] = Counter()
    for system in systems:
        totals.update(system.faults)
    faults = [fault for fault, _ in totals.most_common(_MAX_FAULTS)]
    if not faults:
        return []
    rows = [(system.system, *(_fault_cell(system, fault) for fault in faults)) for system in systems]
    return [DocumentTable(("faults", *(Cell(in_words(fault), title=fault) for fault in faults)), rows)]


def _fault_cell(system: SystemResult, fault: str) -> Cell:
    count = system.faults.get(fault, 0)
    address = items_at(system=system.system, fault=fault)
    return Cell(number_text.count(count) if count else "", link=address if count else "")


def overview_figures(systems: Sequence[SystemResult], compared: Comparison | None) -> Columns:
    """Return figures of all systems: one per part, and one of the leader's leads."""
    figures = [
        Figure(forest(part, rows), caption=part)
        for part, rates in _parts(systems, compared).items()
        if (rows := _plotted_rates(systems, rates))
    ]
    return Columns([*figures, *_lead_figure(compared)])


def _parts(
    systems: Sequence[SystemResult], compared: Comparison | None
) -> Mapping[str, Mapping[str, Statistic]]:
    """Return rates by part and system: of checked outputs, undecided ones, and all."""
    checked_rates = {
        system.system: part for system in systems for part in system.strata if part.name == DECIDED
    }
    parts: dict[str, Mapping[str, Statistic]] = {"checked outputs": checked_rates} if checked_rates else {}
    strata = None if compared is None else compared.strata
    if strata is None:
        return parts | _parts_with_judges(systems)
    if any(strata.open.graded.values()):
        correction = number_text.correction(strata.open.corrected_systems, strata.open.rates)
        judged_rates = {system.system: system.judged for system in systems}
        parts[f"undecided outputs, judged, {correction}"] = _with_range(
            graded_rates(strata.open), judged_rates
        )
        if checked_rates:
            run_rates = {system.system: system.overall for system in systems}
            all_rates = _with_range(graded_rates(strata.all), run_rates)
            uncorrected = "" if strata.open.corrected else f", {correction}"
            parts[f"all outputs{uncorrected}"] = all_rates
    return parts


def _with_range(
    rates: Mapping[str, Statistic], run_rates: Mapping[str, StratumRate | None]
) -> dict[str, Statistic]:
    """Replace compared rates by those of the run, which have a range for ungraded outputs."""
    return {name: run_rates.get(name) or rate for name, rate in rates.items()}


def _parts_with_judges(systems: Sequence[SystemResult]) -> dict[str, Mapping[str, Statistic]]:
    """Return rates of undecided and of all outputs, for systems that are not compared."""
    undecided = {system.system: rate for system in systems if (rate := _undecided_rate(system)) is not None}
    if not undecided:
        return {}
    corrected = all(rate.corrects or rate.name == ONE_EACH_CORRECTED for rate in undecided.values())
    correction = "corrected with labels" if corrected else "uncorrected"
    parts: dict[str, Mapping[str, Statistic]] = {f"undecided outputs, judged, {correction}": undecided}
    if overall := {system.system: system.overall for system in systems if system.overall is not None}:
        parts[f"all outputs{'' if corrected else ', uncorrected'}"] = overall
    return parts


def _undecided_rate(system: SystemResult) -> StratumRate | None:
    """Return the rate of undecided outputs.

    It is that of one judge if it judged all of them, else a rate over outputs with a judge each.
    """
    judge_rates = [
        part for part in system.strata if part.by is not None and (part.name == OPEN or part.corrects)
    ]
    corrected_else_all = [part for part in judge_rates if part.name == CORRECTED] or judge_rates
    if len({part.by for part in corrected_else_all}) != 1:
        return system.judged
    by_one_judge = corrected_else_all[0]
    one_judged_all = system.judged is None or by_one_judge.of == system.judged.of
    return by_one_judge if one_judged_all else system.judged


def _plotted_rates(systems: Sequence[SystemResult], rates: Mapping[str, Statistic]) -> list[PlottedInterval]:
    return [
        PlottedInterval.of(system.system, rate, bounds=rate.bounds if isinstance(rate, StratumRate) else None)
        for system in systems[:_MAX_PLOTTED]
        if (rate := rates.get(system.system)) is not None and rate.value is not None
    ]


def _lead_figure(compared: Comparison | None) -> Iterator[Figure]:
    """Yield a figure of the leader's lead over each other system, in the part that ranks them."""
    if compared is None or compared.strata is None:
        return
    _, part_words = deciding(compared.strata)
    leader, leads = overview_leads(compared.strata)
    if leads:
        rows = [PlottedInterval.of(name, lead) for name, lead in leads.items()]
        caption = lead_caption(leader, part_words, len(leads))
        yield Figure(forest(caption, rows[:_MAX_PLOTTED], low=-1.0), caption=caption)


def lead_caption(leader: str, where: str, leads: int) -> str:
    """Return the caption of a figure of leads.

    With several leads it says that intervals hold for all at once: they are wider than those of each pair alone, which
    sentences and tables have.

    Args:
        leader: The leader.
        where: Words for the part that ranks systems.
        leads: Number of leads.
    """
    hold_for_all = "; intervals hold for all pairs at once" if leads > 1 else ""
    return f"Lead of {leader} over each other system, {where}{hold_for_all}"


def overview_leads(strata: Strata) -> tuple[str, dict[str, Statistic]]:
    """Return the leader and its lead over each other system; empty without two ranked systems."""
    part, _ = deciding(strata)
    ranked = ranked_rates(part)
    if len(ranked) < 2:  # noqa: PLR2004 - a single one leads no other
        return "", {}
    leader = next(iter(ranked))
    return leader, {
        pair.b if pair.a == leader else pair.a: ahead(pair, leader, simultaneous=True)
        for pair in part.pairs
        if leader in {pair.a, pair.b} and pair.difference.value is not None
    }


def _rate_cell(rate: Statistic | None) -> Cell:
    if rate is None:
        return Cell("-", title="no such output")
    details = [number_text.interval(rate.low, rate.high)]
    if isinstance(rate, StratumRate):
        details += ["mean score"] if rate.fractions else []
        missing = number_text.outcomes(rate.outcomes)
        details += [
            number_text.denominator(rate) + (f" ({missing})" if missing else ""),
            number_text.bounds(rate),
        ]
    else:
        details.append(f"n {number_text.count(rate.n)}")
    if rate.value is None:
        return Cell("undefined", "; ".join([rate.undefined or "no value", *filter(None, details)]))
    return Cell(number_text.decimal(rate.value), " ".join(filter(None, details)), rate.method or "")


_JUDGE_PARTS = {UNJUDGED: "not judged", OPEN: "uncorrected", CORRECTED: "corrected with labels"}
"""Parts of the undecided outputs, in words."""


def _judge_rows(systems: Sequence[SystemResult]) -> Iterator[Sequence[str | Cell]]:
    """Yield the rows of each judge: uncorrected, then corrected with labels."""
    undecided_parts = [part for system in systems for part in system.strata if part.name != DECIDED]
    judges = dict.fromkeys(part.by for part in undecided_parts)
    for judge in judges:
        for name, words in _JUDGE_PARTS.items():
            rates = {
                system.system: part
                for system in systems
                for part in system.strata
                if (part.name, part.by) == (name, judge)
            }
            if rates:
                if name == CORRECTED and not any(rate.corrects for rate in rates.values()):
                    words = "if labels are a random sample"  # noqa: PLW2901 - the labels may be a chosen sample
                yield (
                    Cell(judge or words, words if judge else ""),
                    *(_rate_cell(rates.get(result.system)) for result in systems),
                )
