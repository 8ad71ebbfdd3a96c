"""Settings of an improvement, and runs of its prompts on the development items or holdout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from ...calibration.comparison.prompt_gain import MARGIN
from ...errors import ConfigurationError
from ...judges.prices import PriceList, with_dollars
from ...records import NO_USAGE, Author, FolderPath, ItemKey, Verdict
from ..judging.access import ModelAccess
from ..judging.judge_task import JudgeTask
from ..pipeline import planned_tasks
from ..pipeline import run as run_plan
from ..progress import Progress
from ..run_plan import Plan
from ..store.run_store import RunStore
from .improvement_results import ImprovementCost
from .labelled_set import LabelledItem, LabelledSet, write_side

SAMPLE = 200
"""Maximum number of probes per operator.

With 20 operators and 6 % of verdicts changing at random, this many exclude a loss of the default margin.
"""

DATA, DEVELOPMENT, HOLDOUT = "data", "development", "holdout"
"""Folders of the items of both sides, and of the run on each side."""


class ImprovementPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of an improvement; defaults are those of `fiducial.improve`.

    Attributes:
        items: The labelled items.
        prompt: The current prompt: a judge's name or a prompt file.
        model: The judging model.
        out: The output folder.
        command: The command line, for the record.
        candidates: Files of candidates.
        writer: The model that writes candidates, or None if none does.
        proposals: Number of candidates that it writes.
        probes: A folder of probes; None to make them from the holdout.
        seed: Seed of the division, and of the draw of disagreements for the writer.
        holdout: Share of the groups to hold out.
        margin: Loss on probes to exclude.
        sample: Maximum number of probes of one operator.
    """

    items: LabelledSet
    prompt: str
    model: str
    out: Path
    command: str
    candidates: Sequence[Path] = ()
    writer: str | None = None
    proposals: int = 0
    probes: FolderPath | None = None
    seed: int = 0
    holdout: float = 0.5
    margin: float = MARGIN
    sample: int = SAMPLE
    environments: Mapping[str, type] = {}
    judge_parameters: Mapping[str, Any] = {}
    prices: PriceList | None = None


class ModelUse(NamedTuple):
    """Access to the model, progress reporter and clock."""

    access: Callable[[], ModelAccess]
    progress: Progress
    now: Callable[[], datetime]


SideVerdicts: TypeAlias = Mapping[ItemKey, Verdict]
"""One prompt's verdicts on one side."""


class JudgedSide(NamedTuple):
    """Judges with different prompts, and their verdicts on one side, in the same order."""

    tasks: Sequence[JudgeTask]
    verdicts: Sequence[SideVerdicts]
    failed: int
    cost: ImprovementCost


def judge_side(
    plan: ImprovementPlan, part: str, items: Sequence[LabelledItem], prompts: Sequence[str], use: ModelUse
) -> JudgedSide:
    """Judge the items of one side in its run folder, or resume that run.

    Raises:
        ConfigurationError: No model can be reached.
    """
    cases, outputs = write_side(items, plan.out / DATA / part)
    run_settings = Plan(
        cases=cases,
        outputs=[outputs],
        out=plan.out / part,
        command=plan.command,
        judges=prompts,
        model=plan.model,
        environments=plan.environments,
        judge_parameters=plan.judge_parameters,
        prices=plan.prices,
        retry_unreadable=0,  # each time that one command opens the folder would count as a later command
    )
    conclusion = run_plan(run_settings, use.access, use.progress, use.now)
    if conclusion.not_judged is not None:
        raise ConfigurationError(conclusion.not_judged)
    with RunStore(run_settings.out) as store:
        tasks = planned_tasks(run_settings, list(store.roster))
        by_author: dict[Author, dict[ItemKey, Verdict]] = {task.id: {} for task in tasks}
        for verdict in store.verdicts.read():
            if verdict.author in by_author and verdict.repeat == 0:
                by_author[verdict.author][verdict.key] = verdict
        verdicts = [by_author[task.id] for task in tasks]
        failed = sum(verdict.outcome == "failed" for by_item in verdicts for verdict in by_item.values())
        return JudgedSide(tasks, verdicts, failed, cost_of_run(store, part, plan))


def cost_of_run(store: RunStore, part: str, plan: ImprovementPlan) -> ImprovementCost:
    """Return the cost of a run's verdicts, over all commands that resumed it."""
    verdicts = (
        verdict
        for verdict in store.verdicts.read()
        if verdict.judge is None or verdict.judge.kind != "baseline"
    )
    usages = [verdict.usage for verdict in verdicts if verdict.usage is not None]
    return ImprovementCost.of(part, len(usages), with_dollars(sum(usages, NO_USAGE), plan.model, plan.prices))
