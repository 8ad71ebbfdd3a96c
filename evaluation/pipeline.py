"""Runs of a plan: check, judge what is undecided, calibrate.

Each stage can be resumed, and none undoes another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import msgspec

from ..calibration.pass_threshold import require_overridden_judges
from ..errors import ConfigurationError, RunFolderError, UsageError, as_named
from ..records import write_json
from ..spelling import setting, spelled_word
from .checking.rules_version import EARLIER, earlier_rules_notes, has_earlier_rules, rules_facts
from .conclusion.run_summary import RunSummary, finished_summary, signature
from .context import RunContext
from .inputs import EvaluationInputs
from .judging.access import ModelAccess
from .judging.asking import OutputFilter, PerOutputStep, ask, ask_adapting, every_output
from .judging.judge_task import JudgeTask, JudgingStep, select_outputs
from .judging.tasks import (
    judge_tasks,
    possible_names,
    require_models,
    require_no_comparing,
    require_work,
    transcripts,
)
from .progress import Progress
from .run_plan import Plan
from .store.file_names import CASCADE, GENERATED
from .store.journal_rows import StoredVerdict
from .store.kept_inputs import keep_inputs
from .store.manifest import JudgeRecord, component_versions, own_versions
from .store.run_store import RunStore
from .store.run_writer import RunWriter

if TYPE_CHECKING:
    from .past_runs.certified_part import CertifiedPart


def run(
    plan: Plan, access: Callable[[], ModelAccess], progress: Progress, now: Callable[[], datetime]
) -> RunSummary:
    """Carry out a plan, or continue an earlier start of it.

    Returns:
        The results. When no model can be reached, the deterministic part is still concluded, and
        ``RunSummary.not_judged`` says what has to be set.

    Raises:
        InputError: An input cannot be used; nothing was done.
        RunFolderError: The folder is in use or belongs to another run; nothing was done.
        UsageError: There is no such judge; nothing was done.
        ConfigurationError: Only a model can do the work, and none can be reached; nothing was done.
    """
    store = RunStore(plan.out)
    tasks = _tasks_of(plan, list(store.roster))
    with suppress(ConfigurationError):  # without a model, checking may still have work
        if (summary := finished_summary(plan, tasks())) is not None:
            return summary
    if plan.options is None and not store.begun:
        require_models(tasks(), access)  # otherwise an empty folder would stay
    with EvaluationInputs(
        plan.cases, plan.outputs, check_options=plan.options, sharded=plan.sharded
    ) as inputs:
        if plan.options is None:
            require_work(tasks(), inputs.survey.kinds, transcripts(tasks(), inputs))
        with RunWriter(plan.out, accept_edited=plan.accept_edited) as writer:
            context = RunContext(
                inputs, writer, progress, engine=plan.engine, retry_unreadable=plan.retry_unreadable
            )
            plan = _by_earlier_rules(plan, writer)
            _begin(plan, context, tasks, now())
            if plan.options is not None:
                from .checking.checks import check_into_folder  # noqa: PLC0415 - judging alone needs no checkers

                check_into_folder(context, plan)
            problem = _judge(plan, context, tasks, access) if plan.judges else None
            writer.roster.apply_pass_at(plan.pass_at)  # juries, too, and judges of earlier starts
            tasks = _tasks_of(plan, list(writer.roster))  # a model may have refused one of their parameters
            from .conclusion.conclude import conclude  # noqa: PLC0415 - loaded while the first replies are awaited

            progress.begin("calibrating judges and comparing systems", 0)
            summary = conclude(context, prices=plan.prices, judged=problem is None)
            unread = writer.verdicts.settled_after(plan.retry_unreadable, next_command=True).unread
            if plan.sent_on is not None:
                write_json(writer.path / CASCADE, plan.sent_on.part)
            is_done = not problem and not summary.counts.failed and not unread
            writer.update(
                status="stopped before judging" if problem else "complete",
                not_judged=problem,
                ended=now().isoformat(timespec="seconds"),
                versions=component_versions(),
                done=signature(plan, tasks(), writer.manifest.identity) if is_done else None,
            )
            notes_on_rules = earlier_rules_notes(writer.manifest.identity)
            return msgspec.structs.replace(summary, not_judged=problem, earlier_rules=notes_on_rules)


def _by_earlier_rules(plan: Plan, writer: RunWriter) -> Plan:
    """Return the plan with its folder's rules, if the folder was checked by earlier ones."""
    if plan.options is None or not has_earlier_rules(writer.manifest.identity):
        return plan
    if plan.options.text == "exact":
        raise RunFolderError(
            f"{writer.path}: checked under earlier rules, which compare texts loosely; choose another {setting('out')} for {spelled_word('text', 'exact')}"
        )
    return msgspec.structs.replace(plan, options=msgspec.structs.replace(plan.options, text=EARLIER))


