"""Pages of comparisons: of judges or systems, and of systems by judges' preferences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..calibration.comparison.comparison_results import ComparedStratum, Comparison
from ..calibration.preference.preference_results import PreferenceNumbers
from ..calibration.statistic import Statistic
from .document import Columns, Figure
from .figures.forest_plot import PlottedInterval, forest
from .items.naming import ShortNames, pair_name, short_names
from .overview import lead_caption, overview_leads
from .page import ResultPage
from .ranking import deciding
from .text.comparison_screen import RANKED, comparison_screen
from .text.comparison_text import comparison_document, measure_of
from .text.judges_text import with_baseline
from .text.number_text import correction, counted
from .text.preference_screen import preferences_screen
from .text.preference_text import preferences_document
from .text.systems_text import judge_names

_MAX_ROWS = 30
"""Most rows of a figure; the tables have all."""


def comparison_page(comparison: Comparison) -> ResultPage:
    """Return the page of a comparison of judges, prompts or systems."""
    return ResultPage(
        title=f"{comparison.by.capitalize()}s compared",
        about=f"{counted(len(comparison.contenders), comparison.by)}, {counted(len(comparison.pairs), 'pair')}",
        answer=comparison_screen(comparison),
        figures=list(_figures(comparison)),
        sections={"Parts": list(_part_figures(comparison)), "Every pair": comparison_document(comparison)},
    )


def preferences_page(
    judges: Sequence[PreferenceNumbers], refused: Mapping[str, Sequence[str]] = {}
) -> ResultPage:
    """Return the page of preferences between systems, by judge."""
    figures: list[Figure] = []
    for judge in judges:
        rates = {name: system.win_rate for name, system in judge.systems.items()}
        figures += _rate_figure(rates, f"Win rate by {judge.judge}", short_names(rates))
    return ResultPage(
        title="Preferences",
        about=f"{counted(len(judges), 'judge')}, {counted(sum(judge.comparisons for judge in judges), 'comparison')}",
        answer=preferences_screen(judges, refused),
        figures=figures,
        sections={"Every pair": preferences_document(judges, refused)},
    )


def _figures(comparison: Comparison) -> Iterator[Figure]:
    if comparison.strata is not None:
        part, where = deciding(comparison.strata)
        yield from _rate_figure(part.rates, f"Pass rate {where}", short_names(part.rates))
        leader, leads = overview_leads(comparison.strata)
        yield from _lead_figure(leader, leads, where)
        return
    rates = {
        name: contender.simultaneous or contender.rate for name, contender in comparison.contenders.items()
    }
    if comparison.statistic in {"accuracy", *RANKED}:
        at_once = f", intervals hold for all {len(rates)} at once" if len(rates) > 1 else ""
        yield from _rate_figure(
            rates, f"{measure_of(comparison).capitalize()}{at_once}", judge_names(list(rates))
        )
    yield from _difference_figure(comparison)


def _rate_figure(rates: Mapping[str, Statistic], caption: str, names: ShortNames) -> Iterator[Figure]:
    """Yield a figure of rates, the highest first, if any is defined."""
    by_rate = sorted(rates.items(), key=lambda entry: -(entry[1].value or 0.0))
    rows = [PlottedInterval.of(names.of(name), rate) for name, rate in by_rate if rate.value is not None]
    if rows:
        shared = f" ({names.shared})" if names.shared else ""
        yield Figure(forest(caption, rows[:_MAX_ROWS]), caption=f"{caption}{shared}")


def _lead_figure(leader: str, leads: Mapping[str, Statistic], where: str) -> Iterator[Figure]:
    if leads:
        names = short_names([leader, *leads])
        rows = [PlottedInterval.of(names.of(name), lead) for name, lead in leads.items()]
        caption = lead_caption(names.of(leader), where, len(leads))
        yield Figure(forest(caption, rows[:_MAX_ROWS], low=-1.0), caption=caption)


def _difference_figure(comparison: Comparison) -> Iterator[Figure]:
    """Yield the differences of pairs with a common item, the largest first, baselines last."""
    pairs = [pair for pair in comparison.pairs if pair.n and pair.difference.value is not None]
    pairs.sort(key=lambda pair: (with_baseline(pair), -abs(pair.difference.value or 0.0)))
    if pairs:
        names = judge_names(list(comparison.contenders))
        rows = [
            PlottedInterval.of(pair_name(names.of(pair.a), names.of(pair.b)), pair.difference)
            for pair in pairs[:_MAX_ROWS]
        ]
        measure = measure_of(comparison)
        single_pairs_note = ", each pair alone" if len(pairs) > 1 else ""
        caption = f"Difference of {measure}, first minus second{single_pairs_note}"
        yield Figure(forest(caption, rows, low=-1.0), caption=caption)


def _part_figures(comparison: Comparison) -> Iterator[Columns]:
    """Yield the rates of each part if checkers decided one and judges another."""
    strata = comparison.strata
    if strata is None or not all(any(part.graded.values()) for part in (strata.decided, strata.open)):
        return
    parts: dict[str, ComparedStratum] = {
        "Checked outputs": strata.decided,
        f"Undecided outputs, judged, {correction(strata.open.corrected_systems, strata.open.rates)}": strata.open,
        "All outputs": strata.all,
    }
    names = short_names(strata.all.outputs)
    yield Columns(
        [figure for caption, part in parts.items() for figure in _rate_figure(part.rates, caption, names)]
    )
