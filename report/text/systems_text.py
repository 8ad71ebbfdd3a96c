"""First-screen systems: forest plot of all outputs with its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...evaluation.conclusion.run_results import (
    ALL,
    ALL_CORRECTED,
    ALL_UNCORRECTED,
    CORRECTED,
    DECIDED,
    JudgeUse,
    StratumRate,
    SystemResult,
)
from ...evaluation.store.journal_rows import is_baseline
from ..document import Piece
from ..document_parts import Cell
from ..items.naming import UNGRADED, items_at
from . import number_text
from .one_screen import NAME, PlotRow, ShortNames, plotted_table, rate_and_n, short_names
from .safe_text import columns_of

_MOST_SYSTEMS = 6


def by_rate(systems: Sequence[SystemResult]) -> list[SystemResult]:
    """Sort systems by their rate, the best first; those without one come last."""
    return sorted(systems, key=_place)


def _place(system: SystemResult) -> float:
    rate = main_rate(system)
    return 1.0 if rate is None or rate.value is None else -rate.value


def main_rate(system: SystemResult) -> StratumRate | None:
    """Return the rate of all outputs, or of the checked ones where too much is ungraded."""
    if system.overall is not None and system.overall.value is not None:
        return system.overall
    decided = checked(system)
    return decided if decided is not None and decided.value is not None else system.judged or decided


def checked(system: SystemResult) -> StratumRate | None:
    """Return what checkers decided."""
    return next((part for part in system.strata if part.name == DECIDED), None)


def ungraded(system: SystemResult) -> int | None:
    """Count ungraded outputs, including cases without an output; None if unknown."""
    if system.overall is not None:
        return system.overall.of - system.overall.n
    decided = checked(system)
    return None if decided is None else decided.of - decided.n


def systems_document(
    systems: Sequence[SystemResult], judges: Sequence[JudgeUse], *, linked: bool = False
) -> Iterator[Piece]:
    """Show the systems by rate; of one system, its parts.

    With ``linked``, ungraded counts lead to their items, on a page that lists them.
    """
    if len(systems) == 1:
        yield from _parts(systems[0], judges)
    elif systems:
        yield from _side_by_side(by_rate(systems), linked=linked)


def _side_by_side(systems: Sequence[SystemResult], *, linked: bool) -> Iterator[Piece]:
    names = short_names(system.system for system in systems)
    whole = [
        system.overall
        for system in systems
        if system.overall is not None and system.overall.value is not None
    ]
    is_whole = len(whole) == len(systems)
    is_judged = any(system.judged is not None and system.judged.n for system in systems)
    is_checked = any(part is not None and part.n for part in map(checked, systems))
    rows: list[PlotRow] = []
    for system in systems[:_MOST_SYSTEMS]:
        main = system.overall if is_whole else checked(system) if is_checked else system.judged
        behind = (checked(system) if is_whole and is_judged else None, system.judged)
        cells = tuple(
            rate_and_n(part)
            for part, shown in zip(
                behind, _columns(is_whole=is_whole, is_checked=is_checked, is_judged=is_judged), strict=True
            )
            if shown
        )
        n = "-" if main is None else number_text.count(main.n)
        left = ungraded(system)
        missing = "-" if left is None else number_text.count(left)
        last = (
            Cell(missing, link=items_at(system=system.system, group=UNGRADED)) if linked and left else missing
        )
        rows.append((names.of(system.system), main, (n, *cells, last)))
    if is_whole or not (is_checked or is_judged):
        shares_judged = is_judged and (_uncorrected(systems) or not is_checked)
        main_head = "all outputs*" if shares_judged else "all outputs"
    else:
        main_head = "checked outputs" if is_checked else "judged*"
    shown = _columns(is_whole=is_whole, is_checked=is_checked, is_judged=is_judged)
    head = (
        main_head,
        "n",
        *(name for name, wanted in zip(("checkers", "judges*"), shown, strict=True) if wanted),
        "ungraded",
    )
    if names.shared:
        yield f"systems {names.shared}"
    yield plotted_table("", head, rows)
    if len(systems) > _MOST_SYSTEMS:
        yield f"{len(systems) - _MOST_SYSTEMS:,} more systems"
    if is_judged:
        corrected = [
            each.system
            for each in systems
            if each.overall is not None and each.overall.name != ALL_UNCORRECTED
        ]
        how = (
            "uncorrected"
            if _uncorrected(systems)
            else number_text.correction(corrected, (each.system for each in systems))
        )
        yield f"* undecided by checkers, judged, {how}"


def _columns(*, is_whole: bool, is_checked: bool, is_judged: bool) -> tuple[bool, bool]:
    """Return whether checked and judged outputs have a column beside the main rate."""
    return is_whole and is_judged and is_checked, is_judged and is_checked


def _uncorrected(systems: Sequence[SystemResult]) -> bool:
    return not any(system.overall is not None and system.overall.name == ALL_CORRECTED for system in systems)


def _parts(system: SystemResult, judges: Sequence[JudgeUse]) -> Iterator[Piece]:
    """Show one system's rate of all outputs, of the checked ones, and by each judge."""
    judged = judged_parts(system)
    corrected = {part.by: part for part in system.strata if part.name == CORRECTED}
    shown = without_baselines(judged, judges) or judged
    names = judge_names([part.by or "" for part in shown])
    rows: list[PlotRow] = []
    whole, decided = system.overall, checked(system)
    if whole is not None and shown:
        mark = "*" if whole.name == ALL_UNCORRECTED else ""
        rows.append((f"{ALL}{mark}", whole, _counts(whole)))
    if decided is not None:
        left = decided.of - decided.n
        alone = not shown
        cells = (
            number_text.count(decided.n),
            number_text.count(
                left
                if alone
                else left - decided.outcomes.get("undecided", 0) - decided.outcomes.get("missing", 0)
            ),
        )
        rows.append(("checked outputs" if not alone or left else ALL, decided, cells))
    is_marked = False
    for part in shown:
        better = corrected.get(part.by)
        usable = better is not None and better.value is not None
        is_marked |= not usable
        rows.append(
            (f"{names.of(part.by or '')}{'' if usable else '*'}", better if usable else part, _counts(part))
        )
    yield plotted_table("", ("pass rate", "n", "ungraded"), rows)
    notes = ["* uncorrected: no labels of these outputs"] if is_marked else []
    if any(part.fractions for part in shown):
        notes.append("a judge's row is its mean score")
    if notes:
        yield "; ".join(notes)


