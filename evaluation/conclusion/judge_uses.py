"""What each judge said how often, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

import msgspec

from ...judges.prices import PriceList
from ...records import Author, JudgeId, Outcome
from ..store.journal import VerdictJournal
from ..store.manifest import Roster
from ..store.run_store import RunStore
from ..store.standing import Said
from .results import JudgeUse

OTHER_REASONS = "for reasons of their own"
"""Stands for the reasons that are not counted one by one."""

_MOST_REASONS = 100


def judge_uses(folder: RunStore, prices: PriceList | None = None, *, asked: bool = True) -> list[JudgeUse]:
    """What each judge, and whoever split answers, said how often, and what it cost; in order of appearance.

    Args:
        folder: The run folder.
        prices: What models cost; None to leave costs out.
        asked: Whether every judge was asked. A judge that was and said nothing found nothing to judge, and is among them, last.
    """
    uses = [use for journal in folder.journals for use in _uses(folder.roster, journal, prices)]
    return [*uses, *(_idle(folder, {use.id for use in uses}) if asked else [])]


def _idle(folder: RunStore, heard: Container[JudgeId | None]) -> list[JudgeUse]:
    """Judges that the run is bound to and that said nothing."""
    return [
        JudgeUse(name=judge.by, fingerprint=judge.id.fingerprint, id=judge.id, outcomes={})
        for judge in folder.roster
        if judge.id not in heard and judge.id.kind not in {"share", "split"}
    ]


class _Heard(msgspec.Struct):
    """What is counted of one judge."""

    by: str
    outcomes: Counter[Outcome] = msgspec.field(default_factory=Counter)
    spent: Counter[str] = msgspec.field(default_factory=Counter)
    reasons: dict[Outcome, Counter[str]] = msgspec.field(default_factory=dict)

    def add(self, said: Said) -> None:
        if said.spent is not None:
            self.spent.update(said.spent._asdict())
        self.outcomes[said.outcome] += 1
        if said.reason:
            reasons = self.reasons.setdefault(said.outcome, Counter())
            # By itself as long as there are few: what judges wrote may make each one of its own.
            few = said.reason in reasons or len(reasons) < _MOST_REASONS
            reasons[said.reason if few else OTHER_REASONS] += 1


def _uses(roster: Roster, journal: VerdictJournal, prices: PriceList | None) -> list[JudgeUse]:
    heard: dict[Author, _Heard] = {}
    for said in journal.standing:
        if said.source == "judge":
            heard.setdefault(said.author, _Heard(said.by)).add(said)
    return [_use(author, count, roster, prices) for author, count in heard.items()]


def _use(author: Author, heard: _Heard, roster: Roster, prices: PriceList | None) -> JudgeUse:
    judge = author if isinstance(author, JudgeId) else None
    known = None if judge is None else roster.get(judge)
    spent = heard.spent
    return JudgeUse(
        name=heard.by,
        fingerprint="unknown" if judge is None else judge.fingerprint,
        id=judge,
        outcomes=dict(heard.outcomes),
        calls=spent["calls"],
        prompt_tokens=spent["prompt_tokens"],
        completion_tokens=spent["completion_tokens"],
        from_cache=spent["cached"],
        reasked=spent["reasked"],
        cost=None if judge is None else _cost(judge.model, spent, prices),
        seconds=None if known is None else known.seconds,
        reasons={outcome: dict(counter.most_common()) for outcome, counter in heard.reasons.items()},
    )


def _cost(model: str, spent: Counter[str], prices: PriceList | None) -> float | None:
    known = prices(model) if prices is not None and spent["prompt_tokens"] else None
    return None if known is None else known.cost(spent["prompt_tokens"], spent["completion_tokens"])
