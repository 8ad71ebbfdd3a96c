"""Run or forecast an audit in a resumable run folder, and analyse its verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ...calibration.agreement.adjudication import ALL, adjudicate
from ...calibration.arrays import IntArray, cluster_numbers
from ...calibration.decisions import Decisions
from ...calibration.intervals.measurement import Settings
from ...calibration.localisation import NamedSteps, localisation
from ...calibration.pass_threshold import PassThreshold
from ...calibration.tables.table_files import table_from_rows
from ...judges.prices import PriceList
from ...records import Author, CaseIndex, FolderPath, ItemKey, write_json, write_records
from ..context import judge_run
from ..forecast import Forecast, copy_of_run, forecast_steps
from ..inputs import EvaluationInputs
from ..judging.access import ModelAccess
from ..judging.asking import ask, ask_adapting, not_sent
from ..judging.judge_task import JudgeTask
from ..judging.tasks import require_models
from ..labelling.adjudications import decisions_on
from ..progress import Progress, Silent
from ..store.file_names import AUDIT
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter
from .analysis import graded_nothing, judge_audit, to_read, with_forms, with_ladders
from .audit_plan import (
    AuditPlan,
    PreparedAudit,
    audit_steps,
    forms_of,
    open_probes,
    prepare_audit,
    with_tasks,
)
from .audit_results import (
    Audit,
    AuditAdjudication,
    JudgeAudit,
    LocatedFault,
    OperatorAdjudicated,
    ProbeToRead,
)
from .comparisons import by_operator, compare_prompts
from .decision_forms_run import read_form_results
from .ladder.climb import Climb, LadderVerdicts
from .pairwise import ComparedProbe, ProbePairs, compared_probes, pairwise_audit
from .sampling import ChosenProbes
from .scored import ScoredProbe, scored_probes
from .weakness_examples import weakness_examples

TO_READ = "to_read.jsonl"
"""File of verdicts for people to review: missed faults, false alarms, successful attacks."""

TO_READ_CASES, TO_READ_OUTPUTS = "to_read_cases.jsonl", "to_read_outputs.jsonl"
"""Files of the cases and outputs of ladder questions among them."""


def run_audit(
    plan: AuditPlan, access: Callable[[], ModelAccess], progress: Progress, now: Callable[[], datetime]
) -> Audit:
    """Carry out a plan, or resume it.

    Raises:
        InputError: The probes cannot be used.
        UsageError: There is no such judge, or no such operator.
        RunFolderError: The folder is in use or belongs to another run.
        ConfigurationError: No model can be reached.
    """
    prepared = prepare_audit(plan)
    tasks = prepared.tasks
    if not RunStore(plan.out).begun:
        require_models(tasks, access)
    judge_records = [task.record for task in tasks]
    with open_probes(plan, prepared) as inputs:
        kept_inputs = inputs if isinstance(plan.probes, Path) else None  # probes in memory are not kept
        with judge_run(
            plan.out, prepared.identity, judge_records, kept_inputs, command=plan.command, now=now
        ) as writer:

            def ask_all(tasks: Sequence[JudgeTask]) -> None:
                for step in audit_steps(plan, with_tasks(plan, prepared, tasks), inputs, writer, progress):
                    ask(step, access, plan.batch)

            prepared = with_tasks(plan, prepared, ask_adapting(tasks, writer, ask_all))
            progress.begin("analysing verdicts", 0)
            return _conclude(plan, prepared, inputs, writer)


def _conclude(
    plan: AuditPlan, prepared: PreparedAudit, inputs: EvaluationInputs | None, writer: RunWriter
) -> Audit:
    """Analyse the verdicts, and write the results."""
    tasks = prepared.tasks
    requested = tasks[: len(plan.judges)]  # their word overlap baselines follow
    single_verdicts = _verdicts_on_probes(prepared, inputs, writer)
    verdicts = _AuditVerdicts(
        single_verdicts,
        _verdicts_on_pairs(prepared, inputs, writer),
        prepared.climb.results(writer) if prepared.climb else {},
    )
    scored = {task.id: verdicts.scored(task.id) for task in tasks}
    judged_tasks = [task for task in tasks if scored[task.id]]
    audits = [_judge_audit(task, verdicts, prepared) for task in judged_tasks]
    if inputs is not None:
        forms = forms_of(plan)
        forms_by_judge = {task.id: read_form_results(task, forms, writer, inputs.cases) for task in tasks}
        audits = [with_forms(audit, forms_by_judge[audit.id]) for audit in audits]
    audit = Audit(
        probes=dict(Counter(probe.plants for probe in prepared.chosen.probes.values())),
        judges=audits,
        prompts=compare_prompts(_by_name((task for task in tasks if task.prompt_judge), single_verdicts)),
        failed=sum(probe.outcome == "failed" for group in scored.values() for probe in group)
        + sum(form.ungraded.get("failed", 0) for judge_result in audits for form in judge_result.forms),
        adjudication=adjudicated_audit(_by_name(requested, single_verdicts), decisions_on([writer])),
        refused=not_sent(tasks),
        examples=weakness_examples(
            [
                (judge_result, scored[task.id])
                for task, judge_result in zip(judged_tasks, audits, strict=True)
                if task in requested
            ],
            inputs,
            prepared.climb,
        ),
    )
    write_json(writer.path / AUDIT, audit)
    rows = [row for task in requested for row in to_read(task.by, scored[task.id])]
    write_records(writer.path / TO_READ, rows)
    if prepared.climb is not None:
        _write_ladder_items(writer.path, prepared.climb, rows, prepared.chosen)
    return audit


class _AuditVerdicts(NamedTuple):
    """Verdicts of an audit by judge: on single probes, on pairs with right outputs, on ladders."""

    single: Mapping[Author, Mapping[ItemKey, ScoredProbe]]
    pairs: Mapping[Author, Mapping[ItemKey, ComparedProbe]]
    ladders: Mapping[Author, LadderVerdicts]

    def scored(self, judge: Author) -> list[ScoredProbe]:
        compared = [probe.scored for probe in self.pairs.get(judge, {}).values()]
        on_ladders = self.ladders[judge].scored.values() if judge in self.ladders else ()
        return [*self.single.get(judge, {}).values(), *compared, *on_ladders]


def _verdicts_on_probes(
    prepared: PreparedAudit, inputs: EvaluationInputs | None, writer: RunWriter
) -> dict[Author, dict[ItemKey, ScoredProbe]]:
    """Return the verdicts on single probes, by judge and probe."""
    chosen, tasks = prepared.chosen, prepared.tasks
    clusters = _clusters(inputs.cases, chosen) if inputs else {}
    thresholds: dict[Author, PassThreshold] = {task.id: task.threshold for task in tasks}
    scored = scored_probes(writer.verdicts.read(), chosen.probes, clusters, thresholds)
    for task in tasks:
        # A baseline's replies never vary, so one counts as two repeats.
        if task.id.kind == "baseline" and task.id in scored:
            probes = scored[task.id].items()
            scored[task.id] = {key: probe._replace(repeats=probe.repeats * 2) for key, probe in probes}
    return scored


def _verdicts_on_pairs(
    prepared: PreparedAudit, inputs: EvaluationInputs | None, writer: RunWriter
) -> dict[Author, dict[ItemKey, ComparedProbe]]:
    if inputs is None or not any(task.compares for task in prepared.tasks):
        return {}
    pairs = ProbePairs(inputs, prepared.chosen)
    return compared_probes(writer.verdicts.read(), pairs, prepared.chosen)


def _by_name(
    tasks: Iterable[JudgeTask], scored: Mapping[Author, Mapping[ItemKey, ScoredProbe]]
) -> dict[str, Mapping[ItemKey, ScoredProbe]]:
    return {task.by: scored[task.id] for task in tasks if task.id in scored}


def _write_ladder_items(
    folder: FolderPath, climb: Climb, rows: Sequence[ProbeToRead], chosen: ChosenProbes
) -> None:
    """Write the cases and outputs of ladder questions to review, which are in no probe folder."""
    keys = dict.fromkeys(ItemKey(row.case_id, row.system, row.trial) for row in rows)
    items = list(climb.items(key for key in keys if key not in chosen.probes))
    cases = {item.case.id: item.case for item in items}
    write_records(folder / TO_READ_CASES, cases.values())
    write_records(folder / TO_READ_OUTPUTS, (item.output for item in items))


def _judge_audit(task: JudgeTask, verdicts: _AuditVerdicts, prepared: PreparedAudit) -> JudgeAudit:
    about, controls = prepared.manifest.about, prepared.manifest.controls
    if task.id in verdicts.pairs:
        compared = verdicts.pairs[task.id]
        audit = pairwise_audit(task.by, task.id, compared, about=about, controls=controls)
    else:
        audit = judge_audit(
            task.by,
            task.id,
            verdicts.single.get(task.id, {}),
            prepared.chosen,
            about=about,
            controls=controls,
            threshold=task.threshold,
        )
    if task.id in verdicts.ladders:
        results, questions = verdicts.ladders[task.id]
        audit = with_ladders(audit, results, len(questions))
    scored = verdicts.scored(task.id)
    return msgspec.structs.replace(
        audit, located=located_faults(scored), graded_nothing=graded_nothing(scored)
    )


def _clusters(cases: CaseIndex, chosen: ChosenProbes) -> dict[str, str]:
    return {key.case_id: cases.cluster(key.case_id) for key in chosen.probes}


def audit_forecasts(plan: AuditPlan, access: ModelAccess, prices: PriceList | None) -> list[Forecast]:
    """Forecast an audit without making calls or writing to its run folder.

    Raises the errors of `run_audit`.
    """
    prepared = prepare_audit(plan)
    with open_probes(plan, prepared) as inputs, copy_of_run(plan.out) as writer:
        steps = audit_steps(plan, prepared, inputs, writer, Silent(), dry_run=True)
        return forecast_steps(steps, access, prices, in_batch=plan.batch is not None)


def adjudicated_audit(
    judges: Mapping[str, Mapping[ItemKey, ScoredProbe]], decisions: Decisions
) -> AuditAdjudication | None:
    """Return the judges' results after people's decisions on probes, or None without decisions."""
    probes = {str(key) for scored in judges.values() for key in scored}
    on_probes = Decisions(
        {item: decisions_on_item for item, decisions_on_item in decisions.by_item.items() if item in probes}
    )
    if not on_probes.by_item:
        return None
    rows = [row for judge, scored in judges.items() for row in _table_rows(judge, scored.values())]
    adjudicated = adjudicate(table_from_rows(rows), on_probes, Settings())
    return AuditAdjudication(
        by=adjudicated.by,
        faults=adjudicated.faults,
        judges={
            judge: list(_adjudicated_operators(judge, scored, on_probes)) for judge, scored in judges.items()
        },
    )


def _table_rows(judge: str, scored: Iterable[ScoredProbe]) -> Iterator[dict[str, Any]]:
    """Yield a table row per graded probe; the score is 1 if the judge passes the probe, else 0."""
    for probe in scored:
        if probe.score is not None:
            yield {
                "item_id": str(probe.facts.key),
                "judge": judge,
                "label": float(probe.facts.right),
                "score": float(probe.passed),
                "cluster": probe.cluster,
            }


def _adjudicated_operators(
    judge: str, scored: Mapping[ItemKey, ScoredProbe], decisions: Decisions
) -> Iterator[OperatorAdjudicated]:
    """Yield the adjudicated rate of each operator with a decision on one of its probes."""
    graded_probes = (probe for probe in scored.values() if probe.score is not None)
    for operator, group in by_operator(graded_probes).items():
        if any(str(probe.facts.key) in decisions.by_item for probe in group):
            facts = group[0].facts
            rate = "true_positive_rate" if facts.right else "true_negative_rate"
            table = table_from_rows(list(_table_rows(judge, group)))
            adjudicated = adjudicate(table, decisions, Settings()).judges[judge]
            yield OperatorAdjudicated(
                operator=operator,
                plants=facts.plants,
                as_labelled=adjudicated.as_labelled[rate],
                adjudicated=adjudicated.adjudicated[rate],
                lowest=adjudicated.lowest[rate],
                highest=adjudicated.highest[rate],
                label_errors=adjudicated.label_errors[ALL],
            )


def located_faults(scored: Iterable[ScoredProbe]) -> list[LocatedFault]:
    """Return how often a judge named the planted step, by operator.

    The list is empty for a judge that names no steps. Faults without a known step, as in older probe folders, are skipped.
    """
    faults = [probe for probe in scored if probe.facts.plants == "fault" and probe.facts.planted is not None]
    groups = by_operator(faults)
    if all(fault.named_step is None for fault in faults):
        return []
    return [_located_fault(name, group, len(groups)) for name, group in groups.items()]


def _located_fault(operator: str, group: Sequence[ScoredProbe], operators: int) -> LocatedFault:
    answers = [
        (probe.named_step, probe.facts.planted, probe.cluster)
        for probe in group
        if probe.named_step is not None and probe.facts.planted is not None
    ]
    rows = NamedSteps(
        named=_integers(step for step, _, _ in answers),
        planted=_integers(planted.step for _, planted, _ in answers),
        steps=_integers(planted.steps for _, planted, _ in answers),
        cluster=cluster_numbers(cluster for _, _, cluster in answers),
    )
    return LocatedFault(
        operator=operator,
        found=localisation(rows, sorts=operators),
        ungraded=dict(Counter(probe.outcome for probe in group if probe.named_step is None)),
    )


def _integers(values: Iterable[int]) -> IntArray:
    return np.array(list(values), dtype=np.int64)
