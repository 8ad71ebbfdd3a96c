"""Ask decision models the questions of an audit in other forms, and read their answers."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...deterministic.mutation import rank
from ...judges.decision_forms import DECISION_FORMS, FORM_NAMES, DecisionForm
from ...judges.prompt_judge import in_form
from ...records import CaseIndex, ItemKey, JudgeId, Verdict
from ..context import RunContext
from ..judging.asking import PerOutputStep
from ..judging.judge_task import JudgeTask, JudgingStep
from ..store.run_writer import RunWriter
from .audit_results import FormResult
from .form_changes import AnswersByQuestion, FormAnswers, answers_of, form_results
from .sampling import ChosenProbes

MAX_ITEMS = 100
"""Outputs about which each form is asked; half of them are right."""


def select_forms(operators: Collection[str]) -> list[DecisionForm]:
    """Return the forms among ``operators`` and those they are compared with; all if empty."""
    if not operators:
        return list(DECISION_FORMS)
    names = {form.name for form in DECISION_FORMS if form.name in operators}
    names |= {FORM_NAMES[name].against for name in names}
    return [form for form in DECISION_FORMS if form.name in names]


def asks_decision_model(task: JudgeTask) -> bool:
    """Return whether a task asks a decision model directly, not as part of another judge."""
    return task.prompt_judge is not None and task.prompt_judge.decides


def form_tasks(task: JudgeTask, forms: Iterable[DecisionForm]) -> dict[str, JudgeTask]:
    """Return the tasks that ask a judge's questions in other forms, by form."""
    judge = task.prompt_judge
    assert judge is not None
    return {form.name: replace(task, judge=in_form(judge, form.name)) for form in forms}


def choose_form_items(chosen: ChosenProbes, sample: int) -> frozenset[ItemKey]:
    """Return the right outputs and faults about which forms are asked."""
    half = -(-min(sample, MAX_ITEMS) // 2)  # rounded up
    right_outputs = sorted(chosen.originals, key=_rank)[:half]
    faults = sorted((key for key, probe in chosen.probes.items() if probe.plants == "fault"), key=_rank)
    return frozenset([*right_outputs, *faults[:half]])


def choose_form_pairs(members: Iterable[ItemKey], sample: int) -> frozenset[ItemKey]:
    """Return the pairs about which comparing judges are asked in other forms."""
    return frozenset(sorted(members, key=_rank)[: min(sample, MAX_ITEMS)])


def _rank(key: ItemKey) -> tuple[int, ItemKey]:
    """Return a sort key for a random order, the same in every run."""
    return rank(key), key


def form_steps(
    context: RunContext,
    tasks: Sequence[JudgeTask],
    items: Container[ItemKey],
    forms: Sequence[DecisionForm],
    repeats: int,
) -> Iterator[JudgingStep]:
    """Yield the questions in the usual form, repeated, then those in other forms."""
    deciding_tasks = [task for task in tasks if asks_decision_model(task)]
    if not deciding_tasks or not forms:
        return
    repeat_context = context._replace(phase=", ".join(filter(None, (context.phase, "repeats"))))
    yield PerOutputStep(repeat_context, deciding_tasks, items.__contains__, max(1, repeats))
    tasks_in_forms = [form_task for task in deciding_tasks for form_task in form_tasks(task, forms).values()]
    yield PerOutputStep(context._replace(journal=context.writer.forms), tasks_in_forms, items.__contains__)


def read_form_results(
    task: JudgeTask, forms: Sequence[DecisionForm], writer: RunWriter, cases: CaseIndex
) -> list[FormResult]:
    """Return a judge's results in other forms; empty if none was asked."""
    if not asks_decision_model(task):
        return []
    form_of_judge = {form_task.id: name for name, form_task in form_tasks(task, forms).items()}
    verdicts_by_form = _group_by_form(writer.forms.read(), form_of_judge)
    if not verdicts_by_form:
        return []
    items = {item for verdicts in verdicts_by_form.values() for item in verdicts}
    repeats: dict[ItemKey, dict[int, AnswersByQuestion]] = {item: {} for item in items}
    for verdict in writer.verdicts.read():
        if verdict.author == task.id and verdict.key in repeats:
            answers = answers_of(verdict)
            if answers:
                repeats[verdict.key][verdict.repeat] = answers
    usual_answers = {
        item: [answers for _, answers in sorted(by_repeat.items())] for item, by_repeat in repeats.items()
    }

    def cluster(key: ItemKey) -> str:
        return cases.cluster(key.case_id)

    return form_results(FormAnswers(usual_answers, verdicts_by_form, cluster))


def _group_by_form(
    verdicts: Iterable[Verdict], form_of_judge: Mapping[JudgeId, str]
) -> dict[str, dict[ItemKey, Verdict]]:
    by_form: dict[str, dict[ItemKey, Verdict]] = {}
    for verdict in verdicts:
        if verdict.judge is not None and verdict.judge in form_of_judge:
            by_form.setdefault(form_of_judge[verdict.judge], {})[verdict.key] = verdict
    return by_form
