"""Runs an audit: asks judges about probes in a run folder that can be resumed, and analyses what they said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from ... import __version__
from ...errors import InputError
from ...records import CaseIndex, ItemKey, write_records
from ..context import RunContext
from ..judging.access import ModelAccess
from ..judging.stage import judge_outputs
from ..judging.tasks import JudgeTask, judge_task, require_models
from ..progress import Progress
from ..run_folder.folder import MANIFEST, RunFolder, write_json
from ..run_folder.verdict_log import standing_verdicts
from .analysis import judge_audit, to_read
from .comparisons import prompts
from .plan import AuditPlan, open_inputs, prepare, stages
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
    if not (plan.out / MANIFEST).exists():
        require_models(tasks, access)
    with (
        open_inputs(plan) as inputs,
        RunFolder(plan.out) as folder,
    ):
        folder.bind(audit_of=manifest.files)
        folder.update(
            status="running",
            started=now().isoformat(timespec="seconds"),
            command=plan.command,
            versions={"fiducial": __version__},
            pass_at=plan.pass_at,
        )
        context = RunContext(inputs, folder, progress)
        _ask(plan, context, tasks, chosen, access)
        audit = _conclude(plan, context, tasks, chosen, manifest)
        folder.update(status="complete", ended=now().isoformat(timespec="seconds"))
    return audit


def _ask(
    plan: AuditPlan,
    context: RunContext,
    tasks: Sequence[JudgeTask],
    chosen: Chosen,
    access: Callable[[], ModelAccess],
) -> None:
    for wanted, repeats in stages(plan, chosen):
        reached = access
        if plan.batch is not None:
            from ..batch.rounds import BatchJob, collect_replies  # noqa: PLC0415 - for who wants batches

            reached = collect_replies(BatchJob(context, tasks, wanted, repeats), access, plan.batch)
        judge_outputs(context, tasks, wanted, reached, repeats=repeats)


def _conclude(
    plan: AuditPlan, context: RunContext, tasks: Sequence[JudgeTask], chosen: Chosen, manifest: ProbeManifest
) -> Audit:
    """Analyse the verdicts that stand, and write what they show."""
    scored = scored_probes(
        standing_verdicts(context.folder.verdicts), chosen.probes, _clusters(context.inputs.cases, chosen)
    )
    for task in tasks:
        if task.asked is None and task.by in scored:  # words say the same every time
            scored[task.by] = {
                key: each._replace(repeats=each.repeats * 2) for key, each in scored[task.by].items()
            }
    if not any(task.by in scored for task in tasks):
        raise InputError("none of the probes is of a kind that these judges judge", path=plan.probes)
    audit = Audit(
        pass_at=plan.pass_at,
        probes=dict(Counter(probe.plants for probe in chosen.probes.values())),
        judges=[
            _audit_of(task, scored[task.by], chosen, manifest, plan) for task in tasks if task.by in scored
        ],
        prompts=prompts(
            {task.by: scored[task.by] for task in tasks if task.asked and task.by in scored}, plan.pass_at
        ),
        failed=sum(each.outcome == "failed" for said in scored.values() for each in said.values()),
    )
    write_json(context.folder.path / AUDIT, audit)
    named = {judge_task(judge, plan.model).by for judge in plan.judges}
    asked = [task.by for task in tasks if task.by in named]
    write_records(
        context.folder.path / TO_READ,
        (row for by in asked if by in scored for row in to_read(by, scored[by], plan.pass_at)),
    )
    return audit


def _audit_of(
    task: JudgeTask,
    scored: Mapping[ItemKey, Scored],
    chosen: Chosen,
    manifest: ProbeManifest,
    plan: AuditPlan,
) -> JudgeAudit:
    return judge_audit(
        task.by,
        task.fingerprint,
        scored,
        chosen,
        about={operator.name: operator.about for operator in manifest.operators},
        controls={operator.name: operator.against for operator in manifest.operators if operator.against},
        pass_at=plan.pass_at,
    )


def _clusters(cases: CaseIndex, chosen: Chosen) -> dict[str, str]:
    return {key.case_id: cases.cluster(key.case_id) for key in chosen.probes}
