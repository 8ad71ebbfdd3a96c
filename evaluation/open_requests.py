"""Cost of pending requests: replies that exist, and tokens and cost of the others."""

from __future__ import annotations

from ..judges.prices import Prices
from ..judges.transport.budget import Estimate, completion_limit, estimate_prompt
from ..judges.transport.exchange import Reply, Request
from ..judges.transport.recording import ReplayProvider
from ..judges.transport.reply_cache import ReplyCache, cache_key
from ..records import Closing
from .judging.access import ModelAccess

_MIN_REPLY_LENGTH, _MAX_REPLY_LENGTH = 5, 500
"""Tokens assumed for a reply: the minimum, and the maximum if the request sets no limit."""


class KnownReplies(Closing):
    """Replies that exist already, in the recording to be replayed or in the cache."""

    def __init__(self, access: ModelAccess) -> None:
        path = access.cache if access.endpoint is not None else None
        self._cache = ReplyCache(path) if path is not None and path.exists() else None
        self._namespace = access.namespace
        self.recording = ReplayProvider(access.replay) if access.replay is not None else None

    def __call__(self, request: Request) -> Reply | None:
        """Return a request's cached reply, or None without one, or if it bypasses the cache."""
        if request.anew:
            return None
        return self._cache.get(cache_key(self._namespace, request)) if self._cache else None

    def close(self) -> None:
        """Close cache and recording."""
        for source in (self._cache, self.recording):
            if source is not None:
                source.close()


def cost_of(prices: Prices | None, prompt: Estimate, completion: Estimate) -> Estimate | None:
    """Return the cost of tokens in US dollars, or None if prices are unknown."""
    if prices is None:
        return None
    return Estimate(*map(prices.cost, prompt, completion))


class OpenTokens:
    """Sum of the tokens of requests that have no reply yet."""

    def __init__(self) -> None:
        self._prompt = [0.0, 0.0, 0.0]  # in the order of `Estimate`
        self._min_completion = self._max_completion = 0.0

    def add(self, request: Request) -> None:
        """Count a request."""
        for bound, tokens in enumerate(estimate_prompt(request)):
            self._prompt[bound] += tokens
        self._min_completion += _MIN_REPLY_LENGTH
        self._max_completion += completion_limit(request) or _MAX_REPLY_LENGTH

    @property
    def prompt(self) -> Estimate:
        """Tokens of the messages."""
        return Estimate(*self._prompt)

    @property
    def completion(self) -> Estimate:
        """Tokens of the replies."""
        low, high = self._min_completion, self._max_completion
        return Estimate(low, (low + high) / 2, high)
