"""Settings of an audit, and its preparation: probes, judges and questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from ...calibration.pass_threshold import require_overridden_judges
from ...deterministic.options import CheckOptions
from ...errors import UsageError
from ...judges.baseline import MODEL as BASELINE
from ...judges.baseline import has_rule
from ...judges.decision_forms import FORM_NAMES, DecisionForm
from ...judges.transport.exchange import ApiName
from ...records import CaseIndex, FolderPath
from ...records.folder_files import CASES, OUTPUTS
from ...spelling import setting
from ..context import RunContext
from ..inputs import EvaluationInputs
from ..judging.access import BatchMode
from ..judging.asking import PerOutputStep
from ..judging.judge_task import JudgeTask, JudgingStep
from ..judging.tasks import judge_task, judge_tasks, possible_names, require_work
from ..progress import Progress
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter
from .decision_forms_run import (
    asks_decision_model,
    choose_form_items,
    choose_form_pairs,
    form_steps,
    select_forms,
)
from .ladder.climb import Climb, LadderSettings
from .pairwise import ProbePairs
from .probe_folder import NO_PROBES, ProbeManifest, read_facts, read_manifest
from .sampling import ChosenProbes, choose_probes

DEFAULT_SAMPLE = 100
"""Probes of each operator that a judge is asked about."""


class AuditPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of an audit; defaults are those of `fiducial.audit`.

    Attributes:
        probes: A folder of probes, or None to climb ladders only.
        out: The run folder.
        command: The command line, for the record.
        judges: Judges to audit, by name or prepared.
        operators: Names of operators, and of forms of questions to decision models; all if empty.
        repeats: Number of times that a judge is asked about each right output.
        forms: Whether decision models are asked in other forms, too.
        ladder: Dials to climb, or None for none.
        batch: Settings for waiting on batches; None to ask the model directly.
    """

    probes: FolderPath | None
    out: FolderPath
    command: str
    judges: Sequence[str | JudgeTask]
    model: str | None = None
    sample: int = DEFAULT_SAMPLE
    operators: Sequence[str] = ()
    repeats: int = 2
    forms: bool = True
    pass_at: Mapping[str, float] = {}
    ladder: LadderSettings | None = None
    environments: Mapping[str, type] = {}
    judge_parameters: Mapping[str, Any] = {}
    api: ApiName = "chat"
    batch: BatchMode | None = None


class PreparedAudit(NamedTuple):
    """An audit's probes and judges, loaded and checked.

    Attributes:
        manifest: Manifest of the probes.
        chosen: The probes that judges are asked about.
        tasks: The judges, then their word overlap baselines.
        climb: The ladders, or None if there are none.
    """

    manifest: ProbeManifest
    chosen: ChosenProbes
    tasks: Sequence[JudgeTask]
    climb: Climb | None

    @property
    def identity(self) -> dict[str, Any]:
        """Settings that must not change when an audit is resumed."""
        probe_files = {"audit_of": self.manifest.files} if self.manifest.files else {}
        return probe_files | (self.climb.identity if self.climb else {})


def prepare_audit(plan: AuditPlan) -> PreparedAudit:
    """Load and check an audit's judges and probes, without calling a model.

    Raises:
        InputError: The probes cannot be used.
        UsageError: There is no such judge, or no such operator.
        ConfigurationError: No model is named.
    """
    tasks = _judges_and_baselines(plan)
    climb = _climb(plan, tasks)
    if plan.probes is None:
        return PreparedAudit(NO_PROBES, ChosenProbes({}, frozenset()), tasks, climb)
    manifest = read_manifest(plan.probes)
    known_names = {operator.name for operator in manifest.operators}
    known_names |= FORM_NAMES.keys() if any(map(asks_decision_model, tasks)) else set()
    unknown_names = sorted(set(plan.operators) - known_names)
    if unknown_names:
        raise UsageError(f"{setting('only', unknown_names[0])}: {plan.probes} has no probes of this operator")
    with CaseIndex(plan.probes / CASES) as cases:
        chosen = choose_probes(read_facts(plan.probes), plan.sample, cases.cluster, plan.operators)
    return PreparedAudit(manifest, chosen, tasks, climb)


