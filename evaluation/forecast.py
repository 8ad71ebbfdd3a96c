"""Forecasts of the calls, cache hits, tokens and cost of judging, without any call."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from ..judges.cycle import unanswered
from ..judges.judge import Work
from ..judges.prices import PriceList, Prices
from ..judges.prompt_judge import PromptJudge
from ..judges.reply_verdicts import AskResult
from ..judges.transport.budget import Estimate, estimate_prompt
from ..judges.transport.exchange import Reply, Request
from ..records import FolderPath, ItemKey, JudgeId
from .checking.checks import check_into_folder
from .context import RunContext
from .inputs import EvaluationInputs
from .judging.access import ModelAccess
from .judging.judge_task import JudgeTask, JudgingStep
from .judging.tasks import require_work, transcripts
from .open_requests import KnownReplies, OpenTokens, cost_of
from .pipeline import planned_steps, planned_tasks
from .progress import Progress
from .run_plan import Plan
from .store.file_names import FORMS, MANIFEST, STATEMENTS, VERDICTS
from .store.run_writer import RunWriter


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """Forecast of asking one judge.

    Attributes:
        outputs: Number of verdicts still to be made.
        not_applicable: Number of these that need no request, because the output lacks an input of the judge.
        lacking: Number of these by the input that is lacking, most frequent first.
        requests: Number of different requests for the others.
        cached: Number of these that the cache, or a recording, answers.
        replayed: Whether a recording answers instead of a model.
        again: Largest number of repeated requests that are asked again. Without a cache, only equal requests in flight at the same
            time share a reply.
        if_unsure: Whether the judge is asked only about outputs of which a cheaper judge is unsure.
        prompt: Tokens of the messages of requests that are not cached.
        completion: Tokens of their replies.
        learned_from: Number of cached replies behind the estimates; 0 if they are based only on the length of the text.
    """

    by: str
    outputs: int
    not_applicable: int
    lacking: dict[str, int] = {}
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
        """True if fewer calls may suffice."""
        return self.if_unsure or self.again > 0

    @property
    def to_ask(self) -> int:
        """Number of requests that a model has to answer, at most; see `at_most`."""
        return 0 if self.replayed else self.requests - self.cached + self.again

    @property
    def cost(self) -> Estimate | None:
        """US dollars; None when the price is not known."""
        return cost_of(self.prices, self.prompt, self.completion)


def forecast_run(plan: Plan, access: ModelAccess, progress: Progress) -> list[Forecast]:
    """Forecast a plan's judges without making calls or writing to the run folder.

    Outputs are checked, and the steps are those of the run, so that the numbers are the same.

    Raises:
        InputError: An input cannot be used.
        UsageError: There is no such judge.
        ConfigurationError: No model is named.
    """
    with (
        EvaluationInputs(
            plan.cases, plan.outputs, check_options=plan.options, sharded=plan.sharded
        ) as inputs,
        copy_of_run(plan.out) as writer,
    ):
        context = RunContext(inputs, writer, progress, retry_unreadable=plan.retry_unreadable)
        if plan.options is not None:
            check_into_folder(context, plan)
        tasks = planned_tasks(plan, list(writer.roster))
        if plan.options is None:
            require_work(tasks, inputs.survey.kinds, transcripts(tasks, inputs))
        steps = planned_steps(plan, context, tasks, dry_run=True)
        forecasts = forecast_steps(steps, access, plan.prices, in_batch=plan.batch is not None)
        if plan.jury is not None and plan.jury.rule == "escalate":
            expensive_judges = _asked_if_unsure(*tasks)
            forecasts = [
                _if_unsure(forecast) if forecast.by in expensive_judges else forecast
                for forecast in forecasts
            ]
        return forecasts


def _asked_if_unsure(cheap: JudgeTask, expensive: JudgeTask) -> set[str]:
    return {task.by for task in expensive.single_tasks} - {task.by for task in cheap.single_tasks}


@contextmanager
def copy_of_run(out: FolderPath) -> Generator[RunWriter]:
    """Open a temporary copy of a run folder for writing; it is removed at the end."""
    with TemporaryDirectory() as scratch:
        for name in (MANIFEST, VERDICTS, STATEMENTS, FORMS):
            if (out / name).exists():
                with (out / name).open("rb") as original, (Path(scratch) / name).open("wb") as copy:
                    shutil.copyfileobj(original, copy)
        with RunWriter(Path(scratch), accept_edited=True) as writer:
            yield writer


def _if_unsure(forecast: Forecast) -> Forecast:
    """Return the forecast of an expensive judge, which is asked only if the cheap one is unsure.

    The lower ends of its estimates are therefore zero.
    """
    return msgspec.structs.replace(
        forecast,
        if_unsure=True,
        prompt=forecast.prompt._replace(low=0.0),
        completion=forecast.completion._replace(low=0.0),
    )


def forecast_steps(
    steps: Iterable[JudgingStep], access: ModelAccess, prices: PriceList | None, *, in_batch: bool = False
) -> list[Forecast]:
    """Forecast the judging in these steps, counting each request once.

    Later steps do not repeat requests of earlier ones, and a batch never contains a request twice.

    Returns:
        One forecast per judge that asks a model, in the order in which they are first asked.
    """
    reuses = in_batch or access.cache is not None or access.replay is not None
    counters: dict[JudgeId, _RequestCounter] = {}
    with KnownReplies(access) as replies:
        for step in steps:
            for task in step.tasks:
                if task.prompt_judge is not None:
                    done = task.settled(step.context)
                    counter = counters.setdefault(
                        task.id, _RequestCounter(task.prompt_judge, replies, reuses=reuses)
                    )
                    counter.add(step.work(task, done))
        return [counter.forecast(prices) for counter in counters.values()]


class _RequestCounter:
    """Counter of one judge's requests, with tokens estimated from cached replies."""

    def __init__(self, judge: PromptJudge, known_replies: KnownReplies, *, reuses: bool) -> None:
        self._judge = judge
        self._known_replies = known_replies
        self._reuses = reuses
        """Whether a repeated request gets the reply to the first one."""
        self._work_counted = set[tuple[ItemKey, int]]()
        self._request_keys = set[bytes]()
        self._first_requests = self._cached = self._asked_again = 0
        self._open = OpenTokens()
        # Prompt tokens of cached replies, as the provider counted and as we estimate them.
        self._counted_tokens = self._estimated_tokens = 0.0
        self._reply_lengths: list[int] = []
        self._lacking = Counter[str]()

    def add(self, work: Iterable[Work]) -> None:
        """Count the requests of pieces of work that were not counted yet."""
        for request in unanswered(self._judge, self._uncounted(work), self._look_up, self._count_if_lacking):
            key = bytes.fromhex(request.key)
            if request.anew:  # the cached reply, which `_look_up` counted, cannot be read
                self._cached -= 1
                self._open.add(request)
            elif key not in self._request_keys:
                self._request_keys.add(key)
                self._open.add(request)
            elif not self._reuses:
                self._asked_again += 1
                self._open.add(request)

    def _count_if_lacking(self, result: AskResult) -> None:
        if result.outcome == "not_applicable":
            self._lacking[result.reason or ""] += 1

    def _uncounted(self, work: Iterable[Work]) -> Iterator[Work]:
        for case, output, repeat in work:
            if (output.key, repeat) not in self._work_counted:
                self._work_counted.add((output.key, repeat))
                yield case, output, repeat

    def _look_up(self, request: Request) -> Reply | None:
        """Return the cached reply to a request, or None without one, or if the request is repeated."""
        if request.anew:
            return None
        is_first, key = request.attempt == 0, bytes.fromhex(request.key)
        self._first_requests += is_first
        if key in self._request_keys:
            return None
        if self._known_replies.recording is not None:  # it answers everything, so nothing is asked
            self._request_keys.add(key)
            self._cached += request.key in self._known_replies.recording
            return None
        reply = self._known_replies(request)
        if reply is not None and is_first:
            self._request_keys.add(key)
            self._learn(request, reply)
        return reply

    def _learn(self, request: Request, reply: Reply) -> None:
        self._cached += 1
        self._counted_tokens += reply.prompt_tokens
        self._estimated_tokens += estimate_prompt(request).likely
        self._reply_lengths.append(reply.completion_tokens)

    def forecast(self, prices: PriceList | None) -> Forecast:
        return Forecast(
            by=self._judge.by,
            outputs=len(self._work_counted),
            not_applicable=len(self._work_counted) - self._first_requests,
            lacking=dict(self._lacking.most_common()),
            requests=len(self._request_keys),
            cached=self._cached,
            replayed=self._known_replies.recording is not None,
            again=self._asked_again,
            prompt=self._prompt_tokens(),
            completion=self._completion_tokens(),
            learned_from=len(self._reply_lengths),
            prices=None if prices is None else prices(self._judge.model),
        )

    def _prompt_tokens(self) -> Estimate:
        if not self._counted_tokens:
            return self._open.prompt
        # The ratio of counted to estimated tokens of cached requests corrects the estimate of the others.
        prompt_tokens = self._open.prompt.likely * self._counted_tokens / self._estimated_tokens
        return Estimate(prompt_tokens, prompt_tokens, prompt_tokens)

    def _completion_tokens(self) -> Estimate:
        if not self._reply_lengths:
            return self._open.completion
        to_ask, lengths = len(self._request_keys) - self._cached, self._reply_lengths
        return Estimate(to_ask * min(lengths), to_ask * sum(lengths) / len(lengths), to_ask * max(lengths))