def _tasks_of(plan: Plan, known_judges: Sequence[JudgeRecord]) -> Callable[[], Sequence[JudgeTask]]:
    """Return a function that loads a plan's judges once; refuse judges with errors now.

    If no model is named, only the returned function raises ConfigurationError, so that outputs can still be checked.
    """
    _require_known_judges(plan, known_judges)
    tasks = cache(partial(planned_tasks, plan, known_judges))
    with suppress(ConfigurationError):
        _with_jury(plan, tasks())
    return tasks


def _require_known_judges(plan: Plan, known_judges: Sequence[JudgeRecord]) -> None:
    """Refuse an unknown judge, and a threshold for a judge that is not asked."""
    names = [name for judge in plan.judges for name in possible_names(judge, plan.model, plan.api)]
    if plan.jury is not None:  # its name is made of its members' display names, which are not known yet
        names += [name for name in plan.pass_at if name.partition("/")[0] == "jury"]
    require_overridden_judges(plan.pass_at, [*names, *(judge.by for judge in known_judges)])


def _begin(
    plan: Plan, context: RunContext, tasks: Callable[[], Sequence[JudgeTask]], started: datetime
) -> None:
    """Tie the folder to this run, or refuse it before changing anything in it."""
    writer, survey = context.writer, context.inputs.survey
    generated = as_named(plan.out / GENERATED)  # it grows, so its hash is no fact of the run
    facts: dict[str, Any] = {"inputs": [file.sha256 for file in survey.files if file.name != generated]}
    if plan.sharded:
        facts["sharded"] = True
    writer.require_same_run(**facts)
    if writer.resumed:
        _verify_stored(plan, context)
    if plan.options is not None:
        from .checking.checks import own_checkers  # noqa: PLC0415 - judging alone needs no checkers

        facts |= rules_facts(plan.options, writer.manifest.identity)
        facts |= {"names": plan.names, "artifacts": plan.options.artifacts}
        facts |= own_checkers(survey.kinds)
    writer.require_same_run(**facts)
    with suppress(ConfigurationError):
        writer.roster.require_unchanged([task.record for task in tasks()], writer.path)
    if plan.labels is not None:
        from .labelling.trusted_labels import adopt_labels  # noqa: PLC0415 - most runs have none

        adopt_labels(plan.labels, context.inputs, writer, plan.labels_chosen_by)
    elif plan.labels_chosen_by is not None:
        from .labelling.trusted_labels import declare_labels  # noqa: PLC0415 - most runs have none

        declare_labels(writer, plan.labels_chosen_by)
    writer.bind(**facts)
    writer.update(
        status="running",
        done=None,
        versions=own_versions(),
        started=started.isoformat(timespec="seconds"),
        command=plan.command,
        notes=list(plan.notes),
        inputs=keep_inputs(writer.path, context.inputs),
        case_files=count if (count := len(context.inputs.cases.files)) > 1 else None,
        missing=survey.missing,
    )


def _verify_stored(plan: Plan, context: RunContext) -> None:
    """Refuse stored verdicts on other outputs, and those that the checkers would not give again."""
    from .checking.verify import require_right_checks  # noqa: PLC0415 - a new run has no stored verdicts to verify
    from .store.known_items import require_same_items  # noqa: PLC0415 - a new run has no stored verdicts to verify

    writer, inputs = context.writer, context.inputs
    require_same_items(writer.verdicts, inputs.cases, inputs.survey.answered, inputs.output_files)
    if not plan.accept_edited:
        require_right_checks(writer.verdicts, writer.manifest, inputs.cases, inputs.output_files)


