"""What each judge said how often, and what it cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container
from contextlib import ExitStack

from ...judges.prices import PriceList
from ...records import Outcome, Verdict
from ..run_folder.folder import STATEMENTS, RunFolder
from ..run_folder.journal import Journal
from ..run_folder.verdict_log import rows_with_standing
from ..statements.statement import SHARE, SPLIT
from .results import JudgeUse

OTHER_REASONS = "for reasons of their own"
"""Stands for the reasons that are not counted one by one."""

_MOST_REASONS = 100

_JUDGE = "judge "
"""Before a judge's name, in what a run is bound to."""


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
    return [*uses, *(_idle(folder, {use.name for use in uses}) if asked else [])]


def _idle(folder: RunFolder, heard: Container[str]) -> list[JudgeUse]:
    """Judges that the run is bound to and that said nothing."""
    bound = {
        name.removeprefix(_JUDGE): fingerprint
        for name, fingerprint in folder.manifest["identity"].items()
        if name.startswith(_JUDGE)
    }
    return [
        JudgeUse(name=by, fingerprint=fingerprint, outcomes={})
        for by, fingerprint in bound.items()
        if by not in heard and not by.startswith((SHARE, SPLIT))
    ]


def _uses(folder: RunFolder, journal: Journal[Verdict], prices: PriceList | None) -> list[JudgeUse]:
    outcomes = defaultdict[str, Counter[Outcome]](Counter)
    spent = defaultdict[str, Counter[str]](Counter)
    reasons = defaultdict[str, dict[Outcome, Counter[str]]](dict)
    for verdict, stands in rows_with_standing(journal):
        if verdict.source != "judge":
            continue
        if verdict.usage is not None:  # what was asked in vain was paid for, too
            cost = spent[verdict.by]
            cost["calls"] += verdict.usage.calls
            cost["prompt"] += verdict.usage.prompt_tokens
            cost["completion"] += verdict.usage.completion_tokens
            cost["cached"] += verdict.usage.cached
            cost["reasked"] += verdict.usage.reasked
        if stands:
            outcomes[verdict.by][verdict.outcome] += 1
            if not verdict.graded and verdict.reason:
                _count(reasons[verdict.by].setdefault(verdict.outcome, Counter()), verdict.reason)
    identity = folder.manifest["identity"]
    return [
        JudgeUse(
            name=by,
            fingerprint=identity.get(f"{_JUDGE}{by}", "unknown"),
            outcomes=dict(counts),
            calls=spent[by]["calls"],
            prompt_tokens=spent[by]["prompt"],
            completion_tokens=spent[by]["completion"],
            from_cache=spent[by]["cached"],
            reasked=spent[by]["reasked"],
            cost=_cost(by, spent[by], prices),
            seconds=folder.manifest.get("seconds", {}).get(by),
            reasons={outcome: dict(counter.most_common()) for outcome, counter in reasons[by].items()},
        )
        for by, counts in outcomes.items()
    ]


def _count(reasons: Counter[str], reason: str) -> None:
    """Count a reason, by itself as long as there are few: what judges wrote may make each one of its own."""
    reasons[reason if reason in reasons or len(reasons) < _MOST_REASONS else OTHER_REASONS] += 1


def _cost(by: str, spent: Counter[str], prices: PriceList | None) -> float | None:
    known = prices(by.partition("@")[2]) if prices is not None and spent["prompt"] else None
    return None if known is None else known.cost(spent["prompt"], spent["completion"])
