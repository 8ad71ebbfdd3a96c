"""Forecasts of the calls, tokens, cost and cache hits of a generation."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ...judges.prices import PriceList, Prices
from ...judges.transport.budget import Estimate
from ...judges.transport.exchange import CallError, Reply, Request
from ...records import AgentStep, Case, CaseFiles, CaseIndex, InputPath, ItemKey, Output, SimulatedUser
from ..open_requests import KnownReplies, OpenTokens, cost_of
from ..store.journal import Journal
from .attempt import NoOutputError
from .binding import bind, name_beside
from .model_agent import ModelAgent
from .output_sources import AskedModel, OutputSource
from .scene import Converse, Scene


class GenerationForecast(msgspec.Struct, frozen=True, kw_only=True):
    """Forecast of a generation.

    Attributes:
        system: Name of the system.
        wanted: Attempts to make: cases times trials.
        kept: Existing outputs.
        asks_model: True for a model; False for a custom agent, whose calls are unknown.
        passed_over: Attempts that a model cannot make, or without a reply in a recording, by reason.
        answered: Attempts that the cache or the recording answers completely.
        conversations: Attempts in which the model decides the number of steps.
        histories: Attempts with preceding conversations, whose calls are not counted.
        calls: Minimum number of calls.
        most: Maximum number of calls, or None if unknown.
        prompt: Tokens of the first messages without a cached reply.
        completion: Tokens of the replies to these messages.
        prices: The model's prices, or None if unknown.
    """

    system: str
    wanted: int
    kept: int
    asks_model: bool = True
    passed_over: dict[str, int] = {}
    answered: int = 0
    conversations: int = 0
    histories: int = 0
    calls: int = 0
    most: int | None = 0
    prompt: Estimate = Estimate(0, 0, 0)
    completion: Estimate = Estimate(0, 0, 0)
    prices: Prices | None = None

    @property
    def exact(self) -> bool:
        """True if the number of calls, and so of tokens, is known."""
        return self.most == self.calls

    @property
    def cost(self) -> Estimate | None:
        """US dollars for these tokens, or None if the price is unknown."""
        return cost_of(self.prices, self.prompt, self.completion)


def forecast_generation(
    source: OutputSource,
    cases: CaseFiles,
    out: InputPath,
    prices: PriceList | None,
    *,
    trials: int = 1,
    again: bool = False,
) -> GenerationForecast:
    """Forecast a generation without making calls or writing files.

    ``out`` is the outputs file; outputs in it count as kept.

    Raises:
        InputError: A case cannot be used.
        RunFolderError: Existing outputs have other settings, and ``again`` is not given.
    """
    with CaseIndex(cases, source.examine) as index:
        keys = [ItemKey(case_id, source.system, trial) for case_id in index for trial in range(trials)]
        existing = set[ItemKey]() if again else _existing_keys(out)
        if isinstance(out, Path) and any(key.system == source.system for key in existing):
            settings = out.with_name(name_beside(out, "generation.json"))
            bind(settings, source.system, source.facts, has_outputs=True, code=source.code, writing=False)
        kept = existing.intersection(keys)
        missing = ((index[key.case_id], key.trial) for key in keys if key not in kept)
        return forecast_attempts(source, missing, prices, wanted=len(keys), existing=len(kept))


def forecast_attempts(
    source: OutputSource,
    missing: Iterable[tuple[Case, int]],
    prices: PriceList | None,
    *,
    wanted: int,
    existing: int,
) -> GenerationForecast:
    """Forecast the missing attempts; ``existing`` of those wanted have an output."""
    forecast = GenerationForecast(
        system=source.system, wanted=wanted, kept=existing, asks_model=source.model is not None
    )
    if source.model is None:
        return forecast
    with KnownReplies(source.model.access) as replies:
        counter = _CallCounter(source.model, replies)
        asyncio.run(counter.count(missing))
    return counter.added_to(forecast, prices)


def _existing_keys(out: InputPath) -> set[ItemKey]:
    if isinstance(out, Path) and not out.exists():
        return set()
    with Journal(out, Output, writing=False) as outputs:
        return {output.key for output in outputs}


class _NotAskedError(CallError):
    """Error raised in place of a call to a model or a world, which a forecast does not make."""

    def __init__(self) -> None:
        super().__init__("not asked")
        self.calls = 0  # nothing was sent, unlike for other errors of calls


class _CallCounter:
    """Counter of a model's calls; it runs attempts up to the first unknown reply."""

    def __init__(self, model: AskedModel, known_replies: KnownReplies) -> None:
        self._model = model
        self._known_replies = known_replies
        # The counter is both the agent's provider of replies and its scenes.
        self._agent = ModelAgent(model.settings, self, self)
        self._reply_count = 0
        """Known replies of the current attempt."""
        self._has_scene = self._has_history = False
        self._counts: Counter[str] = Counter()  # by name of the forecast's field
        self._passed_over: Counter[str] = Counter()
        self._open_tokens = OpenTokens()

    async def count(self, attempts: Iterable[tuple[Case, int]]) -> None:
        for case, trial in attempts:
            if case.user is not None:
                self._add_dialogue(case.user)
                continue
            self._reply_count, self._has_scene, self._has_history = 0, False, False
            try:
                await self._agent.work(case, trial)
            except NoOutputError as error:
                self._passed_over[str(error)] += 1
            except _NotAskedError:
                self._add_attempt(len(case.turns))
            except CallError as error:  # a recording has no reply to it
                self._passed_over[str(error)] += 1
            else:
                self._counts["answered"] += 1

    def _add_attempt(self, turns: int) -> None:
        """Count an attempt that known replies do not bring to its end."""
        # Each turn without a known reply takes at least one call; without any known reply, one is sure. After a known
        # reply in a scene none is: what follows depends on results of calls, and may be known, too.
        min_calls = max(turns - self._reply_count, int(not self._reply_count))
        self._counts["conversations"] += self._has_scene
        self._counts["histories"] += self._has_history
        self._counts["calls"] += min_calls
        steps = self._model.settings.steps_per_turn if self._has_scene else 1
        self._counts["most"] += max(min_calls, turns * steps - self._reply_count)

    def _add_dialogue(self, user: SimulatedUser) -> None:
        """Count a conversation with a simulated user: at least one call of each, none cached."""
        self._counts["conversations"] += 1
        self._counts["calls"] += 2
        # In each turn one call of the user's model, and at most this many of the agent's.
        self._counts["most"] += user.max_turns * (1 + self._model.settings.steps_per_turn)

    async def complete(self, request: Request) -> Reply:
        """Answer from known replies, or count the request; see `Provider.complete`."""
        if self._known_replies.recording is not None:
            return await self._known_replies.recording.complete(request)
        reply = self._known_replies(request)
        if reply is None:
            self._open_tokens.add(request)
            raise _NotAskedError
        self._reply_count += 1
        return reply

    async def aclose(self) -> None:
        """Do nothing; see `Provider.aclose`."""

    def examine(self, case: Case) -> None:
        """Validate a case; see `Scenes.examine`."""

    async def scene(self, case: Case, trial: int, converse: Converse) -> Scene | None:
        """Return the scene of an attempt; see `Scenes.scene`.

        Conversations that precede a case do not take place, since they would write its memory.
        """
        if case.reference.get("history") is not None:
            self._has_scene = self._has_history = True
            return _IdleScene(None)
        scene = await self._model.scenes.scene(case, trial, converse)
        self._has_scene = scene is not None
        return None if scene is None else _IdleScene(scene.shown)

    def added_to(self, forecast: GenerationForecast, prices: PriceList | None) -> GenerationForecast:
        return msgspec.structs.replace(
            forecast,
            **{name: self._counts[name] for name in ("answered", "conversations", "histories", "calls")},
            passed_over=dict(self._passed_over),
            most=None if self._counts["histories"] else self._counts["most"],
            prompt=self._open_tokens.prompt,
            completion=self._open_tokens.completion,
            prices=None if prices is None else prices(self._model.settings.model),
        )


class _IdleScene:
    """Scene in which no call is executed, since some worlds would call a service."""

    def __init__(self, shown: Case | None) -> None:
        self.shown = shown

    async def execute(self, step: AgentStep) -> list[str] | None:
        del step
        raise _NotAskedError
