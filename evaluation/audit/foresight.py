"""What an audit would take, before a call is made."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from ...judges import Work
from ...judges.prices import PriceList
from ...records import Verdict
from ..forecast import Forecast, forecast_work
from ..inputs import EvaluationInputs
from ..judging.access import ModelAccess
from ..judging.stage import open_work
from ..judging.tasks import JudgeTask
from ..run_folder.folder import VERDICTS
from ..run_folder.journal import Journal
from ..run_folder.verdict_log import VerdictKey, settled
from .plan import AuditPlan, open_inputs, prepare, stages
from .sampling import Chosen


def foresee_audit(plan: AuditPlan, access: ModelAccess, prices: PriceList | None) -> list[Forecast]:
    """Find out what an audit would take, without a call and without a trace in its run folder.

    Args:
        plan: What is to be done.
        access: How the model would be reached.
        prices: What models cost; None when that is not known.

    Returns:
        One forecast a judge.

    Raises:
        As `run_audit`.
    """
    _, chosen, tasks = prepare(plan)
    with TemporaryDirectory() as scratch, open_inputs(plan) as inputs:
        copy = Path(scratch) / VERDICTS
        if (plan.out / VERDICTS).exists():
            copy.write_bytes((plan.out / VERDICTS).read_bytes())
        with Journal(copy, Verdict) as journal:
            done = settled(journal)
        return [
            forecast_work(task.asked, _open(plan, inputs, task, chosen, done), access, prices)
            for task in tasks
            if task.asked is not None
        ]


def _open(
    plan: AuditPlan, inputs: EvaluationInputs, task: JudgeTask, chosen: Chosen, done: Container[VerdictKey]
) -> Iterator[Work]:
    """What a judge is still to be asked in all stages, each piece once."""
    for number, (wanted, repeats) in enumerate(stages(plan, chosen)):
        for work in open_work(inputs, task, wanted, done, repeats):
            if number == 0 or work[2] > 0:
                yield work
