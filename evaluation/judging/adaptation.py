"""Judges without the decoding parameters that their models refuse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from ...judges import PromptJudge
from ...judges.jury import JuryJudge
from ...judges.statement_judge import ShareJudge
from ...judges.transport.refused_parameters import LIMITS, Refusal
from ..store.manifest import KnownJudge

if TYPE_CHECKING:
    from .tasks import JudgeTask


def adapted(task: JudgeTask, refusal: Refusal) -> JudgeTask:
    """Return a judge, and those it asks, without a parameter that a model refused."""
    judge, parts = task.judge, tuple(adapted(part, refusal) for part in task.parts)
    if isinstance(judge, PromptJudge):
        return replace(task, judge=judge.adapted(refusal))
    if isinstance(judge, ShareJudge):
        splitter, asked = parts
        assert asked.asked is not None
        judge = replace(judge, judge=asked.asked, splitter=splitter.judge)
    elif isinstance(judge, JuryJudge):
        members = tuple(
            msgspec.structs.replace(member, id=part.id)
            for member, part in zip(judge.jury.members, parts, strict=True)
        )
        jury = msgspec.structs.replace(judge.jury, members=members)
        judge = replace(judge, jury=jury, members=tuple(part.judge for part in parts))
    return replace(task, judge=judge, parts=parts)


def as_known(task: JudgeTask, known: Iterable[KnownJudge]) -> JudgeTask:
    """Return a judge without what its model refused in an earlier start of the run."""
    for judge in known:
        for name, value in judge.refused.items():
            if value is None:
                instead = next((other for other, kept in judge.refused.items() if kept is not None), None)
                task = adapted(task, Refusal(judge.id.model, name, "", instead if name in LIMITS else None))
    return task
