"""Has answers judged statement by statement: long ones are split, every statement is judged, and answers get a verdict of these."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from ...errors import UsageError
from ...judges import Judge, NotApplicableError, load_judge
from ...judges.baseline import MODEL as BASELINE
from ...judges.catalogue import SPLITTER
from ...records import Case, ItemKey, JudgeId, Output, Verdict
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..judging.tasks import JudgeTask
from ..run_folder.folder import STATEMENTS, RunFolder
from ..run_folder.journal import Journal
from ..run_folder.verdict_log import VerdictKey, settled, standing_verdicts
from .inputs import Splits, StatementInputs
from .statement import (
    LONG,
    Said,
    Share,
    as_output,
    combine,
    is_long,
    judges_statements,
    not_split,
    said_of,
)

Wanted: TypeAlias = Callable[[ItemKey], bool]
Ask: TypeAlias = Callable[[RunContext, list[JudgeTask], Wanted, int], None]
"""Asks judges about outputs, so often each, and journals what they say."""


def by_statement(task: JudgeTask, model: str | None) -> JudgeTask:
    """The same judge, asked about an answer's statements one by one.

    Args:
        task: A judge.
        model: The model that splits answers; None for the judge's own.

    Returns:
        The task, unchanged where the judge judges answers as a whole.

    Raises:
        UsageError: The baseline cannot split.
    """
    judge = task.asked
    if judge is None or not judges_statements(judge):
        return task
    if model == BASELINE:
        raise UsageError("--split-model: the baseline compares words; it cannot split an answer")
    splitter = load_judge(str(SPLITTER), model=model or task.model)
    return task._replace(
        id=_share_id(judge.id, splitter.id),
        by=f"statements/share@{judge.by}",
        splitter=JudgeTask(splitter.id, splitter.by, None, splitter),
    )


def judge_statements(context: RunContext, task: JudgeTask, wanted: Wanted, repeats: int, ask: Ask) -> None:
    """Have a judge judge answers statement by statement.

    Args:
        context: Inputs, folder and progress.
        task: Made by `by_statement`.
        wanted: Whether an answer is to be judged.
        repeats: How often each statement is judged; an answer is split once.
        ask: Asks judges.
    """
    assert task.asked is not None
    assert task.splitter is not None
    folder = context.folder
    share = Share(id=task.id, by=task.by, judge=task.asked.id, splitter=task.splitter.id, repeats=repeats)
    folder.enlist([task.known])
    others = [each for each in shares_of(folder) if each.id != share.id]
    folder.update(statements=msgspec.to_builtins([*others, share]))
    wanted = wanted_answers(context, task, wanted)
    long = long_answers(context.inputs, task.asked, wanted)
    with Journal(folder.path / STATEMENTS, Verdict) as splits:
        ask(context._replace(journal=splits), [task.splitter], long.__contains__, 1)
    with Splits(folder, task.splitter.id, long) as splits_of:
        inputs = StatementInputs(context.inputs, wanted, splits_of)
        ask(context._replace(inputs=inputs), [statement_task(task)], lambda _: True, repeats)
        _combine(context, share, task.asked, wanted, splits_of)


def statement_task(task: JudgeTask) -> JudgeTask:
    """The task of judging the statements themselves."""
    assert task.asked is not None
    return task._replace(id=task.asked.id, by=task.asked.by, splitter=None)


def wanted_answers(context: RunContext, task: JudgeTask, wanted: Wanted) -> Wanted:
    """Whether an answer is wanted and of a kind that the judge judges."""
    cases = context.inputs.cases
    return lambda item: wanted(item) and task.judges_kind(cases.facts(item.case_id).kind)


def long_answers(inputs: EvaluationInputs, judge: Judge, wanted: Wanted) -> set[ItemKey]:
    """The answers that are split: the long ones, unless the judge has nothing to judge them by."""
    return {
        output.key
        for output in inputs.outputs()
        if is_long(output) and wanted(output.key) and _applies(judge, inputs.cases[output.case_id], output)
    }


def _applies(judge: Judge, case: Case, output: Output) -> bool:
    try:
        judge.messages(case, output)
    except NotApplicableError:
        return False
    return True


def shares_of(folder: RunFolder) -> list[Share]:
    """How answers were judged by their statements in this run."""
    return msgspec.convert(folder.manifest.get("statements", []), list[Share])


def combine_again(context: RunContext, share: Share, judge: Judge) -> Share:
    """Make verdicts on answers of what is said of their statements now.

    Args:
        context: Inputs, folder and progress.
        share: Which verdicts.
        judge: Who judged the statements.

    Returns:
        Whose they are from now on.
    """
    cases = context.inputs.cases
    share = msgspec.structs.replace(share, id=_share_id(judge.id, share.splitter), judge=judge.id)

    def judged(item: ItemKey) -> bool:
        return judge.kinds is None or cases.facts(item.case_id).kind in judge.kinds

    long = long_answers(context.inputs, judge, judged)
    with Splits(context.folder, share.splitter, long) as splits_of:
        _combine(context, share, judge, judged, splits_of)
    return share


def _combine(context: RunContext, share: Share, judge: Judge, wanted: Wanted, splits: Splits) -> None:
    """Journal the verdicts on answers that have none yet."""
    folder = context.folder
    done = settled(folder.verdicts)
    said = _said(folder, judge)
    for output in context.inputs.outputs():
        if wanted(output.key):
            for repeat in range(share.repeats):
                verdict = _verdict(share, output, repeat, splits, said)
                if verdict is not None and VerdictKey(output.key, share.id, repeat) not in done:
                    folder.verdicts.append(verdict)
    folder.verdicts.flush()


def _verdict(
    share: Share, output: Output, repeat: int, splits: Splits, said: dict[tuple[ItemKey, int], Said]
) -> Verdict | None:
    """The verdict on an answer; None while nothing was asked about it."""
    statements = splits(output)
    if not statements:
        split = splits.split(output.key)
        return None if split is None else not_split(share, repeat, split)
    keys = [(as_output(output, statement).key, repeat) for statement in statements]
    if any(key not in said for key in keys):
        return None
    return combine(share, output.key, repeat, statements, [said[key] for key in keys])


def _said(folder: RunFolder, judge: Judge) -> dict[tuple[ItemKey, int], Said]:
    return {
        (verdict.key, verdict.repeat): said_of(verdict, judge)
        for verdict in standing_verdicts(folder.verdicts)
        if verdict.judge == judge.id
    }


def _share_id(judge: JudgeId, splitter: JudgeId) -> JudgeId:
    depends_on = f"{judge.fingerprint} {splitter.fingerprint} {LONG}"
    fingerprint = hashlib.sha256(depends_on.encode()).hexdigest()
    return msgspec.structs.replace(judge, kind="share", fingerprint=fingerprint)
