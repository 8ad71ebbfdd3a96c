"""Runs an audit: asks judges about probes in a run folder that can be resumed, and analyses what they said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from ... import __version__
from ...errors import InputError, UsageError
from ...judges import baseline_by, find_prompt
from ...judges.baseline import MODEL as BASELINE
from ...records import CaseIndex, ItemKey, write_records
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..judging import JudgeTask, ModelAccess, judge_outputs, judge_task
from ..progress import Progress
from ..run_folder import RunFolder, write_json
from ..verdict_log import standing_verdicts
from .analysis import judge_audit, to_read
from .comparisons import prompts
from .probe_folder import CASES, OUTPUTS, ProbeManifest, read_facts, read_manifest
from .results import Audit, JudgeAudit
from .sampling import Chosen, choose
from .scored import Scored, scored_probes

AUDIT, TO_READ = "audit.json", "to_read.jsonl"
"""The files that an audit adds to its run folder."""

DEFAULT_SAMPLE = 100
"""Probes of each operator that a judge is asked about."""


class AuditPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit is to do.

    Attributes:
        probes: A folder of probes.
        out: The run folder.
        command: The command line, for the record.
        judges: Judges to audit.
        model: The model they are asked of.
        sample: Probes of each operator at most.
        operators: Names of operators; all, when empty.
        repeats: How often right outputs are judged, to tell noise from effects.
        pass_at: From which score on a verdict counts as a pass.
    """

    probes: Path
    out: Path
    command: str
    judges: Sequence[str]
    model: str
    sample: int = DEFAULT_SAMPLE
    operators: Sequence[str] = ()
    repeats: int = 2
    pass_at: float = 0.5


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
    manifest = read_manifest(plan.probes)
    unknown = sorted(set(plan.operators) - {operator.name for operator in manifest.operators})
    if unknown:
        raise UsageError(f"--only {unknown[0]}: {plan.probes} has no probes of this operator")
    for judge in plan.judges:
        (baseline_by if plan.model == BASELINE else find_prompt)(judge)
    chosen = choose(read_facts(plan.probes), plan.sample, plan.operators)
    tasks = _tasks(plan)
    with (
        EvaluationInputs(plan.probes / CASES, [plan.probes / OUTPUTS]) as inputs,
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
        judge_outputs(context, tasks, chosen.probes.__contains__, access)
        if plan.repeats > 1:
            judge_outputs(context, tasks, chosen.originals.__contains__, access, repeats=plan.repeats)
        audit = _conclude(plan, context, tasks, chosen, manifest)
        folder.update(status="complete", ended=now().isoformat(timespec="seconds"))
    return audit


def _tasks(plan: AuditPlan) -> list[JudgeTask]:
    """The judges, then the lexical baseline of each that has one."""
    tasks = {task.by: task for task in (judge_task(judge, plan.model) for judge in plan.judges)}
    for judge in plan.judges:
        try:
            control = judge_task(judge.partition("/")[0], BASELINE)
        except UsageError:
            continue  # a prompt of the user's own has none
        tasks[control.by] = control
    return list(tasks.values())


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
    asked = [task.by for task in tasks if task.asked is not None or plan.model == BASELINE]
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
