"""A judge made of others: long answers are split, every statement is judged, and answers get a verdict of these."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from ...errors import UsageError
from ...judges import NotApplicableError, PromptJudge, load_judge
from ...judges.baseline import MODEL as BASELINE
from ...judges.catalogue import SPLITTER
from ...records import Case, ItemKey, JudgeId, Output, Verdict
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..judging.asking import Step, Wanted
from ..judging.tasks import JudgeTask
from ..store.manifest import Share
from ..store.standing import VerdictKey
from .split_inputs import Splits, StatementInputs
from .statement import LONG, Said, as_output, combine, is_long, judges_statements, not_split, said_of


@dataclass(frozen=True, kw_only=True)
class ShareTask(JudgeTask):
    """A judge that is asked about an answer's statements one by one.

    Attributes:
        judge: Who judges the statements.
        splitter: Who splits answers.
    """

    judge: PromptJudge
    splitter: PromptJudge

    @property
    def id(self) -> JudgeId:
        """Whose verdicts on the whole answers are."""
        return _share_id(self.judge.id, self.splitter.id)

    @property
    def by(self) -> str:
        """The name they are shown under."""
        return f"statements/share@{self.judge.by}"

    @property
    def models(self) -> set[str]:
        """The models that have to be reached."""
        return {self.model, self.splitter.model}

    def steps(
        self, context: RunContext, wanted: Wanted, repeats: int, *, foreseen: bool = False
    ) -> Iterator[Step]:
        """What is asked, one after the other.

        Args:
            context: Inputs, folder and progress.
            wanted: Whether an answer is to be judged.
            repeats: How often each statement is judged; an answer is split once.
            foreseen: Whether nobody is asked in truth: answers that are not split yet count as a statement a sentence.

        Yields:
            The splitter, then the judge. Once both were asked, the verdicts on answers are journaled.
        """
        folder, judge, splitter = context.folder, self.judge, self.splitter
        share = Share(id=self.id, by=self.by, judge=judge.id, splitter=splitter.id, repeats=repeats)
        folder.enlist([self.known])
        others = [each for each in folder.manifest.statements if each.id != share.id]
        folder.update(statements=[*others, share])
        wanted = _of_its_kinds(judge, context.inputs, wanted)
        long = _long_answers(context.inputs, judge, wanted)
        yield Step(
            context._replace(journal=folder.statements), [JudgeTask(judge=splitter)], long.__contains__
        )
        splits_of = Splits(folder, splitter.id, long, guess=foreseen)
        statements = StatementInputs(context.inputs, wanted, splits_of)
        itself = JudgeTask(judge=judge, cut=self.cut, access=self.access)
        yield Step(context._replace(inputs=statements), [itself], _all, repeats)
        if not foreseen:
            _combine(context, share, judge, wanted, splits_of)


def by_statement(task: JudgeTask, model: str | None) -> JudgeTask:
    """The same judge, asked about an answer's statements one by one.

    Args:
        task: A judge.
        model: The model that splits answers; None for the judge's own.

    Raises:
        UsageError: The baseline cannot split.
    """
    judge = task.asked
    if judge is None or not judges_statements(judge):
        return task
    if model == BASELINE:
        raise UsageError("--split-model: the baseline compares words; it cannot split an answer")
    splitter = load_judge(str(SPLITTER), model=model or task.model)
    return ShareTask(judge=judge, cut=task.cut, access=task.access, splitter=splitter)


def combine_again(context: RunContext, share: Share, judge: PromptJudge) -> Share:
    """Make verdicts on answers of what is said of their statements now."""
    share = msgspec.structs.replace(share, id=_share_id(judge.id, share.splitter), judge=judge.id)
    judged = _of_its_kinds(judge, context.inputs, _all)
    long = _long_answers(context.inputs, judge, judged)
    _combine(context, share, judge, judged, Splits(context.folder, share.splitter, long))
    return share


def _all(_item: ItemKey) -> bool:
    return True


def _of_its_kinds(judge: PromptJudge, inputs: EvaluationInputs, wanted: Wanted) -> Wanted:
    kinds = judge.kinds
    if kinds is None:
        return wanted
    return lambda item: wanted(item) and inputs.cases.facts(item.case_id).kind in kinds


def _long_answers(inputs: EvaluationInputs, judge: PromptJudge, wanted: Wanted) -> set[ItemKey]:
    """The answers that are split: the long ones, unless the judge has nothing to judge them by."""
    return {
        output.key
        for output in inputs.outputs()
        if is_long(output) and wanted(output.key) and _applies(judge, inputs.cases[output.case_id], output)
    }


def _applies(judge: PromptJudge, case: Case, output: Output) -> bool:
    try:
        judge.messages(case, output)
    except NotApplicableError:
        return False
    return True


def _combine(context: RunContext, share: Share, judge: PromptJudge, wanted: Wanted, splits: Splits) -> None:
    """Journal the verdicts on answers that have none yet."""
    folder = context.folder
    done = folder.verdicts.settled
    rows = (each.row for each in folder.verdicts.standing if each.author == judge.id)
    said = {(each.key, each.repeat): said_of(each, judge) for each in folder.verdicts.whole(rows)}
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


def _share_id(judge: JudgeId, splitter: JudgeId) -> JudgeId:
    depends_on = f"{judge.fingerprint} {splitter.fingerprint} {LONG}"
    fingerprint = hashlib.sha256(depends_on.encode()).hexdigest()
    return msgspec.structs.replace(judge, kind="share", fingerprint=fingerprint)
