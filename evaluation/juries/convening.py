"""Has juries judge: their members are asked like any judges, and what they said is counted and journaled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import msgspec

from ...calibration.cuts import Cut
from ...records import Author, ItemKey, JudgeId, Kind
from ..context import RunContext
from ..judging.asking import Step, Wanted
from ..judging.tasks import JudgeTask
from ..store.manifest import KnownJudge
from ..store.run_writer import RunWriter
from ..store.standing import VerdictKey
from .jury import Jury, Member, Opinion, Rule, combine, is_unsure, opinion

Steps: TypeAlias = Callable[[Sequence[JudgeTask], Wanted], Iterator[Step]]
"""What is asked of judges about outputs."""


class JuryRule(msgspec.Struct, frozen=True, kw_only=True):
    """How a jury counts, before its members are known; see `Jury`."""

    rule: Rule
    weights: tuple[float, ...] = ()
    unsure: tuple[float, float] = (0.2, 0.8)


def seat(rule: JuryRule, tasks: Sequence[JudgeTask], *, repeats: int) -> Jury:
    """Make a jury of judges.

    Raises:
        UsageError: These judges make no such jury.
    """
    return Jury(
        rule=rule.rule,
        members=tuple(Member(task.id, task.by, task.cut.at) for task in tasks),
        weights=rule.weights or (1.0,) * len(tasks),
        repeats=repeats,
        unsure=rule.unsure,
    )


def convene(
    context: RunContext, jury: Jury, tasks: Sequence[JudgeTask], wanted: Wanted, steps: Steps
) -> Iterator[Step]:
    """Have a jury judge.

    Args:
        context: Inputs, folder and progress.
        jury: The jury.
        tasks: Its members.
        wanted: Whether an output is to be judged.
        steps: What its members are asked.

    Yields:
        Its members; once they were asked, their opinions are counted and journaled.
    """
    if jury.rule == "escalate":
        cheap, dear = tasks
        yield from steps([cheap], wanted)
        unsure = {
            item for item, said in _opinions(context, jury).items() if is_unsure(jury, _of(said, cheap.id))
        }
        yield from steps([dear], lambda item: item in unsure and wanted(item))
    else:
        yield from steps(tasks, wanted)
    _enlist(jury, context.folder)
    count_opinions(context, jury)


def count_opinions(context: RunContext, jury: Jury) -> None:
    """Count what the members of a jury said, and journal it where the jury has no verdict yet."""
    folder, jury_id = context.folder, jury.id
    done = folder.verdicts.settled
    for item, said in _opinions(context, jury).items():
        if VerdictKey(item, jury_id, 0) not in done:
            folder.verdicts.append(combine(jury, item, said))
    folder.verdicts.flush()


def _enlist(jury: Jury, folder: RunWriter) -> None:
    folder.enlist([KnownJudge(by=jury.by, id=jury.id, kinds=_kinds(jury, folder), cut=_cut(jury, folder))])
    others = [each for each in folder.manifest.juries if each.id != jury.id]
    folder.update(juries=[*others, jury])


def _cut(jury: Jury, folder: RunWriter) -> Cut:
    """That of its members, where they share one; of a majority, which says 1 or 0, any is the same."""
    cuts = {folder.roster[member.id].cut for member in jury.members}
    return Cut() if jury.rule == "majority" or len(cuts) > 1 else cuts.pop()


def _kinds(jury: Jury, folder: RunWriter) -> tuple[Kind, ...] | None:
    """The kinds of case that some member judges; None where one judges every kind."""
    kinds: set[Kind] = set()
    for member in jury.members:
        known = folder.roster[member.id]
        if known.kinds is None:
            return None
        kinds.update(known.kinds)
    return tuple(sorted(kinds))


def _opinions(context: RunContext, jury: Jury) -> dict[ItemKey, list[Opinion]]:
    """What the members said, by output; in the order of members, then repeats."""
    places: dict[Author, int] = {member.id: place for place, member in enumerate(jury.members)}
    said: dict[ItemKey, dict[tuple[int, int], Opinion]] = {}
    heard = (
        each.row
        for each in context.folder.verdicts.standing
        if each.author in places and each.repeat < jury.repeats
    )
    for verdict in context.folder.verdicts.whole(heard):
        said.setdefault(verdict.key, {})[places[verdict.author], verdict.repeat] = opinion(verdict)
    return {item: [found[place] for place in sorted(found)] for item, found in said.items()}


def _of(opinions: Sequence[Opinion], member: JudgeId) -> list[Opinion]:
    return [one for one in opinions if one.member == member]
