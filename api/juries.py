"""`fiducial.jury`: several judges, or one that is asked several times, whose opinions make one verdict."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..evaluation.judging.access import ModelAccess
from ..evaluation.judging.composites import JuryRule, seat
from ..evaluation.judging.tasks import told_apart
from ..judges.jury import Rule
from .judging import ReadyJudge, judge
from .places import FilePath


def jury(
    judges: Sequence[ReadyJudge | FilePath],
    rule: Rule = "majority",
    *,
    weights: Sequence[float] = (),
    unsure: tuple[float, float] = (0.2, 0.8),
    repeats: int = 1,
    **options: Any,
) -> ReadyJudge:
    """Make a jury that can be called, or asked in `fiducial.evaluate`, like any judge.

    Args:
        judges: Its members, as `fiducial.judge` makes them, or their names; for ``escalate`` the cheap one, then the dear one.
        rule: ``majority``: passed or not, as most say; ``mean``: the mean score; ``escalate``: the cheap one's verdict where it is sure,
            else the dear one's.
        weights: What each member's opinion weighs; all the same when left out.
        unsure: ``escalate`` only: from which score to which the cheap one is not sure.
        repeats: How often each member is asked; each time is an opinion.
        **options: Of `fiducial.judge`, for members that are only named.

    Returns:
        The jury.

    Raises:
        UsageError: These judges make no such jury.
    """
    members = [each if isinstance(each, ReadyJudge) else judge(each, **options) for each in judges]
    tasks = told_apart(each.reached for each in members)
    task = seat(JuryRule(rule=rule, weights=tuple(weights), unsure=unsure), tasks, repeats=repeats)
    ways = {plain.id: ready for ready in members for plain in ready.task.plain}
    again = partial(jury, members, rule, weights=weights, unsure=unsure, repeats=repeats)
    return ReadyJudge(task, ModelAccess(), again, ways)
