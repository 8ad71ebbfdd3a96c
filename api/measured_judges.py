"""`fiducial.audit_card` and `audit_table`: judges measured on one fixed set."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from ..calibration.pass_threshold import threshold_overrides
from ..errors import UsageError
from ..evaluation.audit.audit_plan import AuditPlan
from ..evaluation.audit.cards.card_run import CardPlan, card_forecasts, run_card
from ..evaluation.audit.cards.card_table import AuditCards, read_cards
from ..evaluation.audit.cards.judge_card import AuditCard
from ..evaluation.judging.access import ModelAccess
from ..judges.loop_thread import run_apart
from ..records import atomic_write
from ..report.text.card_text import (
    card_document,
    card_screen,
    card_table_document,
    card_table_screen,
)
from ..settings.verbs.audit import AuditCardSettings
from ..spelling import setting
from .argument_checks import checked_arguments, require_whole
from .checking import Worlds, worlds_of
from .display import Presentation, bind_display
from .evaluating import JudgeLike, judging_fields, judging_fields_of
from .forecasts import Forecasts
from .paths import FilePath, folder_path, input_path, written_path
from .price_memory import known_prices
from .progress_bars import show_progress
from .run_files import Access


def _write_table(cards: AuditCards, path: Path) -> list[Path]:
    if path.suffix == ".md":
        with atomic_write(path) as file:
            file.write(f"{cards.to_markdown()}\n".encode())
        return [path]
    from ..report.card_pages import write_card_pages  # noqa: PLC0415 - loaded only to write pages

    return write_card_pages(cards, path)


def _write_badge(cards: AuditCards, path: Path) -> Path:
    if len(cards.cards) != 1:
        raise UsageError(f"{setting('badge')} is of one card; got {len(cards.cards)}")
    from ..report.card_pages import write_badge  # noqa: PLC0415 - loaded only to write a badge

    write_badge(path, cards.cards[0])
    return path


bind_display(AuditCard, Presentation[AuditCard](make_document=card_document, make_screen=card_screen))
bind_display(
    AuditCards,
    Presentation(
        make_document=card_table_document,
        make_screen=card_table_screen,
        writers={"table": _write_table, "badge": _write_badge},
    ),
)


@checked_arguments
def audit_card(
    judge: JudgeLike,
    *,
    out: FilePath,
    model: str | None = None,
    natural: FilePath | None = None,
    made_by: str = "",
    repeats: int = 1,
    pass_at: float | Mapping[str, float] | None = None,
    worlds: Worlds = None,
    access: Access | None = None,
    judge_parameters: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> AuditCard:
    """Ask a judge about the fixed set of probes, and write its card.

    Args:
        judge: Made by `fiducial.judge` or given by name.
        out: The card (``NAME.json``); the same call resumes from the folder ``NAME-run`` next to it.
        model: The judging model, for a judge given by name.
        natural: A folder with the cases and outputs of the set's natural faults; None leaves them out.
        made_by: Who runs it, for the card.
        repeats: Number of times right outputs are judged.
        pass_at: Pass threshold; by default the judge's own, else 0.5.
        worlds: Custom simulated worlds; by default the registered ones.
        access: Model access for a judge given by name; by default that of `fiducial.judge`.
        judge_parameters: Decoding parameters that override the prompt's, for a judge given by name; a value of None omits one.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.

    Returns:
        The card.

    Raises:
        InputError: The natural part cannot be used.
        UsageError: There is no such judge, or the set has nothing for it.
        ConfigurationError: A model is needed and none is named or can be reached.
    """
    require_whole("repeats", repeats)
    judge_fields = judging_fields(
        judge, model, worlds_of(worlds), shared=access is not None, judge_parameters=judge_parameters
    )
    audit = AuditPlan(
        probes=None,
        out=Path(),
        command="fiducial.audit_card",
        pass_at=threshold_overrides(pass_at),
        repeats=repeats,
        **judge_fields,
    )
    plan = CardPlan(
        out=written_path(out),
        audit=audit,
        natural=None if natural is None else folder_path(natural),
        made_by=made_by,
    )
    return card_by(plan, access or ModelAccess, progress=progress)


@checked_arguments
def audit_table(cards: FilePath | Iterable[FilePath]) -> AuditCards:
    """Read cards of one set for a table.

    Raises:
        InputError: A file is not a card.
        UsageError: The cards are of different sets, or an unsigned one has the judge of a signed one.
    """
    files = [cards] if isinstance(cards, str | os.PathLike) else list(cards)
    return read_cards([input_path(path) for path in files])


def card_plan(settings: AuditCardSettings, *, command: str) -> CardPlan:
    """Return the plan of a card.

    Args:
        settings: Settings of `fiducial audit card`.
        command: The command line, for the record.
    """
    fields = settings.named(AuditPlan.__struct_fields__)
    audit = AuditPlan(probes=None, **{**fields, **judging_fields_of(settings)}, command=command)
    natural = None if settings.natural is None else folder_path(settings.natural)
    return CardPlan(out=settings.out, audit=audit, natural=natural, made_by=settings.made_by)


def forecast_card(plan: CardPlan, access: ModelAccess, prices: Sequence[str] = ()) -> Forecasts:
    """Forecast the cost of a card without making a call."""
    return Forecasts(judges=card_forecasts(plan, access, known_prices(prices)))


def card_by(
    plan: CardPlan, access: Access, *, progress: bool | None, prices: Sequence[str] = ()
) -> AuditCard:
    """Carry out the plan of a card, or resume it."""
    return run_apart(partial(_run_card_plan, plan, access, progress=progress, prices=prices))


def _run_card_plan(
    plan: CardPlan, access: Access, *, progress: bool | None, prices: Sequence[str]
) -> AuditCard:
    with show_progress(enabled=progress) as progress_display:
        return run_card(plan, access, progress_display, lambda: datetime.now(UTC), known_prices(prices))
