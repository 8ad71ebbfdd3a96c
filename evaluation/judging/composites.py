"""Composite judges: a run asks a round's questions about all outputs before the next round."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from ...calibration.pass_threshold import PassThreshold
from ...errors import UsageError
from ...judges.baseline import MODEL as BASELINE
from ...judges.catalogue import SPLITTER
from ...judges.composite import Composite, JudgeQuestion, questions_in_round, verdict_so_far
from ...judges.criteria_judge import CriteriaJudge
from ...judges.judge import Work
from ...judges.jury import Jury, JuryJudge, JuryMember, Rule
from ...judges.prompt_judge import load_judge
from ...judges.statement_judge import StatementJudge
from ...judges.statements import judges_statements
from ...records import ItemKey, Verdict
from ...records.json_text import encode_json
from ...spelling import setting
from ..context import RunContext
from ..store.journal_rows import VerdictKey
from ..store.manifest import CriteriaJudgeRecord, StatementJudgeRecord
from ..store.run_writer import RunWriter
from .asking import OutputFilter, as_judged
from .judge_task import JudgeTask, JudgingStep


class JuryRule(msgspec.Struct, frozen=True, kw_only=True):
    """Rule by which a jury combines its members' verdicts; see `Jury`, which adds the members."""

    rule: Rule
    weights: tuple[float, ...] = ()
    unsure: tuple[float, float] = (0.2, 0.8)


def jury_task(rule: JuryRule, tasks: Sequence[JudgeTask], *, repeats: int) -> JudgeTask:
    """Make a jury of judges."""
    jury = Jury(
        rule=rule.rule,
        members=tuple(JuryMember(task.id, task.by, task.threshold.at) for task in tasks),
        weights=rule.weights or (1.0,) * len(tasks),
        repeats=repeats,
        unsure=rule.unsure,
    )
    # A majority's score is 1 or 0, so any threshold serves. Members with different thresholds share none.
    thresholds = {task.threshold for task in tasks}
    threshold = PassThreshold() if rule.rule == "majority" or len(thresholds) > 1 else thresholds.pop()
    return JudgeTask(
        judge=JuryJudge(jury, tuple(task.judge for task in tasks)), threshold=threshold, parts=tuple(tasks)
    )


def by_statement(task: JudgeTask, model: str | None) -> JudgeTask:
    """Return the judge as one that grades an answer's statements one by one.

    A judge whose score does not come from statements is returned unchanged.

    Args:
        task: The judge.
        model: The model that splits answers, or None for the judge's model.

    Raises:
        UsageError: The model is the baseline, which cannot split.
    """
    judge = task.prompt_judge
    if judge is None or not judges_statements(judge):
        return task
    if model == BASELINE:
        raise UsageError(f"{setting('split_model')}: the baseline compares words; it cannot split an answer")
    if judge.api != "chat":
        raise UsageError(
            f"{setting('split_statements')}: only a chat model splits an answer; groundedness/decision asks a decision model about each sentence"
        )
    splitter = load_judge(str(SPLITTER), model=model or task.model)
    parts = (JudgeTask(judge=splitter), task)
    return JudgeTask(judge=StatementJudge(judge, splitter), threshold=task.threshold, parts=parts)


def by_criterion(task: JudgeTask) -> JudgeTask:
    """Return the judge as one that is asked about each criterion; other judges unchanged."""
    judge = task.prompt_judge
    if judge is None or not task.by_criterion:
        return task
    return JudgeTask(judge=CriteriaJudge(judge), threshold=task.threshold, parts=(task,))


def is_split(task: JudgeTask) -> bool:
    """Return whether the judge grades an answer's statements."""
    return isinstance(task.judge, StatementJudge)


class Round(NamedTuple):
    """Step in which the parts of composite judges are asked one round of questions.

    Attributes:
        tasks: The parts to be asked.
        askers: The composite judges.
        number: Number of the round in each deliberation, from 1.
        dry_run: True in a dry run, which asks no model.
    """

    context: RunContext
    tasks: Sequence[JudgeTask]
    askers: Sequence[JudgeTask]
    is_selected: OutputFilter
    repeats: int
    number: int
    dry_run: bool

    def work(self, task: JudgeTask, done: Container[VerdictKey]) -> Iterator[Work]:
        """Yield a judge's remaining work; see `JudgingStep`."""
        answers = _Answers(self.context.writer, guessing=self.dry_run)
        current_item: ItemKey | None = None
        # Questions about the current output, none of which is asked twice.
        yielded: set[VerdictKey] = set()
        for asker, work in _deliberations(self.context, self.askers, self.is_selected, self.repeats):
            case, output, repeat = work
            if output.key != current_item:
                current_item, yielded = output.key, set()
            # What a combined score rests on must not change: its unreadable parts are not asked again.
            graded = _is_graded(self.context.writer, VerdictKey(output.key, asker.id, repeat))
            settled = self.context.verdicts.settled if graded else done
            for question in questions_in_round(
                _composite_judge(asker).deliberate(case, output, repeat), self.number, answers
            ):
                key = VerdictKey(question.output.key, question.judge.id, question.repeat)
                if question.judge.id == task.id and key not in settled and key not in yielded:
                    yielded.add(key)
                    yield question.case, as_judged(question.case, question.output), question.repeat

    def remaining(self, task: JudgeTask, done: Container[VerdictKey]) -> int:
        """Return the amount of remaining work; see `JudgingStep`."""
        return sum(1 for _ in self.work(task, done))


