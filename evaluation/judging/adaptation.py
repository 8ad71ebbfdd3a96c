"""Judges without the decoding parameters that their models refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from ...judges import PromptJudge
from ...judges.criteria_judge import CriteriaJudge
from ...judges.jury import JuryJudge
from ...judges.statement_judge import ShareJudge
from ...judges.transport.refused_parameters import LIMITS, Refusal, RefusedParameterError
from ..store.manifest import KnownJudge
from ..store.run_writer import RunWriter

if TYPE_CHECKING:
    from .judge_task import JudgeTask


def ask_adapting(
    tasks: Sequence[JudgeTask], folder: RunWriter, asking: Callable[[Sequence[JudgeTask]], object]
) -> Sequence[JudgeTask]:
    """Ask judges, each without what its model refuses; return the judges that were asked in the end.

    A refusal ends the asking, which begins again with a judge in the place of the refused one.

    Raises:
        RunFolderError: The folder holds verdicts that the judge gave while its model took the parameter.
    """
    while True:
        try:
            asking(tasks)
        except RefusedParameterError as error:
            changed = [adapted(task, error.refusal) for task in tasks]
            for before, after in zip(_prompts(tasks), _prompts(changed), strict=True):
                if before.id != after.id:
                    for earlier, known in zip(before.enlisted, after.enlisted, strict=True):
                        folder.replace_judge(earlier.id, known)
            tasks = changed
        else:
            return tasks


def not_sent(tasks: Iterable[JudgeTask]) -> dict[str, list[str]]:
    """Return the decoding parameters that models refused, by judge; judges that sent all of theirs are left out."""
    refused = {
        task.by: [name for name, value in task.known.refused.items() if value is None] for task in tasks
    }
    return {by: names for by, names in refused.items() if names}


def _prompts(tasks: Sequence[JudgeTask]) -> list[JudgeTask]:
    return [plain for task in tasks for plain in task.plain]


def adapted(task: JudgeTask, refusal: Refusal) -> JudgeTask:
    """Return a judge, and those it asks, without a parameter that a model refused."""
    judge, parts = task.judge, tuple(adapted(part, refusal) for part in task.parts)
    if isinstance(judge, PromptJudge):
        return replace(task, judge=judge.adapted(refusal))
    if isinstance(judge, ShareJudge):
        splitter, asked = parts
        assert asked.asked is not None
        judge = replace(judge, judge=asked.asked, splitter=splitter.judge)
    elif isinstance(judge, CriteriaJudge):
        assert parts[0].asked is not None
        judge = replace(judge, judge=parts[0].asked)
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
