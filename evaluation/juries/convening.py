"""Has juries judge: their members are asked like any judges, and what they said is counted and journaled."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from ...records import ItemKey
from ..context import RunContext
from ..judging.tasks import JudgeTask
from ..run_folder.folder import RunFolder
from ..run_folder.verdict_log import VerdictKey, settled, standing_verdicts
from .jury import JURY, Jury, Opinion, Rule, combine, is_unsure, opinion

Wanted: TypeAlias = Callable[[ItemKey], bool]
Ask: TypeAlias = Callable[[Sequence[JudgeTask], Wanted], None]
"""Asks judges about outputs and journals what they say."""


class JuryRule(msgspec.Struct, frozen=True, kw_only=True):
    """How a jury counts, before its members are known; see `Jury`."""

    rule: Rule
    weights: tuple[float, ...] = ()
    unsure: tuple[float, float] = (0.2, 0.8)


def seat(rule: JuryRule, tasks: Sequence[JudgeTask], *, repeats: int, pass_at: float) -> Jury:
    """Make a jury of judges.

    Args:
        rule: How it counts.
        tasks: Its members.
        repeats: How often each judges.
        pass_at: From which score on an opinion counts as a pass.

    Returns:
        The jury.

    Raises:
        UsageError: These judges make no such jury.
    """
    return Jury(
        rule=rule.rule,
        members=tuple(task.by for task in tasks),
        weights=rule.weights or (1.0,) * len(tasks),
        repeats=repeats,
        pass_at=pass_at,
        unsure=rule.unsure,
    )


def convene(context: RunContext, jury: Jury, tasks: Sequence[JudgeTask], wanted: Wanted, ask: Ask) -> None:
    """Have a jury judge.

    Args:
        context: Inputs, folder and progress.
        jury: The jury.
        tasks: Its members.
        wanted: Whether an output is to be judged.
        ask: Asks the members.
    """
    if jury.rule == "escalate":
        cheap, dear = tasks
        ask([cheap], wanted)
        unsure = {
            item for item, said in _opinions(context, jury).items() if is_unsure(jury, _of(said, cheap.by))
        }
        ask([dear], lambda item: item in unsure and wanted(item))
    else:
        ask(tasks, wanted)
    count_opinions(context, jury)


def count_opinions(context: RunContext, jury: Jury) -> None:
    """Count what the members of a jury said, and journal it where the jury has no verdict yet.

    Args:
        context: Inputs, folder and progress.
        jury: The jury.
    """
    folder = context.folder
    folder.bind(**{f"judge {jury.by}": _fingerprint(jury, folder)})
    folder.update(juries=folder.manifest.get("juries", {}) | {jury.by: msgspec.to_builtins(jury)})
    done = settled(folder.verdicts)
    for item, said in _opinions(context, jury).items():
        if VerdictKey(item, jury.by, 0) not in done:
            folder.verdicts.append(combine(jury, item, said))
    folder.verdicts.flush()


def dissolve(folder: RunFolder) -> list[Jury]:
    """Forget what juries said, after their members' verdicts changed.

    Args:
        folder: The run folder.

    Returns:
        The juries, to be counted again by `count_opinions`.
    """
    juries = [msgspec.convert(jury, Jury) for jury in folder.manifest.get("juries", {}).values()]
    if juries:
        folder.rewrite(verdict for verdict in folder.verdicts if not verdict.by.startswith(JURY))
        for jury in juries:
            folder.manifest["identity"].pop(f"judge {jury.by}", None)
    return juries


def _opinions(context: RunContext, jury: Jury) -> dict[ItemKey, list[Opinion]]:
    """What the members said, by output; in the order of members, then repeats."""
    places = {member: place for place, member in enumerate(jury.members)}
    said: dict[ItemKey, dict[tuple[int, int], Opinion]] = {}
    for verdict in standing_verdicts(context.folder.verdicts):
        place = places.get(verdict.by)
        if place is not None and verdict.repeat < jury.repeats:
            said.setdefault(verdict.key, {})[place, verdict.repeat] = opinion(verdict)
    return {item: [found[place] for place in sorted(found)] for item, found in said.items()}


def _of(opinions: Sequence[Opinion], member: str) -> list[Opinion]:
    return [one for one in opinions if one.member == member]


def _fingerprint(jury: Jury, folder: RunFolder) -> str:
    members = [folder.manifest["identity"].get(f"judge {member}") for member in jury.members]
    return hashlib.sha256(msgspec.json.encode([msgspec.to_builtins(jury), members])).hexdigest()
