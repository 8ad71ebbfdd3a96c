"""Agreement of prompts with labels, and disagreements to show to the writing model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from ...calibration.arrays import BoolArray, cluster_numbers
from ...calibration.comparison.prompt_gain import HeldOutItems
from ...calibration.decisions import drawn_rank
from ...calibration.intervals.clustered_rates import share_of
from ...judges.prompt_revision import Disagreement
from ...records import Verdict
from ...records.made_scores import reaches
from ..judging.judge_task import JudgeTask
from .candidates import MAX_DISAGREEMENTS
from .improvement_plan import ImprovementPlan, JudgedSide, SideVerdicts
from .improvement_results import TriedPrompt
from .labelled_set import LabelledItem


def counted_items(items: Sequence[LabelledItem], judged: JudgedSide) -> list[LabelledItem]:
    """Return the items with a label that the current prompt can grade."""
    judged_keys = {key for key, verdict in judged.verdicts[0].items() if verdict.outcome != "not_applicable"}
    return [item for item in items if item.label is not None and item.output.key in judged_keys]


def with_agreement(
    tried: Sequence[TriedPrompt], items: Sequence[LabelledItem], judged: JudgedSide
) -> list[TriedPrompt]:
    """Return prompts with the share of items on which each agrees with the label."""
    groups = cluster_numbers(item.group for item in items)
    return [
        replace(
            prompt,
            agreement=share_of(_agreements(items, task, verdicts).astype(np.float64), groups),
            ungraded=count_ungraded(items, verdicts),
        )
        for prompt, task, verdicts in zip(tried, judged.tasks, judged.verdicts, strict=True)
    ]


def holdout_agreement(items: Sequence[LabelledItem], judged: JudgedSide) -> HeldOutItems:
    """Return for held-out items whether the current prompt and the new one agree with labels."""
    (current, new), (current_verdicts, new_verdicts) = judged.tasks, judged.verdicts
    return HeldOutItems(
        _agreements(items, current, current_verdicts),
        _agreements(items, new, new_verdicts),
        cluster_numbers(item.group for item in items),
        np.array([item.adjudicated for item in items], dtype=np.bool_),
    )


def count_ungraded(items: Sequence[LabelledItem], by_item: SideVerdicts) -> int:
    """Return the number of items that a prompt left ungraded."""
    verdicts = (by_item.get(item.output.key) for item in items)
    return sum(verdict is None or verdict.score is None for verdict in verdicts)


def disagreements(
    items: Sequence[LabelledItem], judged: JudgedSide, plan: ImprovementPlan
) -> list[list[Disagreement]]:
    """Draw disagreements of the current prompt with labels, a sample per proposed candidate."""
    threshold, verdicts = judged.tasks[0].threshold.at, judged.verdicts[0]
    contradicted = [item for item in items if not _agrees(item, verdicts.get(item.output.key), threshold)]
    if not contradicted:
        return []

    def draw(number: int) -> list[Disagreement]:
        order = sorted(contradicted, key=lambda item: drawn_rank(str(item.output.key), plan.seed + number))
        sample = order[:MAX_DISAGREEMENTS]
        return [_disagreement(item, verdicts[item.output.key], threshold) for item in sample]

    return [draw(number) for number in range(1, plan.proposals + 1)]


def _agreements(items: Sequence[LabelledItem], task: JudgeTask, verdicts: SideVerdicts) -> BoolArray:
    return np.array(
        [_agrees(item, verdicts.get(item.output.key), task.threshold.at) for item in items], dtype=np.bool_
    )


def _agrees(item: LabelledItem, verdict: Verdict | None, threshold: float) -> bool:
    if verdict is None or verdict.score is None or item.label is None:
        return False
    return reaches(verdict.score, threshold) == reaches(item.label, threshold)


def _disagreement(item: LabelledItem, verdict: Verdict, threshold: float) -> Disagreement:
    judge_passes = None if verdict.score is None else reaches(verdict.score, threshold)
    return Disagreement(
        item.case, item.output, reaches(item.label or 0.0, threshold), judge_passes, verdict.reason
    )
