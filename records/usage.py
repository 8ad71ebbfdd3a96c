"""Usage of models: calls, tokens and dollars, and how they add up."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

from .case import Record

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""Number of calls, tokens or verdicts."""


class Usage(Record, frozen=True, kw_only=True):
    """Calls, tokens and dollars spent on a verdict, or on several.

    Usages add up with ``+``, and with ``sum(usages, NO_USAGE)``.
    """

    calls: Count = 1
    """Calls made."""
    prompt_tokens: Count = 0
    """Prompt tokens."""
    completion_tokens: Count = 0
    """Reply tokens."""
    cached: bool | Count = False
    """True if the reply came free, from cache or recording; in a sum, the number of such verdicts."""
    reasked: Count = 0
    """Retries of unreadable replies."""
    cached_tokens: Count = 0
    """Prompt tokens that the provider had cached, if it counts them."""
    retried: Count = 0
    """1 if a later command asked, after an unreadable reply."""
    dollars: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """US dollars; null if unknown, or if nothing was spent."""

    def __add__(self, other: Usage) -> Usage:
        """Add up two usages; the dollars are unknown if those of either's calls are."""
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached=self.cached + other.cached,
            reasked=self.reasked + other.reasked,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            retried=self.retried + other.retried,
            dollars=_total_dollars(self, other),
        )

    @property
    def paid(self) -> Usage:
        """This usage, or none if no call was made: replies from cache or recording are free."""
        return self if self.calls else NO_USAGE


NO_USAGE = Usage(calls=0)
"""Nothing spent: what sums of usages start from."""


def _total_dollars(first: Usage, second: Usage) -> float | None:
    if first.dollars is None:
        return None if first.calls else second.dollars
    if second.dollars is None:
        return None if second.calls else first.dollars
    return first.dollars + second.dollars
