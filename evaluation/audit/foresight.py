"""What an audit would take, before a call is made."""

from __future__ import annotations

from ...judges.prices import PriceList
from ..context import RunContext
from ..forecast import Forecast, copy_of_run, forecast_steps
from ..judging.access import ModelAccess
from ..progress import Silent
from .plan import AuditPlan, open_inputs, prepare, steps


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
    with open_inputs(plan) as inputs, copy_of_run(plan.out) as folder:
        asked = steps(plan, RunContext(inputs, folder, Silent()), tasks, chosen)
        return forecast_steps(asked, access, prices, in_batch=plan.batch is not None)
