"""Items to be judged, and the type of the fixture that judges them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from provider_server import Response

from fiducial.judges import Provider
from fiducial.records import Case, ContextItem, Output, Pair, ToolCall, Verdict

HOTEL = {
    "type": "function",
    "function": {
        "name": "book_hotel",
        "description": "Books a hotel room.",
        "parameters": {
            "type": "dict",
            "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}},
            "required": ["city", "nights"],
        },
    },
}


def make_case(number: int = 0, query: str = "Book 2 nights in Rome.", **fields: Any) -> Case:
    """A case that every judge can judge."""
    settings: dict[str, Any] = {
        "id": f"case-{number}",
        "kind": "tool_call",
        "messages": [{"role": "user", "content": f"{query} (#{number})"}],
        "tools": [HOTEL],
        "reference": {
            "calls": [{"book_hotel": {"city": ["Rome"], "nights": [2]}}],
            "answers": ["Rome", "Roma"],
            "criterion": "The answer names a city.",
            "criteria": [{"text": "The answer names a city."}],
        },
        "context": [ContextItem(id="1", request="search(city)", content="Rome is a city.")],
    }
    return Case(**settings | fields)


def make_output(number: int = 0, **fields: Any) -> Output:
    """An output of a case by `make_case`."""
    settings: dict[str, Any] = {
        "case_id": f"case-{number}",
        "system": "agent",
        "text": "I booked 2 nights in Rome.",
        "tool_calls": [ToolCall(name="book_hotel", arguments={"city": "Rome", "nights": 2})],
    }
    return Output(**settings | fields)


def make_pair(number: int = 0, first: str = "I booked 2 nights in Rome.", second: str = "Rome.") -> Pair:
    """Two outputs of a case by `make_case`."""
    outputs = [
        make_output(number, text=text, system=name) for name, text in (("agent", first), ("other", second))
    ]
    return Pair.of(*outputs)


def make_pairs(count: int) -> list[tuple[Case, Output]]:
    """Different items that call for different requests."""
    return [(make_case(number), make_output(number)) for number in range(count)]


class Judging(Protocol):
    """Type of the fixture `judging`."""

    def __call__(
        self,
        pairs: Iterable[tuple[Case, Output]],
        *,
        spec: str = ...,
        model: str = ...,
        provider: AbstractAsyncContextManager[Provider] | None = ...,
        concurrency: int = ...,
        repeats: int = ...,
        parameters: dict[str, Any] | None = ...,
        **options: Any,
    ) -> list[Verdict]: ...


class VerdictOn(Protocol):
    """Type of the fixture `verdict_on`."""

    def __call__(self, response: Response, **options: Any) -> Verdict: ...
