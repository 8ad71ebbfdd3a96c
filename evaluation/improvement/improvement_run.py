"""Improve a prompt: try candidates, look at the holdout once, write a better prompt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from ...calibration.comparison.prompt_gain import is_improvement, look_alpha, operator_changes, prompt_gain
from ...errors import RecordError, RunFolderError, UsageError
from ...judges.prices import with_dollars
from ...records import atomic_write, decode_record, read_regular_file, write_json
from ...spelling import setting
from ..audit.audit_plan import AuditPlan
from ..audit.audit_run import run_audit
from ..inputs import file_sha256
from ..judging.judge_task import JudgeTask
from ..judging.tasks import judge_task
from ..store.run_store import RunStore
from .candidates import (
    MAX_CANDIDATES,
    CurrentPrompt,
    mark_duplicates,
    propose_candidates,
    read_candidates,
)
from .holdout_probes import holdout_probes, probed_pairs
from .improvement_plan import (
    DEVELOPMENT,
    HOLDOUT,
    ImprovementPlan,
    JudgedSide,
    ModelUse,
    cost_of_run,
    judge_side,
)
from .improvement_results import (
    HoldoutLook,
    Improvement,
    ImprovementAnswer,
    ImprovementCost,
    SideSize,
    TriedPrompt,
)
from .label_agreement import (
    count_ungraded,
    counted_items,
    disagreements,
    holdout_agreement,
    with_agreement,
)
from .labelled_set import (
    DividedItems,
    LabelledItem,
    adjudicated_sha256,
    divide_items,
    labelled_items,
    lock_division,
)

IMPROVED, RESULT, LOOKS, AUDIT = "improved.prompty", "improvement.json", "looks.json", "audit"
"""Files of the improved prompt, of the result and of looks at the holdout, and folder of the audit."""


class _StartedImprovement(NamedTuple):
    """An improvement in progress: plan, model access, current judge, and divided items."""

    plan: ImprovementPlan
    use: ModelUse
    task: JudgeTask
    sides: DividedItems


class _Development(NamedTuple):
    """Results of development, and the path of a candidate better than the current prompt."""

    results: Improvement
    winner: str | None = None


def run_improvement(plan: ImprovementPlan, use: ModelUse) -> Improvement:
    """Carry out a plan, or resume it.

    Raises:
        UsageError: The judge is not a prompt, or there is nothing to try.
        InputError: The items cannot be used, or there are too few.
        RunFolderError: The folder belongs to other items, another prompt or another division.
        ConfigurationError: No model can be reached.
    """
    task = _load_current_judge(plan)
    items = labelled_items(plan.items, task)
    sides = divide_items(items, plan.seed, plan.holdout)
    lock_division(
        plan.out, items, task.id.fingerprint, seed=plan.seed, holdout=plan.holdout, margin=plan.margin
    )
    improvement = _StartedImprovement(plan, use, task, sides)
    results, winner = _develop(improvement)
    if winner is not None:
        results = _test_on_holdout(improvement, results, winner)
    improved_path = plan.out / IMPROVED
    if winner is not None and results.answer == "improved":
        with atomic_write(improved_path) as file:
            file.write(read_regular_file(Path(winner)))
        results = replace(results, written=str(improved_path))
    elif not results.failed:
        improved_path.unlink(missing_ok=True)  # of an earlier command
    write_json(plan.out / RESULT, results)
    return results


def _load_current_judge(plan: ImprovementPlan) -> JudgeTask:
    """Load the judge with the current prompt.

    Raises:
        UsageError: The judge is not a prompt that can be improved, or the number of candidates is not within limits.
    """
    task = judge_task(plan.prompt, plan.model, plan.environments, plan.judge_parameters)
    if task.prompt_judge is None or task.compares:
        raise UsageError(f"{plan.prompt}: only a prompt that judges one output can be improved")
    if task.by_criterion:
        raise UsageError(
            f"{plan.prompt} asks about each criterion by itself, which audits cannot do; improve a prompt that asks about all, such as rubric/together"
        )
    if not plan.candidates and not plan.proposals:
        raise UsageError(
            f"nothing to try: name {setting('candidate', 'FILE')}, or a {setting('model')} that writes candidates"
        )
    count = len(plan.candidates) + plan.proposals
    if count > MAX_CANDIDATES:
        raise UsageError(f"expected at most {MAX_CANDIDATES} candidates, got {count}")
    return task


def _develop(improvement: _StartedImprovement) -> _Development:
    """Try the candidates on the development items."""
    plan, use, task = improvement.plan, improvement.use, improvement.task
    items, holdout = improvement.sides
    # Candidates are read before anything is paid for: without a usable one there is nothing to judge.
    file_candidates = read_candidates(_current_prompt(improvement), plan.candidates, plan.out)
    if not plan.proposals and all(candidate.refused for candidate in file_candidates):
        return _Development(
            Improvement(
                prompt=plan.prompt,
                judge=task.by,
                answer="no candidate",
                development=_size(items),
                holdout=_size(holdout),
                margin=plan.margin,
                tried=mark_duplicates(file_candidates),
            )
        )
    # The current prompt comes first, because a writing model is shown where it disagrees with labels.
    judged_side = judge_side(plan, DEVELOPMENT, items, [plan.prompt], use)
    results = Improvement(
        prompt=plan.prompt,
        judge=task.by,
        answer="no candidate",  # stays unless a later stage replaces it
        development=_size(items),
        holdout=_size(holdout),
        margin=plan.margin,
        costs=[judged_side.cost],
        failed=judged_side.failed,
    )
    if judged_side.failed:
        return _Development(replace(results, answer="calls failed"))
    (current,) = with_agreement([TriedPrompt(name=task.by)], counted_items(items, judged_side), judged_side)
    results = _with_candidates(improvement, judged_side, file_candidates, replace(results, current=current))
    return _Development(results) if results.failed else _rank_candidates(improvement, results, current)


def _current_prompt(improvement: _StartedImprovement) -> CurrentPrompt:
    plan, judge = improvement.plan, improvement.task.prompt_judge
    assert judge is not None
    return CurrentPrompt(judge, plan.model, plan.environments, plan.judge_parameters)


def _with_candidates(
    improvement: _StartedImprovement,
    judged_side: JudgedSide,
    candidates: list[TriedPrompt],
    results: Improvement,
) -> Improvement:
    """Add the candidates from files, then those that a model writes."""
    plan, use, items = improvement.plan, improvement.use, improvement.sides.development
    current = _current_prompt(improvement)
    if plan.writer is None or not plan.proposals:
        return replace(results, tried=mark_duplicates(candidates))
    samples = disagreements(counted_items(items, judged_side), judged_side, plan)
    proposals = propose_candidates(current, plan.writer, samples, plan.out, use.access)
    usage = with_dollars(proposals.usage, plan.writer, plan.prices)
    return replace(
        results,
        answer="calls failed" if proposals.failed else results.answer,
        tried=mark_duplicates([*candidates, *proposals.candidates]),
        costs=[ImprovementCost.of("proposals", proposals.replies, usage), *results.costs],
        failed=proposals.failed,
    )


def _rank_candidates(
    improvement: _StartedImprovement, results: Improvement, current: TriedPrompt
) -> _Development:
    """Judge the development items with every candidate, and name the best one."""
    plan, use, items = improvement.plan, improvement.use, improvement.sides.development
    usable = [prompt for prompt in results.tried if prompt.path and not prompt.refused]
    if not usable:
        return _Development(results)
    prompts = [plan.prompt, *(prompt.path for prompt in usable if prompt.path)]
    judged_side = judge_side(plan, DEVELOPMENT, items, prompts, use)
    results = replace(results, costs=_with_cost(results.costs, judged_side.cost), failed=judged_side.failed)
    if judged_side.failed:
        return _Development(replace(results, answer="calls failed"))
    current, *measured = with_agreement([current, *usable], counted_items(items, judged_side), judged_side)
    best = max(measured, key=_agreement)
    measured_by_path = {prompt.path: prompt for prompt in measured}
    results = replace(
        results,
        answer="no better in development",
        current=current,
        tried=[
            prompt if prompt.refused else measured_by_path.get(prompt.path, prompt)
            for prompt in results.tried
        ],
        best=best.path,
    )
    return _Development(results, best.path if _agreement(best) > _agreement(current) else None)


def _with_cost(costs: Sequence[ImprovementCost], cost: ImprovementCost) -> list[ImprovementCost]:
    """Replace the cost of one part; the new cost includes that of earlier commands."""
    return [*(other for other in costs if other.part != cost.part), cost]


def _agreement(prompt: TriedPrompt) -> float:
    return 0.0 if prompt.agreement is None else prompt.agreement.value or 0.0


def _test_on_holdout(improvement: _StartedImprovement, results: Improvement, winner: str) -> Improvement:
    """Compare the best candidate with the current prompt on the holdout, then on probes."""
    plan, use, items = improvement.plan, improvement.use, improvement.sides.holdout
    look = record_look(plan.out, Path(winner), adjudicated_sha256(items), use.now())
    judged_side = judge_side(plan, HOLDOUT, items, [plan.prompt, winner], use)
    costs = _with_cost(results.costs, judged_side.cost)
    results = replace(results, look=look, costs=costs, failed=judged_side.failed)
    if judged_side.failed:
        return replace(results, answer="calls failed")
    items_with_labels = counted_items(items, judged_side)
    gain = prompt_gain(holdout_agreement(items_with_labels, judged_side), look.alpha)
    ungraded = [count_ungraded(items_with_labels, verdicts) for verdicts in judged_side.verdicts]
    results = replace(results, answer="gain not shown", gain=gain, ungraded=ungraded)
    if not gain.proven:  # without a gain no prompt is written, so probes would decide nothing
        return results
    results = _test_on_probes(improvement, results, winner, look)
    answer: ImprovementAnswer = "improved" if is_improvement(gain, results.changes) else "worse on probes"
    return replace(results, answer="calls failed" if results.failed else answer)


def record_look(out: Path, candidate: Path, labels: str, now: datetime) -> HoldoutLook:
    """Return the look at the holdout with a candidate, and record it if it is new.

    A second look at a candidate with the same labels is the same look. With other labels it is a new one, because whoever changed the
    labels may have seen the result. It is recorded before anything is asked, so that an interrupted look counts, too.

    Args:
        out: The output folder.
        candidate: Path of the candidate.
        labels: Hash of the holdout's labels.
        now: The current time.

    Raises:
        RunFolderError: The file of looks cannot be read.
    """
    path, sha256 = out / LOOKS, file_sha256(candidate)
    looks = _read_looks(path)
    for earlier in looks:
        if (earlier.sha256, earlier.labels) == (sha256, labels):
            return earlier
    number = len(looks) + 1
    look = HoldoutLook(
        look=number,
        alpha=look_alpha(number),
        candidate=candidate.stem,
        sha256=sha256,
        labels=labels,
        at=now.isoformat(timespec="seconds"),
    )
    write_json(path, [*looks, look])
    return look


def _read_looks(path: Path) -> list[HoldoutLook]:
    if not path.exists():
        return []
    try:
        return decode_record(read_regular_file(path), list[HoldoutLook])
    except (OSError, RecordError) as error:
        raise RunFolderError(f"{path}: cannot be read: {error}") from error


def _test_on_probes(
    improvement: _StartedImprovement, results: Improvement, winner: str, look: HoldoutLook
) -> Improvement:
    """Audit both prompts on the plan's probes, or on probes made from the holdout."""
    plan, use, task = improvement.plan, improvement.use, improvement.task
    probes = plan.probes or holdout_probes(
        improvement.sides.holdout, plan.out, task.threshold.at, plan.environments, use.progress
    )
    if probes is None:
        return results
    audit = AuditPlan(
        probes=probes,
        out=plan.out / AUDIT,
        command=plan.command,
        judges=[plan.prompt, winner],
        model=plan.model,
        sample=plan.sample,
        repeats=1,
        environments=plan.environments,
        judge_parameters=plan.judge_parameters,
    )
    audited = run_audit(audit, use.access, use.progress, use.now)
    with RunStore(plan.out / AUDIT) as store:
        costs = _with_cost(results.costs, cost_of_run(store, "probes", plan))
    changes = [] if audited.failed else operator_changes(probed_pairs(audit), look.alpha, plan.margin)
    return replace(results, changes=changes, costs=costs, failed=audited.failed)


def _size(items: Sequence[LabelledItem]) -> SideSize:
    items_with_labels = [item for item in items if item.label is not None]
    return SideSize(
        items=len(items_with_labels),
        groups=len({item.group for item in items_with_labels}),
        adjudicated=sum(item.adjudicated for item in items_with_labels),
        undecidable=len(items) - len(items_with_labels),
    )