def composite_steps(
    context: RunContext,
    askers: Sequence[JudgeTask],
    is_selected: OutputFilter,
    repeats: int,
    *,
    dry_run: bool = False,
) -> Iterator[JudgingStep]:
    """Yield the questions of composite judges round by round, then journal their verdicts."""
    single_judges = {task.id: task for asker in askers for task in asker.single_tasks}
    splitters = [task for task in single_judges.values() if task.id.kind == "split"]
    graders = [task for task in single_judges.values() if task.id.kind != "split"]
    for asker in askers:
        _enlist_split_judges(context.writer, asker, repeats)
    for number in range(1, 1 + max(_composite_judge(asker).rounds for asker in askers)):
        # Splitters have another journal, since their verdicts are lists of statements and no grades.
        journal_of_statements = context.writer.statements if splitters else None
        for journal, tasks in ((journal_of_statements, splitters), (None, graders)):
            if tasks:
                yield Round(
                    context._replace(journal=journal), tasks, askers, is_selected, repeats, number, dry_run
                )
    if not dry_run:
        for asker in askers:
            _enlist_jury(context.writer, asker)
            journal_verdicts(context, asker, is_selected, repeats)


def journal_verdicts(context: RunContext, asker: JudgeTask, is_selected: OutputFilter, repeats: int) -> None:
    """Journal the missing verdicts of a composite judge, which combine verdicts of its parts."""
    for part in asker.parts:
        if part.parts:  # a composite itself, whose verdicts are combined first
            journal_verdicts(context, part, is_selected, repeats)
    writer = context.writer
    answers = _Answers(writer)
    judge = _composite_judge(asker)
    for _, (case, output, repeat) in _deliberations(context, [asker], is_selected, repeats):
        key = VerdictKey(output.key, asker.id, repeat)
        if _is_graded(writer, key):
            continue
        verdict = verdict_so_far(judge.deliberate(case, output, repeat), answers)
        earlier = writer.verdicts.find(key)
        # A part that could not be read may have been asked again since.
        if verdict is not None and not (earlier and _is_same(verdict, earlier)):
            writer.verdicts.append(verdict)
    writer.verdicts.flush()


def _is_graded(writer: RunWriter, key: VerdictKey) -> bool:
    standing = writer.verdicts.standing
    row = standing.row_of(key)
    return row is not None and standing.outcome(row) == "graded"


def _is_same(verdict: Verdict, earlier: Verdict) -> bool:
    """Return whether a combined verdict repeats the earlier one, which did not fail."""
    if earlier.outcome == "failed":
        return False
    # Evidence is compared as it is stored: values read from a journal may be of other types.
    return (verdict.outcome, verdict.reason, encode_json(verdict.evidence)) == (
        earlier.outcome,
        earlier.reason,
        encode_json(earlier.evidence),
    )


def _enlist_split_judges(writer: RunWriter, asker: JudgeTask, repeats: int) -> None:
    """Record the judges of statements or criteria, before there are verdicts on these."""
    for part in asker.parts:
        _enlist_split_judges(writer, part, repeats)
    if isinstance(asker.judge, CriteriaJudge):
        record = criteria_judge_record(asker.judge, repeats)
        writer.enlist([asker.record])
        other_criteria = [criteria for criteria in writer.manifest.criteria if criteria.id != record.id]
        writer.update(criteria=[*other_criteria, record])
    if isinstance(asker.judge, StatementJudge):
        record = statement_judge_record(asker.judge, repeats)
        writer.enlist([asker.record])
        other_statements = [judge for judge in writer.manifest.statements if judge.id != record.id]
        writer.update(statements=[*other_statements, record])


def _enlist_jury(writer: RunWriter, asker: JudgeTask) -> None:
    """Record a jury and its members, once they were asked."""
    if isinstance(asker.judge, JuryJudge):
        writer.enlist([asker.record])
        other_juries = [jury for jury in writer.manifest.juries if jury.id != asker.id]
        writer.update(juries=[*other_juries, asker.judge.jury])


def statement_judge_record(judge: StatementJudge, repeats: int) -> StatementJudgeRecord:
    """Return a statement judge's record for the run folder."""
    return StatementJudgeRecord(
        id=judge.id, by=judge.by, judge=judge.judge.id, splitter=judge.splitter.id, repeats=repeats
    )


def criteria_judge_record(judge: CriteriaJudge, repeats: int) -> CriteriaJudgeRecord:
    """Return the record of a judge that is asked by criterion, for the run folder."""
    return CriteriaJudgeRecord(id=judge.id, by=judge.by, judge=judge.judge.id, repeats=repeats)


def _deliberations(
    context: RunContext, askers: Iterable[JudgeTask], is_selected: OutputFilter, repeats: int
) -> Iterator[tuple[JudgeTask, Work]]:
    """Yield the composite judges with each repetition of each output that they judge."""
    cases = context.inputs.cases
    for output in context.inputs.outputs():
        if not is_selected(output.key):
            continue
        kind = cases.facts(output.case_id).kind
        for asker in askers:
            if asker.takes(kind, output):
                for repeat in range(asker.id.times_asked(repeats)):
                    yield asker, (cases[output.case_id], output, repeat)


def _composite_judge(asker: JudgeTask) -> Composite:
    assert isinstance(asker.judge, Composite)
    return asker.judge


class _Answers:
    """Verdicts of judges in a run; missing ones may be guessed."""

    def __init__(self, writer: RunWriter, *, guessing: bool = False) -> None:
        self._writer = writer
        self._guessing = guessing

    def __call__(self, question: JudgeQuestion) -> Verdict | None:
        """Return the standing verdict, or None if there is none."""
        writer, judge = self._writer, question.judge.id
        journal = writer.statements if judge.kind == "split" else writer.verdicts
        verdict = journal.find(VerdictKey(question.output.key, judge, question.repeat))
        unknown = verdict is None or verdict.outcome == "failed"
        return question.guess if self._guessing and unknown else verdict
