"""Runs an audit: asks judges about probes in a run folder that can be resumed, and analyses what they said; or foresees what that would take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from ...errors import UsageError
from ...judges.prices import PriceList
from ...records import CaseIndex, ItemKey, write_json, write_records
from ...version import VERSION
from ..context import RunContext
from ..forecast import Forecast, copy_of_run, forecast_steps
from ..inputs import EvaluationInputs
from ..judging.access import ModelAccess
from ..judging.asking import ask
from ..judging.tasks import JudgeTask, refuse_idle, require_models
from ..labelling.adjudications import decisions_on
from ..progress import Progress, Silent
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter
from .adjudicated import adjudicated_audit
from .analysis import judge_audit, to_read
from .comparisons import prompts
from .pairwise import Compared, ProbePairs, compared_probes, pairwise_audit
from .plan import AuditPlan, open_inputs, prepare, steps
from .probe_folder import ProbeManifest
from .results import Audit, JudgeAudit
from .sampling import Chosen
from .scored import Scored, scored_probes

AUDIT, TO_READ = "audit.json", "to_read.jsonl"
"""The files that an audit adds to its run folder."""


def run_audit(
    plan: AuditPlan, access: Callable[[], ModelAccess], progress: Progress, now: Callable[[], datetime]
) -> Audit:
    """Do what a plan says, or go on where an earlier start of it stopped.

    Args:
        plan: What to do.
        access: How a model is reached; asked for only when there is something to ask.
        progress: Told about every piece of work.
        now: The clock.

    Returns:
        The audit, which is also written to the run folder.

    Raises:
        InputError: The probes cannot be used.
        UsageError: There is no such judge, or no such operator.
        RunFolderError: The folder is in use or belongs to another run.
        ConfigurationError: No model can be reached.
    """
    manifest, chosen, tasks = prepare(plan)
    if not RunStore(plan.out).begun:
        require_models(tasks, access)
    with (
        _probes_to_judge(plan, tasks, chosen) as inputs,
        RunWriter(plan.out) as folder,
    ):
        folder.refuse_other_run(audit_of=manifest.files)
        folder.roster.refuse_changed([task.known for task in tasks], folder.path)
        folder.bind(audit_of=manifest.files)
        folder.update(
            status="running",
            started=now().isoformat(timespec="seconds"),
            command=plan.command,
            versions={"fiducial": VERSION},
            inputs=folder.keep_inputs(inputs) if isinstance(plan.probes, Path) else None,
        )
        context = RunContext(inputs, folder, progress)
        for step in steps(plan, context, tasks, chosen):
            ask(step, access, plan.batch)
        audit = _conclude(plan, context, tasks, chosen, manifest)
        folder.update(status="complete", ended=now().isoformat(timespec="seconds"))
    return audit


def _probes_to_judge(plan: AuditPlan, tasks: Sequence[JudgeTask], chosen: Chosen) -> EvaluationInputs:
    """Open the probes, unless there is nothing among them for these judges."""
    inputs = open_inputs(plan)
    try:
        refuse_idle(tasks, Counter(inputs.cases.facts(key.case_id).kind for key in chosen.probes))
    except UsageError:
        inputs.close()
        raise
    return inputs


def _conclude(
    plan: AuditPlan, context: RunContext, tasks: Sequence[JudgeTask], chosen: Chosen, manifest: ProbeManifest
) -> Audit:
    """Analyse the verdicts that stand, and write what they show."""
    verdicts = context.folder.verdicts
    comparing = [task for task in tasks if task.compares]
    pairs = ProbePairs(context.inputs, chosen) if comparing else None
    compared = {} if pairs is None else compared_probes(verdicts.whole(), pairs, chosen)
    scored = scored_probes(
        verdicts.whole(),
        chosen.probes,
        _clusters(context.inputs.cases, chosen),
        {task.id: task.cut for task in tasks},
    )
    for task in tasks:
        if task.id.kind == "baseline" and task.id in scored:  # words say the same every time
            scored[task.id] = {
                key: each._replace(repeats=each.repeats * 2) for key, each in scored[task.id].items()
            }
    apart = prompts({task.by: scored[task.id] for task in tasks if task.asked and task.id in scored})
    asked = tasks[: len(plan.judges)]  # the baselines that stand beside them come behind
    adjudication = adjudicated_audit(
        {task.by: scored[task.id] for task in asked if task.id in scored},
        decisions_on([context.folder]),
    )
    scored |= {judge: {key: each.scored for key, each in of.items()} for judge, of in compared.items()}
    audit = Audit(
        probes=dict(Counter(probe.plants for probe in chosen.probes.values())),
        judges=[
            _audit_of(task, scored[task.id], compared.get(task.id), chosen, manifest)
            for task in tasks
            if task.id in scored
        ],
        prompts=apart,
        failed=sum(each.outcome == "failed" for of_judge in scored.values() for each in of_judge.values()),
        adjudication=adjudication,
    )
    write_json(context.folder.path / AUDIT, audit)
    write_records(
        context.folder.path / TO_READ,
        (row for task in asked if task.id in scored for row in to_read(task.by, scored[task.id])),
    )
    return audit


def _audit_of(
    task: JudgeTask,
    scored: Mapping[ItemKey, Scored],
    compared: Mapping[ItemKey, Compared] | None,
    chosen: Chosen,
    manifest: ProbeManifest,
) -> JudgeAudit:
    about = {operator.name: operator.about for operator in manifest.operators}
    controls = {operator.name: operator.against for operator in manifest.operators if operator.against}
    if compared is not None:
        return pairwise_audit(task.by, task.id, compared, about=about, controls=controls)
    return judge_audit(task.by, task.id, scored, chosen, about=about, controls=controls, cut=task.cut)


def _clusters(cases: CaseIndex, chosen: Chosen) -> dict[str, str]:
    return {key.case_id: cases.cluster(key.case_id) for key in chosen.probes}


def foresee_audit(plan: AuditPlan, access: ModelAccess, prices: PriceList | None) -> list[Forecast]:
    """Find out what an audit would take, without a call and without a trace in its run folder.

    Args:
        plan: What is to be done.
        access: How the model would be reached.
        prices: What models cost; None when that is not known.

    Returns:
        One forecast a judge.

    Raises:
        As `run_audit`.
    """
    _, chosen, tasks = prepare(plan)
    with open_inputs(plan) as inputs, copy_of_run(plan.out) as folder:
        asked = steps(plan, RunContext(inputs, folder, Silent()), tasks, chosen)
        return forecast_steps(asked, access, prices, in_batch=plan.batch is not None)
