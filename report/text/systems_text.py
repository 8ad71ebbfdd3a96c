"""Systems on the first screen: a table of several with plotted rates, or the parts of one.

A system's main rate is that of all outputs, or of the checked ones if that is not known; judged outputs are corrected
with labels if there are enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

from ...calibration.statistic import Statistic
from ...evaluation.conclusion.run_results import (
    ALL,
    ALL_CORRECTED,
    ALL_UNCORRECTED,
    CORRECTED,
    DECIDED,
    JUDGED,
    JudgeUse,
    StratumRate,
    SystemResult,
)
from ...evaluation.store.journal_rows import is_baseline
from ..document import Piece
from ..document_parts import Cell
from ..items.naming import NAME, UNGRADED, ShortNames, items_at, short_names
from . import number_text
from .one_screen import PlotRow, plotted_table, rate_and_n
from .safe_text import columns_of
from .uncorrected_reasons import own_rate_reason, uncorrected_reason
from .ungraded_text import UngradedRange, ungraded_ranges

_MAX_SYSTEMS = 6
"""Most rows of systems, unless told otherwise."""
_MAX_NAMED = 3
"""Most judges named before a note; more are counted."""
_CHECKERS, _JUDGES, _ALL = "checkers", "judges*", "all*"
"""Headings of rates next to the main rate; a footnote explains the asterisk."""


class Ranked(NamedTuple):
    """Rates by which the first sentence ranks systems, and that lead their table.

    Attributes:
        rates: Rate by system, the best first.
        checked: True if only checked outputs rank them, though judges graded others.
    """

    rates: Mapping[str, Statistic]
    checked: bool = False


NOT_RANKED = Ranked({})
"""Without a ranking, systems are sorted by their main rates."""


def by_rate(systems: Sequence[SystemResult], ranked: Ranked = NOT_RANKED) -> list[SystemResult]:
    """Sort systems as they are ranked, others by main rate; those without a rate come last."""
    places = {name: place for place, name in enumerate(ranked.rates)}
    return sorted(systems, key=lambda system: (places.get(system.system, len(places)), _rank_key(system)))


def _rank_key(system: SystemResult) -> float:
    rate = main_rate(system)
    return 1.0 if rate is None or rate.value is None else -rate.value


def main_rate(system: SystemResult) -> StratumRate | None:
    """Return the rate of all outputs, if undefined of the checked ones, else of the judged ones."""
    if system.overall is not None and system.overall.value is not None:
        return system.overall
    decided = checked(system)
    return decided if decided is not None and decided.value is not None else system.judged or decided


def checked(system: SystemResult) -> StratumRate | None:
    """Return the rate of the checked outputs, if any."""
    return next((part for part in system.strata if part.name == DECIDED), None)


def ungraded(system: SystemResult) -> int | None:
    """Return the number of ungraded outputs, missing ones included, or None if unknown."""
    if system.overall is not None:
        return system.overall.of - system.overall.n
    decided = checked(system)
    return None if decided is None else decided.of - decided.n


def systems_document(
    systems: Sequence[SystemResult],
    judges: Sequence[JudgeUse],
    ranked: Ranked = NOT_RANKED,
    *,
    linked: bool = False,
    most: int = _MAX_SYSTEMS,
) -> Iterator[Piece]:
    """Yield a table of systems, or of the parts of a single system.

    Args:
        systems: The systems.
        judges: What the run's judges did.
        ranked: Rates that rank the systems.
        linked: Link counts of ungraded outputs to their items on the same page.
        most: Most systems; more are counted.
    """
    if len(systems) == 1:
        yield from _parts_table(systems[0], judges)
    elif systems:
        yield from _systems_table(by_rate(systems, ranked), judges, ranked, linked=linked, most=most)


class _TableColumns(NamedTuple):
    """Which rates a table of systems can show, which decides its columns.

    Attributes:
        whole: Every system has a rate of all its outputs.
        checked: Checkers decided outputs of at least one system.
        judged: Judges graded outputs of at least one system.
        first: The rate of all outputs comes first, not that of the checked ones.
    """

    whole: bool
    checked: bool
    judged: bool
    first: bool

    @classmethod
    def of(cls, systems: Sequence[SystemResult], ranked: Ranked) -> Self:
        """Find the rates that these systems have."""
        whole = all(system.overall is not None and system.overall.value is not None for system in systems)
        return cls(
            whole,
            any(part is not None and part.n for part in map(checked, systems)),
            any(system.judged is not None and system.judged.n for system in systems),
            first=whole and not ranked.checked,
        )

    @property
    def extra_columns(self) -> tuple[str, ...]:
        """Headings of the rates after the main rate."""
        if not (self.checked and self.judged):
            return ()
        if self.first:
            return _CHECKERS, _JUDGES
        return (_JUDGES, _ALL) if self.whole else (_JUDGES,)

    def graded(self, system: SystemResult) -> StratumRate | None:
        """Return the rate that counts as ungraded what neither checkers nor judges graded."""
        return system.overall if self.whole else self.main(system)

    def main(self, system: SystemResult) -> StratumRate | None:
        """Return the rate by which systems are compared."""
        return system.overall if self.first else checked(system) if self.checked else system.judged


def _systems_table(
    systems: Sequence[SystemResult],
    judges: Sequence[JudgeUse],
    ranked: Ranked,
    *,
    linked: bool,
    most: int,
) -> Iterator[Piece]:
    """Yield a row per system, what ungraded outputs may change, and a footnote on judged rates."""
    names = short_names(system.system for system in systems)
    columns = _TableColumns.of(systems, ranked)
    rows: list[PlotRow] = [
        (
            names.of(system.system),
            ranked.rates.get(system.system) or columns.main(system),
            (*_n_and_other_rates(system, columns), _ungraded_cell(system, linked=linked)),
        )
        for system in systems[:most]
    ]
    if names.shared:
        yield f"systems {names.shared}"
    yield plotted_table("", (_main_title(systems, columns), "n", *columns.extra_columns, "ungraded"), rows)
    if len(systems) > most:
        yield number_text.counted(len(systems) - most, "more system")
    yield from ungraded_ranges(
        UngradedRange(
            names.of(system.system),
            None if (graded := columns.graded(system)) is None else graded.bounds,
            ungraded(system) or 0,
            system.failed_calls,
        )
        for system in systems[:most]
    )
    if columns.judged:
        yield _judged_note(systems, judges)


def _n_and_other_rates(system: SystemResult, columns: _TableColumns) -> Iterator[str | Cell]:
    main_rate_of_system = columns.main(system)
    yield "-" if main_rate_of_system is None else number_text.count(main_rate_of_system.n)
    for title in columns.extra_columns:
        yield rate_and_n(_rate_of_column(system, title))


def _rate_of_column(system: SystemResult, title: str) -> StratumRate | None:
    return {_CHECKERS: checked(system), _JUDGES: system.judged, _ALL: system.overall}[title]


def _ungraded_cell(system: SystemResult, *, linked: bool) -> str | Cell:
    count = ungraded(system)
    if count is None:
        return "-"
    text = number_text.count(count)
    return Cell(text, link=items_at(system=system.system, group=UNGRADED)) if linked and count else text


def _main_title(systems: Sequence[SystemResult], columns: _TableColumns) -> str:
    """Return the heading of the main rate, with an asterisk if `_judged_note` explains it."""
    if columns.first or not (columns.checked or columns.judged):
        needs_asterisk = columns.judged and (_is_uncorrected(systems) or not columns.checked)
        return "all outputs*" if needs_asterisk else "all outputs"
    return "checked outputs" if columns.checked else _JUDGES


def _judged_note(systems: Sequence[SystemResult], judges: Sequence[JudgeUse]) -> str:
    """Return the footnote on rates with an asterisk."""
    corrected = [
        system.system
        for system in systems
        if system.overall is not None and system.overall.name != ALL_UNCORRECTED
    ]
    correction = (
        "uncorrected"
        if _is_uncorrected(systems)
        else number_text.correction(corrected, (system.system for system in systems))
    )
    condition = f" ({IF_SAMPLED})" if corrected_by_sample(systems, judges) else ""
    part = "undecided by checkers, judged" if any(map(checked, systems)) else "judged"
    return f"* {part}, {correction}{condition}"


IF_SAMPLED = "valid if the labelled outputs are a random sample"
"""Condition for a correction with labels of some outputs to be valid."""


def corrected_by_sample(systems: Sequence[SystemResult], judges: Sequence[JudgeUse]) -> bool:
    """Return whether labels correct the rates, and only some of the judged outputs have one."""
    return not _is_uncorrected(systems) and any(use.undecided_labelled < use.undecided for use in judges)


def _is_uncorrected(systems: Sequence[SystemResult]) -> bool:
    return not any(system.overall is not None and system.overall.name == ALL_CORRECTED for system in systems)


def _parts_table(system: SystemResult, judges: Sequence[JudgeUse]) -> Iterator[Piece]:
    """Yield a table of one system: its rates of all outputs, of the checked ones, by each judge."""
    judged = judged_parts(system)
    judge_parts = without_baselines(judged, judges) or judged
    judge_rows, reasons = _judge_rows(system, judge_parts)
    rows: list[PlotRow] = []
    overall_rate, checked_rate = system.overall, checked(system)
    if overall_rate is not None and judge_parts:
        mark = "*" if overall_rate.name == ALL_UNCORRECTED else ""
        rows.append((f"{ALL}{mark}", overall_rate, _n_and_ungraded(overall_rate)))
    if checked_rate is not None:
        rows += _checked_rows(checked_rate, alone=not judge_parts)
    yield plotted_table("", ("pass rate", "n", "ungraded"), [*rows, *judge_rows])
    notes = [f"* uncorrected: {' or '.join(reasons)}"] if reasons else []
    if (
        overall_rate is not None
        and judge_parts
        and overall_rate.value is None
        and overall_rate.undefined is not None
    ):
        notes.append(f"no rate of all outputs: {overall_rate.undefined}")
    if any(part.fractions for part in judge_parts):
        notes.append("a judge's row is its mean score")
    if notes:
        yield "; ".join(notes)


def _checked_rows(decided: StratumRate, *, alone: bool) -> Iterator[PlotRow]:
    """Yield the row of the checked outputs, if there are any.

    With ``alone``, no judge graded the others: then undecided outputs count as ungraded.
    """
    undecided = decided.of - decided.n
    ungraded = undecided
    if not alone:
        ungraded -= decided.outcomes.get("undecided", 0) + decided.outcomes.get("missing", 0)
    name = ALL if alone and not undecided else "checked outputs"
    if alone or decided.n or ungraded:
        yield name, decided, (number_text.count(decided.n), number_text.count(ungraded))


def _judge_rows(system: SystemResult, parts: Sequence[StratumRate]) -> tuple[list[PlotRow], list[str]]:
    """Return a row per judge, with an asterisk if uncorrected, and the reasons why some are."""
    corrected = {part.by: part for part in system.strata if part.name == CORRECTED}
    names = judge_names([part.by or "" for part in parts])
    rows: list[PlotRow] = []
    reasons = dict[str, None]()  # as a set in order
    for part in parts:
        corrected_rate = corrected.get(part.by)
        is_corrected = (
            corrected_rate is not None and corrected_rate.value is not None and corrected_rate.corrects
        )
        is_uncorrected = not is_corrected and part.value is not None
        if is_uncorrected:
            why = (
                own_rate_reason(system.overall) if part.name == JUDGED else uncorrected_reason(corrected_rate)
            )
            reasons[why] = None
        name = f"{names.of(part.by or '')}{'*' if is_uncorrected else ''}"
        rows.append((name, corrected_rate if is_corrected else part, _n_and_ungraded(part)))
    return rows, list(reasons)


def judge_names(names: Sequence[str], *, columns: int = NAME) -> ShortNames:
    """Shorten judges' names, ``judge/variant@model``.

    A shared model is cut, then any other shared part. Different models are also cut if a name is too long and the names
    still differ without them.
    """
    if len(names_without_models := _without_models(names, columns)) == len(names):
        short_names_without_models = short_names(names_without_models.values(), columns=columns)
        models = dict.fromkeys(name.rpartition("@")[2] for name in names)
        shared = ", ".join(filter(None, (short_names_without_models.shared, *models)))
        return ShortNames(
            {name: short_names_without_models.of(names_without_models[name]) for name in names}
            if short_names_without_models.shared
            else names_without_models,
            shared,
        )
    models = {name.rpartition("@")[2] for name in names if "@" in name}
    shared = f"@{models.pop()}" if len(models) == 1 and all("@" in name for name in names) else ""
    short_names_without_models = short_names((name.removesuffix(shared) for name in names), columns=columns)
    model = shared.removeprefix("@")
    shared_parts = ", ".join(filter(None, (short_names_without_models.shared, model)))
    return ShortNames(
        {name: short_names_without_models.of(name.removesuffix(shared)) for name in names}, shared_parts
    )


def _without_models(names: Sequence[str], columns: int) -> dict[str, str]:
    """Return each name without its model, if a name is too long and they still differ; else {}."""
    without_models = {name: name.rpartition("@")[0] for name in names}
    too_long = any(columns_of(name) > columns for name in names)
    has_several_models = len({name.rpartition("@")[2] for name in names}) > 1
    still_differ = len(set(without_models.values())) == len(without_models) and all(without_models.values())
    return without_models if too_long and has_several_models and still_differ else {}


def rate_notes(systems: Sequence[SystemResult]) -> Iterator[str]:
    """Yield each note on a rate once, with the judges and systems that it is about."""
    systems_by_note: dict[str, dict[str, None]] = {}
    judges_by_note: dict[str, dict[str, None]] = {}
    for system in systems:
        for rate in system.strata:
            if rate.note:
                systems_by_note.setdefault(rate.note, {})[system.system] = None
                judges_by_note.setdefault(rate.note, {}).update({rate.by: None} if rate.by else {})
    for note, systems_with_note in systems_by_note.items():
        judges = list(judges_by_note[note])
        judges_text = (
            ", ".join(judges) if len(judges) <= _MAX_NAMED else number_text.counted(len(judges), "judge")
        )
        systems_affected = "" if len(systems_with_note) == len(systems) else ", ".join(systems_with_note)
        subject = (
            f"{judges_text} ({systems_affected})"
            if judges_text and systems_affected
            else judges_text or systems_affected
        )
        yield f"{subject}: {note}" if subject else note


def judged_parts(system: SystemResult) -> list[StratumRate]:
    """Return each judge's uncorrected rate of the outputs that no checker decided."""
    return [part for part in system.strata if part.by is not None and part.name not in {DECIDED, CORRECTED}]


def without_baselines(parts: Sequence[StratumRate], judges: Sequence[JudgeUse]) -> list[StratumRate]:
    """Leave out rates by baselines, which do not read the output."""
    baselines = {use.name for use in judges if use.id is not None and is_baseline(use.id)}
    return [part for part in parts if part.by not in baselines]


def _n_and_ungraded(part: StratumRate) -> tuple[str, ...]:
    return number_text.count(part.n), number_text.count(part.of - part.n)
