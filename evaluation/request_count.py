"""Adds up what judging would ask, request by request."""

from __future__ import annotations

from ..judges import (
    Judge,
    NotApplicableError,
    Reply,
    ReplyCache,
    Request,
    cache_key,
    make_request,
)
from ..judges.transport.recording import ReplayProvider
from ..judges.transport.token_estimate import completion_limit, estimate_prompt
from ..records import Case, Output
from .judging.access import ModelAccess

_SHORTEST_REPLY, _LONGEST_REPLY = 5, 500
"""Tokens of a reply, where neither the request limits them nor the cache has a reply to learn from."""


class RequestCount:
    """Adds up requests; those in the cache teach how long texts and replies are in tokens.

    Args:
        access: How the model would be reached; says which cache or recording replies would come from.
        keeps: Whether a request that comes again is answered without being asked again.

    Attributes:
        keys: Different requests, by key.
        outputs: Pieces of work.
        not_applicable: Of these, how many need no request.
        cached: Requests that the cache or the recording answers.
        again: Requests like an earlier one that are asked anew.
    """

    def __init__(self, access: ModelAccess, *, keeps: bool) -> None:
        self._keeps = keeps
        usable = access.cache is not None and access.cache.exists() and access.endpoint is not None
        self._cache = ReplyCache(access.cache) if usable and access.cache else None
        self._recording = ReplayProvider(access.replay) if access.replay is not None else None
        self._namespace = access.endpoint.identity if access.endpoint else ""
        self.keys: set[bytes] = set()
        self.outputs = self.not_applicable = self.cached = self.again = 0
        self._prompt = [0.0, 0.0, 0.0]
        self._limits = [0.0, 0.0]
        self._counted = self._guessed = 0.0
        self._replies: list[int] = []

    def add(self, judge: Judge, case: Case, output: Output, repeat: int) -> None:
        """Count what one piece of work asks.

        Args:
            judge: Who judges.
            case: What was to be done.
            output: What the system produced.
            repeat: Which repetition this is.
        """
        self.outputs += 1
        try:
            messages = judge.messages(case, output)
        except NotApplicableError:
            self.not_applicable += 1
            return
        request = make_request(judge.model, messages, judge.parameters, repeat=repeat)
        key = bytes.fromhex(request.key)
        if key in self.keys:
            if not self._keeps:
                self.again += 1
                self._add_open(request)
            return
        self.keys.add(key)
        if self._recording is not None:
            self.cached += request.key in self._recording
            return
        reply = self._cache.get(cache_key(self._namespace, request)) if self._cache else None
        if reply is None:
            self._add_open(request)
        else:
            self._learn(request, reply)

    def _add_open(self, request: Request) -> None:
        for place, tokens in enumerate(estimate_prompt(request)):
            self._prompt[place] += tokens
        self._limits[0] += _SHORTEST_REPLY
        self._limits[1] += completion_limit(request) or _LONGEST_REPLY

    def _learn(self, request: Request, reply: Reply) -> None:
        self.cached += 1
        self._counted += reply.prompt_tokens
        self._guessed += estimate_prompt(request).likely
        self._replies.append(reply.completion_tokens)

    @property
    def learned_from(self) -> int:
        """Cached replies that the estimates rest on."""
        return len(self._replies)

    @property
    def prompt(self) -> tuple[float, float, float]:
        """Tokens of the messages to be sent: at least, likely, at most."""
        low, likely, high = self._prompt
        if not self._counted:
            return low, likely, high
        known = likely * self._counted / self._guessed
        return known, known, known

    @property
    def completion(self) -> tuple[float, float, float]:
        """Tokens of the replies: at least, likely, at most."""
        if not self._replies:
            low, high = self._limits
            return low, (low + high) / 2, high
        to_ask, replies = len(self.keys) - self.cached, self._replies
        return to_ask * min(replies), to_ask * sum(replies) / len(replies), to_ask * max(replies)

    def close(self) -> None:
        """Close cache and recording."""
        for kept in (self._cache, self._recording):
            if kept is not None:
                kept.close()
