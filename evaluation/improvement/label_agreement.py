"""Agreement of prompts with labels, and the disagreements that a model is shown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from ...calibration.arrays import BoolArray, cluster_numbers
from ...calibration.comparison.prompt_gain import HeldOut
from ...calibration.decisions import drawn_rank
from ...calibration.intervals.clustered_rates import share_of
from ...judges.prompt_revision import Disagreement
from ...records import Verdict
from ..judging.judge_task import JudgeTask
from .candidates import SHOWN_AT_MOST
from .improvement_plan import ImprovementPlan, JudgedSide, SideVerdicts
from .improvement_results import TriedPrompt
from .labelled_set import LabelledItem


def counted_items(items: Sequence[LabelledItem], judged: JudgedSide) -> list[LabelledItem]:
    """Return the labelled items that the current prompt can be asked about."""
    judged_keys = {key for key, each in judged.verdicts[0].items() if each.outcome != "not_applicable"}
    return [each for each in items if each.label is not None and each.output.key in judged_keys]


def with_agreement(
    tried: Sequence[TriedPrompt], items: Sequence[LabelledItem], judged: JudgedSide
) -> list[TriedPrompt]:
    """Return prompts with the share of items on which each agrees with the label."""
    groups = cluster_numbers(each.group for each in items)
    return [
        replace(
            each,
            agreement=share_of(_right(items, task, said).astype(np.float64), groups),
            ungraded=count_ungraded(items, said),
        )
        for each, task, said in zip(tried, judged.tasks, judged.verdicts, strict=True)
    ]


def held_out(items: Sequence[LabelledItem], judged: JudgedSide) -> HeldOut:
    """Return how the current prompt and the new one, in this order, agree with the labels."""
    (current, new), (current_verdicts, new_verdicts) = judged.tasks, judged.verdicts
    return HeldOut(
        _right(items, current, current_verdicts),
        _right(items, new, new_verdicts),
        cluster_numbers(each.group for each in items),
        np.array([each.adjudicated for each in items], dtype=np.bool_),
    )


def count_ungraded(items: Sequence[LabelledItem], by_item: SideVerdicts) -> int:
    """Return how many items a prompt left ungraded."""
    verdicts = (by_item.get(each.output.key) for each in items)
    return sum(each is None or each.score is None for each in verdicts)


def disagreements(
    items: Sequence[LabelledItem], judged: JudgedSide, plan: ImprovementPlan
) -> list[list[Disagreement]]:
    """Draw the disagreements that a model is shown, other ones for each candidate."""
    task, verdicts = judged.tasks[0], judged.verdicts[0]
    wrong = [each for each in items if not _agrees(each, verdicts.get(each.output.key), task.threshold.at)]
    if not wrong:
        return []

    def drawn(number: int) -> list[Disagreement]:
        order = sorted(wrong, key=lambda each: drawn_rank(str(each.output.key), plan.seed + number))
        return [
            _disagreement(each, verdicts[each.output.key], task.threshold.at)
            for each in order[:SHOWN_AT_MOST]
        ]

    return [drawn(number) for number in range(1, plan.proposals + 1)]


def _right(items: Sequence[LabelledItem], task: JudgeTask, verdicts: SideVerdicts) -> BoolArray:
    return np.array(
        [_agrees(each, verdicts.get(each.output.key), task.threshold.at) for each in items], dtype=np.bool_
    )


def _agrees(item: LabelledItem, verdict: Verdict | None, threshold: float) -> bool:
    """Return whether verdict and label agree; an ungraded verdict agrees with none."""
    if verdict is None or verdict.score is None or item.label is None:
        return False
    return (verdict.score >= threshold) == (item.label >= threshold)


def _disagreement(item: LabelledItem, verdict: Verdict, threshold: float) -> Disagreement:
    passed = None if verdict.score is None else verdict.score >= threshold
    return Disagreement(item.case, item.output, (item.label or 0.0) >= threshold, passed, verdict.reason)
