"""What each judge said how often, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from contextlib import ExitStack

import msgspec

from ...judges.prices import PriceList
from ...records import Author, JudgeId, Outcome, Verdict
from ..run_folder.folder import STATEMENTS, RunFolder
from ..run_folder.journal import Journal
from ..run_folder.roster import Roster
from ..run_folder.verdict_log import rows_with_standing
from .results import JudgeUse

OTHER_REASONS = "for reasons of their own"
"""Stands for the reasons that are not counted one by one."""

_MOST_REASONS = 100


def judge_uses(folder: RunFolder, prices: PriceList | None = None, *, asked: bool = True) -> list[JudgeUse]:
    """What each judge, and whoever split answers, said how often, and what it cost; in order of appearance.

    Args:
        folder: The run folder.
        prices: What models cost; None to leave costs out.
        asked: Whether every judge was asked. A judge that was and said nothing found nothing to judge, and is among them, last.
    """
    with ExitStack() as exits:
        journals = [folder.verdicts]
        if (folder.path / STATEMENTS).exists():
            journals.insert(0, exits.enter_context(Journal(folder.path / STATEMENTS, Verdict)))
        uses = [use for journal in journals for use in _uses(folder, journal, prices)]
    return [*uses, *(_idle(folder, {use.id for use in uses}) if asked else [])]


def _idle(folder: RunFolder, heard: Container[JudgeId | None]) -> list[JudgeUse]:
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

    def add(self, verdict: Verdict, *, stands: bool) -> None:
        if verdict.usage is not None:  # what was asked in vain was paid for, too
            self.spent["calls"] += verdict.usage.calls
            self.spent["prompt"] += verdict.usage.prompt_tokens
            self.spent["completion"] += verdict.usage.completion_tokens
            self.spent["cached"] += verdict.usage.cached
            self.spent["reasked"] += verdict.usage.reasked
        if stands:
            self.outcomes[verdict.outcome] += 1
            if not verdict.graded and verdict.reason:
                reasons = self.reasons.setdefault(verdict.outcome, Counter())
                # By itself as long as there are few: what judges wrote may make each one of its own.
                few = verdict.reason in reasons or len(reasons) < _MOST_REASONS
                reasons[verdict.reason if few else OTHER_REASONS] += 1


def _uses(folder: RunFolder, journal: Journal[Verdict], prices: PriceList | None) -> list[JudgeUse]:
    heard: dict[Author, _Heard] = {}
    for verdict, stands in rows_with_standing(journal):
        if verdict.source == "judge":
            heard.setdefault(verdict.author, _Heard(verdict.by)).add(verdict, stands=stands)
    return [_use(author, count, folder.roster, prices) for author, count in heard.items() if count.outcomes]


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
        prompt_tokens=spent["prompt"],
        completion_tokens=spent["completion"],
        from_cache=spent["cached"],
        reasked=spent["reasked"],
        cost=None if judge is None else _cost(judge.model, spent, prices),
        seconds=None if known is None else known.seconds,
        reasons={outcome: dict(counter.most_common()) for outcome, counter in heard.reasons.items()},
    )


def _cost(model: str, spent: Counter[str], prices: PriceList | None) -> float | None:
    known = prices(model) if prices is not None and spent["prompt"] else None
    return None if known is None else known.cost(spent["prompt"], spent["completion"])
