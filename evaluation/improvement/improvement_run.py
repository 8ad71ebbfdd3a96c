"""Improve a prompt: try candidates, look at the holdout once, write a better prompt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from ...calibration.comparison.prompt_gain import is_improvement, operator_changes, prompt_gain
from ...errors import UsageError
from ...judges.prices import with_dollars
from ...records import atomic_write, read_regular_file, write_json
from ...spelling import setting
from ..audit.audit_plan import AuditPlan
from ..audit.audit_run import run_audit
from ..judging.judge_task import JudgeTask
from ..judging.tasks import judge_task
from ..store.run_store import RunStore
from .candidates import (
    MAX_CANDIDATES,
    CurrentPrompt,
    propose_candidates,
    read_candidates,
    require_distinct,
)
from .holdout_looks import record_look
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

IMPROVED, RESULT, AUDIT = "improved.prompty", "improvement.json", "audit"


class _Improvement(NamedTuple):
    """An improvement's settings, its judge with the current prompt, and its divided items."""

    plan: ImprovementPlan
    use: ModelUse
    task: JudgeTask
    sides: DividedItems


class _Development(NamedTuple):
    """Results of development, and the file of a candidate better than the current prompt."""

    numbers: Improvement
    winner: str | None = None


def run_improvement(plan: ImprovementPlan, use: ModelUse) -> Improvement:
    """Carry out a plan, or continue an earlier start of it.

    Raises:
        UsageError: The judge is not a prompt, or there is nothing to try.
        InputError: The items cannot be used, or there are too few.
        RunFolderError: The folder belongs to other items, another prompt or another division.
        ConfigurationError: No model can be reached.
    """
    task = _current_judge(plan)
    items = labelled_items(plan.items, task)
    sides = divide_items(items, plan.seed, plan.holdout)
    lock_division(
        plan.out, items, task.id.fingerprint, seed=plan.seed, holdout=plan.holdout, margin=plan.margin
    )
    improvement = _Improvement(plan, use, task, sides)
    numbers, winner = _develop(improvement)
    if winner is not None:
        numbers = _test_on_holdout(improvement, numbers, winner)
    improved = plan.out / IMPROVED
    if winner is not None and numbers.answer == "improved":
        with atomic_write(improved) as file:
            file.write(read_regular_file(Path(winner)))
        numbers = replace(numbers, written=str(improved))
    elif not numbers.failed:
        improved.unlink(missing_ok=True)
    write_json(plan.out / RESULT, numbers)
    return numbers


