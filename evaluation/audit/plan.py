"""What an audit is to do, prepared: the probes, the judges, and what is asked how often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ...calibration.cuts import UNTOLD, PassAt
from ...errors import UsageError
from ...judges.baseline import MODEL as BASELINE
from ...judges.baseline import has_rule
from ...records import CaseIndex, FolderPath
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..judging.access import BatchMode
from ..judging.asking import EachOutput, Step
from ..judging.tasks import JudgeTask, called, judge_task, judge_tasks
from ..judging.worlds import replay_in
from ..store.run_store import RunStore
from .pairwise import ProbePairs
from .probe_folder import CASES, OUTPUTS, ProbeManifest, read_facts, read_manifest
from .sampling import Chosen, choose

DEFAULT_SAMPLE = 100
"""Probes of each operator that a judge is asked about."""


class AuditPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit is to do.

    Attributes:
        probes: A folder of probes.
        out: The run folder.
        command: The command line, for the record.
        judges: Judges to audit, by name or prepared.
        model: The model they are asked of, unless a judge names its own (``judge/variant@model``).
        sample: Probes of each operator at most.
        operators: Names of operators; all, when empty.
        repeats: How often right outputs are judged, to tell noise from effects.
        pass_at: From which score on verdicts pass, where that is told; else as each judge declares.
        environments: Simulated worlds of the user's own, by class name.
        batch: How batches are waited for; None when the model is asked directly.
    """

    probes: FolderPath
    out: FolderPath
    command: str
    judges: Sequence[str | JudgeTask]
    model: str | None = None
    sample: int = DEFAULT_SAMPLE
    operators: Sequence[str] = ()
    repeats: int = 2
    pass_at: PassAt = UNTOLD
    environments: Mapping[str, type] = {}
    batch: BatchMode | None = None


def prepare(plan: AuditPlan) -> tuple[ProbeManifest, Chosen, list[JudgeTask]]:
    """Refuse what cannot be done, before anything is.

    Args:
        plan: What is to be done.

    Returns:
        How the probes were made, those that are asked about, and the judges with their lexical baselines.

    Raises:
        InputError: The probes cannot be used.
        UsageError: There is no such judge, or no such operator.
        ConfigurationError: No model is named.
    """
    manifest = read_manifest(plan.probes)
    unknown = sorted(set(plan.operators) - {operator.name for operator in manifest.operators})
    if unknown:
        raise UsageError(f"--only {unknown[0]}: {plan.probes} has no probes of this operator")
    with CaseIndex(plan.probes / CASES) as cases:
        chosen = choose(read_facts(plan.probes), plan.sample, cases.cluster, plan.operators)
    return manifest, chosen, _tasks(plan)


def open_inputs(plan: AuditPlan) -> EvaluationInputs:
    """The cases and outputs of an audit's probes."""
    return EvaluationInputs(plan.probes / CASES, [plan.probes / OUTPUTS])


def steps(plan: AuditPlan, context: RunContext, tasks: Sequence[JudgeTask], chosen: Chosen) -> Iterator[Step]:
    """What the judges are asked: about every probe once; then about right outputs as often as they are repeated.

    Judges that compare are asked about each probe beside its right output.
    """
    single = [task for task in tasks if not task.compares]
    yield EachOutput(context, single, chosen.probes.__contains__)
    if plan.repeats > 1:
        yield EachOutput(context, single, chosen.originals.__contains__, plan.repeats)
    if comparing := [task for task in tasks if task.compares]:
        pairs = ProbePairs(context.inputs, chosen)
        yield EachOutput(context._replace(inputs=pairs), comparing, pairs.members.__contains__)


def _tasks(plan: AuditPlan) -> list[JudgeTask]:
    """The judges, then the lexical baseline of each that has one."""
    plan.pass_at.refuse_strangers(name for spec in plan.judges for name in called(spec, plan.model))
    known = list(RunStore(plan.out).roster)
    named = judge_tasks(plan.judges, plan.model, known, replay_in(plan.environments), plan.pass_at)
    tasks = {task.id: task for task in named}
    for task in named:
        if has_rule(task.id):
            control = judge_task(task.id.name, BASELINE)
            tasks.setdefault(control.id, control)
    return list(tasks.values())