def _judge(
    plan: Plan,
    context: RunContext,
    load_tasks: Callable[[], Sequence[JudgeTask]],
    access: Callable[[], ModelAccess],
) -> str | None:
    """Ask the judges; if no model can be reached, return what must be set first."""
    try:
        ask_adapting(
            load_tasks(),
            context.writer,
            lambda tasks: _ask(planned_steps(plan, context, tasks), access, plan),
        )
    except ConfigurationError as error:
        return str(error)
    return None


def _ask(steps: Iterable[JudgingStep], access: Callable[[], ModelAccess], plan: Plan) -> None:
    for step in steps:
        ask(step, access, plan.batch)


def planned_steps(
    plan: Plan, context: RunContext, tasks: Sequence[JudgeTask], *, dry_run: bool = False
) -> Iterator[JudgingStep]:
    """Yield the steps of a plan's judges and jury: plain judges first, then composite ones."""
    is_selected = output_filter(plan, context, tasks)
    tasks = _with_jury(plan, tasks)
    yield PerOutputStep(context, [task for task in tasks if not task.parts], is_selected, plan.repeats)
    if composites := [task for task in tasks if task.parts]:
        from .judging.composites import composite_steps  # noqa: PLC0415 - most judges are asked about whole outputs

        yield from composite_steps(context, composites, is_selected, plan.repeats, dry_run=dry_run)


def _with_jury(plan: Plan, tasks: Sequence[JudgeTask]) -> Sequence[JudgeTask]:
    """Return a plan's tasks, as members of its jury if it has one."""
    if plan.jury is None:
        return tasks
    from .judging.composites import jury_task  # noqa: PLC0415 - most runs have no jury

    return [jury_task(plan.jury, tasks, repeats=plan.repeats)]


def planned_tasks(plan: Plan, known_judges: Sequence[JudgeRecord]) -> list[JudgeTask]:
    """Return a plan's judge tasks; judges of an earlier start keep their names."""
    tasks = judge_tasks(
        plan.judges,
        plan.model,
        known_judges,
        plan.environments,
        plan.pass_at,
        parameters=plan.judge_parameters,
        api=plan.api,
    )
    require_no_comparing(tasks)
    if not plan.split_statements and not any(task.by_criterion for task in tasks):
        return tasks
    from .judging.composites import by_criterion, by_statement, is_split  # noqa: PLC0415 - most judges are asked about whole outputs

    tasks = [by_criterion(task) for task in tasks]
    if not plan.split_statements:
        return tasks
    tasks = [by_statement(task, plan.split_model) for task in tasks]
    if not any(map(is_split, tasks)):
        raise UsageError(
            f"{setting('split_statements')}: these judges grade a whole answer; use it with groundedness or a custom prompt"
        )
    return tasks


def output_filter(plan: Plan, context: RunContext, tasks: Sequence[JudgeTask]) -> OutputFilter:
    """Return the filter of the outputs to judge, by checkers' and an earlier judge's verdicts."""
    if plan.sent_on is not None:
        _require_same_inputs(plan.sent_on.part, context)
        is_selected = output_filter(msgspec.structs.replace(plan, sent_on=None), context, tasks)
        unsure_items = plan.sent_on.items
        return lambda key: key in unsure_items and is_selected(key)
    if plan.options is None:
        return every_output
    cases = context.inputs.cases
    with_steps = frozenset(transcripts(tasks, context.inputs))

    def is_for_judges(verdict: StoredVerdict) -> bool:
        kind = cases.facts(verdict.key.case_id).kind
        return verdict.key in with_steps or any(task.judges_kind(kind) for task in tasks)

    checkers_verdicts = (
        stored_verdict
        for stored_verdict in context.writer.verdicts.standing
        if stored_verdict.source == "checker"
    )
    selected = select_outputs(filter(is_for_judges, checkers_verdicts), plan.judge_on)
    return lambda key: key in selected.undecided or key in selected.decided


def _require_same_inputs(part: CertifiedPart, context: RunContext) -> None:
    """Refuse outputs other than those that the first judge of a cascade saw."""
    if part.inputs != [file.sha256 for file in context.inputs.survey.files]:
        raise UsageError(
            f"{setting('unsure_of', part.run)}: its cases or outputs are other files; name those that it judged"
        )