def _current_judge(plan: ImprovementPlan) -> JudgeTask:
    """Return the judge with the current prompt.

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


def _develop(improvement: _Improvement) -> _Development:
    """Try the candidates on the development items."""
    plan, use, task, (items, holdout) = improvement
    # Before anything is paid for: without a usable candidate there is nothing to judge.
    from_files = read_candidates(_current_prompt(improvement), plan.candidates, plan.out)
    if not plan.proposals and all(file.refused for file in from_files):
        return _Development(
            Improvement(
                prompt=plan.prompt,
                judge=task.by,
                answer="no candidate",
                development=_size(items),
                holdout=_size(holdout),
                margin=plan.margin,
                tried=require_distinct(from_files),
            )
        )
    judged = judge_side(plan, DEVELOPMENT, items, [plan.prompt], use)
    numbers = Improvement(
        prompt=plan.prompt,
        judge=task.by,
        answer="no candidate",
        development=_size(items),
        holdout=_size(holdout),
        margin=plan.margin,
        costs=[judged.cost],
        failed=judged.failed,
    )
    if judged.failed:
        return _Development(replace(numbers, answer="calls failed"))
    (current,) = with_agreement([TriedPrompt(name=task.by)], counted_items(items, judged), judged)
    numbers = _with_candidates(improvement, judged, from_files, replace(numbers, current=current))
    return _Development(numbers) if numbers.failed else _rank_candidates(improvement, numbers, current)


def _current_prompt(improvement: _Improvement) -> CurrentPrompt:
    plan, judge = improvement.plan, improvement.task.prompt_judge
    assert judge is not None
    return CurrentPrompt(judge, plan.model, plan.environments, plan.judge_parameters)


def _with_candidates(
    improvement: _Improvement,
    judged: JudgedSide,
    candidates: list[TriedPrompt],
    numbers: Improvement,
) -> Improvement:
    """Add the candidates: those of files, then those that a model writes."""
    plan, use, _, (items, _) = improvement
    current = _current_prompt(improvement)
    if plan.writer is None or not plan.proposals:
        return replace(numbers, tried=require_distinct(candidates))
    shown = disagreements(counted_items(items, judged), judged, plan)
    proposals = propose_candidates(current, plan.writer, shown, plan.out, use.access)
    usage = with_dollars(proposals.usage, plan.writer, plan.prices)
    return replace(
        numbers,
        answer="calls failed" if proposals.failed else numbers.answer,
        tried=require_distinct([*candidates, *proposals.candidates]),
        costs=[ImprovementCost.of("proposals", proposals.replies, usage), *numbers.costs],
        failed=proposals.failed,
    )


def _rank_candidates(improvement: _Improvement, numbers: Improvement, current: TriedPrompt) -> _Development:
    """Judge the development items with every candidate, and name the best one."""
    plan, use, _, (items, _) = improvement
    usable = [prompt for prompt in numbers.tried if prompt.path and not prompt.refused]
    if not usable:
        return _Development(numbers)
    prompts = [plan.prompt, *(prompt.path for prompt in usable if prompt.path)]
    judged = judge_side(plan, DEVELOPMENT, items, prompts, use)
    numbers = replace(numbers, costs=_with_cost(numbers.costs, judged.cost), failed=judged.failed)
    if judged.failed:
        return _Development(replace(numbers, answer="calls failed"))
    current, *measured = with_agreement([current, *usable], counted_items(items, judged), judged)
    best = max(measured, key=_agreement)
    by_path = {prompt.path: prompt for prompt in measured}
    numbers = replace(
        numbers,
        answer="no better in development",
        current=current,
        tried=[
            by_path.get(prompt.path, prompt) if not prompt.refused else prompt for prompt in numbers.tried
        ],
        best=best.path,
    )
    return _Development(numbers, best.path if _agreement(best) > _agreement(current) else None)


def _with_cost(costs: Sequence[ImprovementCost], cost: ImprovementCost) -> list[ImprovementCost]:
    """Return costs with a new cost of one part, which includes that of earlier starts."""
    return [*(improvement_cost for improvement_cost in costs if improvement_cost.part != cost.part), cost]


def _agreement(tried: TriedPrompt) -> float:
    return 0.0 if tried.agreement is None else tried.agreement.value or 0.0


def _test_on_holdout(improvement: _Improvement, numbers: Improvement, winner: str) -> Improvement:
    """Compare the best candidate with the current prompt on the holdout, then on probes."""
    plan, use, _, (_, items) = improvement
    look = record_look(plan.out, Path(winner), adjudicated_sha256(items), use.now())
    judged = judge_side(plan, HOLDOUT, items, [plan.prompt, winner], use)
    costs = _with_cost(numbers.costs, judged.cost)
    numbers = replace(numbers, look=look, costs=costs, failed=judged.failed)
    if judged.failed:
        return replace(numbers, answer="calls failed")
    counted = counted_items(items, judged)
    gain = prompt_gain(holdout_agreement(counted, judged), look.alpha)
    ungraded = [count_ungraded(counted, verdict) for verdict in judged.verdicts]
    numbers = replace(numbers, answer="gain not shown", gain=gain, ungraded=ungraded)
    if not gain.proven:  # without a gain no prompt is written, so probes would decide nothing
        return numbers
    numbers = _test_on_probes(improvement, numbers, winner, look)
    answer: ImprovementAnswer = "improved" if is_improvement(gain, numbers.changes) else "worse on probes"
    return replace(numbers, answer="calls failed" if numbers.failed else answer)


def _test_on_probes(
    improvement: _Improvement, numbers: Improvement, winner: str, look: HoldoutLook
) -> Improvement:
    """Audit both prompts on the plan's probes, or on probes made from the holdout."""
    plan, use, task, (_, items) = improvement
    probes = plan.probes or holdout_probes(
        items, plan.out, task.threshold.at, plan.environments, use.progress
    )
    if probes is None:
        return numbers
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
        costs = _with_cost(numbers.costs, cost_of_run(store, "probes", plan))
    changes = [] if audited.failed else operator_changes(probed_pairs(audit), look.alpha, plan.margin)
    return replace(numbers, changes=changes, costs=costs, failed=audited.failed)


def _size(items: Sequence[LabelledItem]) -> SideSize:
    counted = [item for item in items if item.label is not None]
    return SideSize(
        items=len(counted),
        groups=len({item.group for item in counted}),
        adjudicated=sum(item.adjudicated for item in counted),
        undecidable=len(items) - len(counted),
    )
