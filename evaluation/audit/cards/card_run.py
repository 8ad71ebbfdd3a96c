"""Ask a judge about a fixed set, resumably, and make its card."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec

from ....errors import InputError
from ....judges.prices import PriceList
from ....records import FolderPath, read_records, write_json
from ....spelling import setting
from ...forecast import Forecast
from ...judging.access import ModelAccess
from ...progress import Progress
from ..audit_plan import AuditPlan
from ..audit_run import audit_forecasts, run_audit
from .audit_sets import NATURAL, audit_set
from .judge_card import AuditCard, NaturalRun, make_card
from .natural_faults import NaturalPart, NaturalReference, lay_out_natural

_ALL_PROBES = 1_000_000
"""Sample size above the number of probes of any operator."""


class CardPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a card.

    Attributes:
        out: The card's file; its run folders are in ``work``.
        audit: The judge, and how it is asked; its probes and run folder are replaced.
        natural: A folder with the cases and outputs of the natural part, or None to leave it out.
        made_by: Who makes it, in their own words.
    """

    out: Path
    audit: AuditPlan
    natural: FolderPath | None = None
    made_by: str = ""

    @property
    def work(self) -> Path:
        """Folder of the run folders next to the card, from which the same command resumes."""
        return self.out.with_name(f"{self.out.stem}-run")

    def plan_of_set(self) -> AuditPlan:
        """Return the audit on the whole set."""
        probes, _ = audit_set()
        return msgspec.structs.replace(
            self.audit,
            probes=probes,
            out=self.work / "set",
            sample=_ALL_PROBES,
            operators=(),
            forms=False,
        )

    def plan_of_natural_part(self) -> AuditPlan:
        """Return the audit on the natural part, which asks about each output once."""
        probes, out = self.work / "natural-probes", self.work / "natural"
        return msgspec.structs.replace(
            self.audit, probes=probes, out=out, sample=_ALL_PROBES, operators=(), forms=False, repeats=1
        )


def run_card(
    plan: CardPlan,
    access: Callable[[], ModelAccess],
    progress: Progress,
    now: Callable[[], datetime],
    prices: PriceList | None,
) -> AuditCard:
    """Ask the judge about all probes that have no verdict yet, and write its card.

    Raises:
        InputError: The set or the natural part cannot be used.
        UsageError: The judge cannot judge these probes.
        RunFolderError: The folder next to the card belongs to another judge or set.
        ConfigurationError: No model can be reached.
    """
    probes, shipped_set = audit_set()
    part = _natural_part(plan)
    run_audit(plan.plan_of_set(), access, progress, now)
    natural = None
    if part is not None:
        natural_plan = plan.plan_of_natural_part()
        run_audit(natural_plan, access, progress, now)
        assert isinstance(natural_plan.probes, Path)
        natural = NaturalRun(plan.work / "natural", natural_plan.probes, part)
    progress.begin("making the card", 0)
    card = make_card(
        plan.work / "set",
        probes,
        shipped_set,
        natural,
        prices=prices,
        made=now().isoformat(timespec="seconds"),
        made_by=plan.made_by,
    )
    write_json(plan.out, card)
    return card


def card_forecasts(plan: CardPlan, access: ModelAccess, prices: PriceList | None) -> list[Forecast]:
    """Forecast a card's calls without making any; natural faults are laid out."""
    forecasts = audit_forecasts(plan.plan_of_set(), access, prices)
    if _natural_part(plan) is not None:
        forecasts += audit_forecasts(plan.plan_of_natural_part(), access, prices)
    return forecasts


def _natural_part(plan: CardPlan) -> NaturalPart | None:
    """Lay out the natural part of the set, or None if the user names no copy of it."""
    if plan.natural is None:
        return None
    probes, _ = audit_set()
    references = read_records(probes / NATURAL, NaturalReference)
    part = lay_out_natural(references, plan.natural, plan.work / "natural-probes")
    if not part.found:
        differing = f"; {part.differing:,} are other texts" if part.differing else ""
        raise InputError(
            f"{setting('natural')}: none of the {part.named:,} outputs of the set's natural part is in it{differing}",
            path=Path(str(plan.natural)),
        )
    return part
