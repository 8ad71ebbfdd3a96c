"""What judging would take - calls, tokens, money, and what the cache has already - before a call is made."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from ..judges import Judge, Work
from ..judges.prices import PriceList, Prices
from ..judges.transport.token_estimate import Estimate
from .checking.stage import check_into_folder
from .context import RunContext
from .inputs import EvaluationInputs
from .judging.access import ModelAccess
from .judging.stage import open_work
from .judging.tasks import refuse_idle
from .pipeline import Plan, planned_tasks, wanted_outputs
from .progress import Progress
from .request_count import RequestCount
from .run_folder.folder import MANIFEST, STATEMENTS, VERDICTS, RunFolder
from .run_folder.verdict_log import settled
from .statements.forecast import foreseen_work


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What asking one judge would take.

    Attributes:
        by: The judge.
        outputs: Verdicts still to be made.
        not_applicable: Of these, how many need no request, since the item lacks what the judge judges by.
        requests: Different requests among the rest.
        cached: Of the requests, how many the cache answers, or the recording.
        replayed: Whether a recording answers, and no model.
        again: Requests like an earlier one that are asked anew, since without a cache only those in flight at the same time share a
            reply; how many these will be, nobody knows.
        if_unsure: Whether only those are asked that a cheaper judge leaves open.
        prompt: Tokens of the others' messages.
        completion: Tokens of their replies.
        learned_from: Cached replies that the estimates rest on; 0 when they rest on the length of the text alone.
        prices: The model's prices; None when they are not known.
    """

    by: str
    outputs: int
    not_applicable: int
    requests: int
    cached: int
    replayed: bool
    again: int
    prompt: Estimate
    completion: Estimate
    learned_from: int
    prices: Prices | None
    if_unsure: bool = False

    @property
    def at_most(self) -> bool:
        """Whether fewer calls may do."""
        return self.if_unsure or self.again > 0

    @property
    def to_ask(self) -> int:
        """Requests that a model has to answer; at most, where some are asked anew."""
        return 0 if self.replayed else self.requests - self.cached + self.again

    @property
    def cost(self) -> Estimate | None:
        """US dollars; None when the price is not known."""
        if self.prices is None:
            return None
        pairs = zip(self.prompt, self.completion, strict=True)
        low, likely, high = (self.prices.cost(prompt, completion) for prompt, completion in pairs)
        return Estimate(low, likely, high)


def foresee(plan: Plan, access: ModelAccess, progress: Progress) -> list[Forecast]:
    """Find out what a plan's judges would take, without a call and without a trace in the run folder.

    What no checker decided is found by checking, so that the numbers are those of the run itself.

    Args:
        plan: What is to be done.
        access: How the model would be reached; says which cache replies would come from.
        progress: Told about every piece of work.

    Returns:
        One forecast a judge.

    Raises:
        InputError: An input cannot be used.
        UsageError: There is no such judge.
        ConfigurationError: No model is named.
    """
    with (
        TemporaryDirectory() as scratch,
        EvaluationInputs(plan.cases, plan.outputs, checked=plan.options) as inputs,
    ):
        if isinstance(plan.out, Path) and (plan.out / VERDICTS).exists():
            shutil.copytree(plan.out, scratch, dirs_exist_ok=True, ignore=_all_but_the_run)
        with RunFolder(Path(scratch)) as folder:
            context = RunContext(inputs, folder, progress)
            if plan.options is not None:
                check_into_folder(context, plan.names, plan.options)
            tasks = planned_tasks(plan)
            if plan.options is None:
                refuse_idle(tasks, inputs.survey.kinds)
            wanted = wanted_outputs(plan, context, tasks)
            done = settled(folder.verdicts)
            forecasts: list[Forecast] = []
            for task in tasks:
                if task.splitter is not None:
                    work = foreseen_work(context, task, wanted, plan.repeats)
                elif task.asked is not None:
                    work = [(task.asked, open_work(inputs, task, wanted, done, plan.repeats))]
                else:
                    continue
                forecasts += [
                    forecast_work(judge, items, access, plan.prices, in_batch=plan.batch is not None)
                    for judge, items in work
                ]
            if plan.jury is not None and plan.jury.rule == "escalate":
                forecasts[-1:] = map(_if_unsure, forecasts[-1:])
            return forecasts


def _if_unsure(forecast: Forecast) -> Forecast:
    """What a dear judge takes, which is asked about nothing when the cheap one is sure of everything."""
    return msgspec.structs.replace(
        forecast,
        if_unsure=True,
        prompt=forecast.prompt._replace(low=0.0),
        completion=forecast.completion._replace(low=0.0),
    )


def _all_but_the_run(_folder: str, names: list[str]) -> Iterable[str]:
    return [name for name in names if name not in {MANIFEST, VERDICTS, STATEMENTS}]


def forecast_work(
    judge: Judge,
    work: Iterable[Work],
    access: ModelAccess,
    prices: PriceList | None,
    *,
    in_batch: bool = False,
) -> Forecast:
    """Find out what asking one judge would take.

    Args:
        judge: The judge.
        work: What it would be asked.
        access: How the model would be reached; says which cache replies would come from.
        prices: What models cost; None when that is not known.
        in_batch: Whether a batch endpoint would be asked, which is asked nothing twice.

    Returns:
        The forecast.
    """
    count = RequestCount(access, keeps=in_batch or access.cache is not None or access.replay is not None)
    try:
        for case, output, repeat in work:
            count.add(judge, case, output, repeat)
    finally:
        count.close()
    return Forecast(
        by=judge.by,
        outputs=count.outputs,
        not_applicable=count.not_applicable,
        requests=len(count.keys),
        cached=count.cached,
        replayed=access.replay is not None,
        again=count.again,
        prompt=Estimate(*count.prompt),
        completion=Estimate(*count.completion),
        learned_from=count.learned_from,
        prices=None if prices is None else prices(judge.model),
    )