def with_tasks(plan: AuditPlan, prepared: PreparedAudit, tasks: Sequence[JudgeTask]) -> PreparedAudit:
    """Return the audit with other judges, such as those without a refused parameter."""
    return prepared if tasks is prepared.tasks else prepared._replace(tasks=tasks, climb=_climb(plan, tasks))


def _climb(plan: AuditPlan, tasks: Sequence[JudgeTask]) -> Climb | None:
    if plan.ladder is None:
        return None
    return Climb(plan.ladder, tasks, CheckOptions(environments=plan.environments), plan.out)


@contextmanager
def open_probes(plan: AuditPlan, prepared: PreparedAudit) -> Generator[EvaluationInputs | None]:
    """Open the cases and outputs of an audit's probes, or None if the audit has no probes.

    Raises:
        UsageError: None of the probes suits these judges.
    """
    if plan.probes is None:
        yield None
        return
    with EvaluationInputs(plan.probes / CASES, [plan.probes / OUTPUTS]) as inputs:
        require_work(
            prepared.tasks, Counter(inputs.cases.facts(key.case_id).kind for key in prepared.chosen.probes)
        )
        yield inputs


def audit_steps(
    plan: AuditPlan,
    prepared: PreparedAudit,
    inputs: EvaluationInputs | None,
    writer: RunWriter,
    progress: Progress,
    *,
    dry_run: bool = False,
) -> Iterator[JudgingStep]:
    """Yield the judging steps: every probe, repeats of right outputs, other forms, ladders.

    Judges that compare see each probe together with its right output; they climb no ladder.
    """
    if inputs is not None:
        context, chosen = RunContext(inputs, writer, progress), prepared.chosen
        grading_tasks = [task for task in prepared.tasks if not task.compares]
        yield PerOutputStep(context, grading_tasks, chosen.probes.__contains__)
        if plan.repeats > 1:
            repeat_context = context._replace(phase="repeats")
            yield PerOutputStep(repeat_context, grading_tasks, chosen.originals.__contains__, plan.repeats)
        forms, items = forms_of(plan), choose_form_items(chosen, plan.sample)
        yield from form_steps(context, grading_tasks, items, forms, plan.repeats)
        if comparing_tasks := [task for task in prepared.tasks if task.compares]:
            pairs = ProbePairs(inputs, chosen)
            context = context._replace(inputs=pairs, phase="pairs")
            yield PerOutputStep(context, comparing_tasks, pairs.members.__contains__)
            items = choose_form_pairs(pairs.members, plan.sample)
            yield from form_steps(context, comparing_tasks, items, forms, plan.repeats)
    if prepared.climb is not None:
        climb = prepared.climb.dry_steps if dry_run else prepared.climb.steps
        yield from climb(writer, progress)


def forms_of(plan: AuditPlan) -> list[DecisionForm]:
    """Return the forms in which an audit asks decision models."""
    return select_forms(plan.operators) if plan.forms else []


def _judges_and_baselines(plan: AuditPlan) -> list[JudgeTask]:
    """Return the requested judges, then the word overlap baselines of those that have one."""
    names = [name for spec in plan.judges for name in possible_names(spec, plan.model, plan.api)]
    require_overridden_judges(plan.pass_at, names)
    known_judges = list(RunStore(plan.out).roster)
    requested = judge_tasks(
        plan.judges,
        plan.model,
        known_judges,
        plan.environments,
        plan.pass_at,
        parameters=plan.judge_parameters,
        api=plan.api,
    )
    tasks = {task.id: task for task in requested}
    for task in requested:
        if has_rule(task.id):
            baseline = judge_task(task.id.name, BASELINE)
            tasks.setdefault(baseline.id, baseline)
    return list(tasks.values())