def judge_names(names: Sequence[str], *, columns: int = NAME) -> ShortNames:
    """Shorten judges' names: a model that all share is cut, then whatever else all share.

    Several models are cut too where a name is too long and the rest tells judges apart.
    """
    if len(bare := _without_models(names, columns)) == len(names):
        short = short_names(bare.values(), columns=columns)
        models = dict.fromkeys(name.rpartition("@")[2] for name in names)
        shared = ", ".join(filter(None, (short.shared, *models)))
        return ShortNames({name: short.of(bare[name]) for name in names} if short.shared else bare, shared)
    models = {name.rpartition("@")[2] for name in names if "@" in name}
    shared = f"@{models.pop()}" if len(models) == 1 and all("@" in name for name in names) else ""
    short = short_names((name.removesuffix(shared) for name in names), columns=columns)
    model = shared.removeprefix("@")
    told = ", ".join(filter(None, (short.shared, model)))
    return ShortNames({name: short.of(name.removesuffix(shared)) for name in names}, told)


def _without_models(names: Sequence[str], columns: int) -> dict[str, str]:
    """Return names without models if one is too long and they still differ; else none."""
    bare = {name: name.rpartition("@")[0] for name in names}
    too_long = any(columns_of(name) > columns for name in names)
    several = len({name.rpartition("@")[2] for name in names}) > 1
    differ = len(set(bare.values())) == len(bare) and all(bare.values())
    return bare if too_long and several and differ else {}


def judged_parts(system: SystemResult) -> list[StratumRate]:
    """Return each judge's uncorrected rate on what no checker decided."""
    return [part for part in system.strata if part.by is not None and part.name not in {DECIDED, CORRECTED}]


def without_baselines(parts: Sequence[StratumRate], judges: Sequence[JudgeUse]) -> list[StratumRate]:
    """Drop the rates of baselines, which do not read the output."""
    baselines = {use.name for use in judges if use.id is not None and is_baseline(use.id)}
    return [part for part in parts if part.by not in baselines]


def _counts(part: StratumRate) -> tuple[str, ...]:
    return number_text.count(part.n), number_text.count(part.of - part.n)
