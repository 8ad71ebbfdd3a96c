"""Judges: prompt templates, the way to a model and back, reply parsing, the reply cache."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .baseline import WordJudge, baseline_judge, baseline_verdict
    from .callables import FunctionJudge, callable_judge
    from .catalogue import PromptName, find_prompt, shipped_prompts
    from .cycle import Lookup, Work, judge_output, unanswered
    from .fillers import NotApplicableError, Replay
    from .findings import Finding, read_again, read_reply, rests_on_a_reply
    from .judge import Judge, PromptJudge, Way, judge_work, load_judge
    from .transport.batch_results import BatchResults
    from .transport.budget import Budget
    from .transport.cache import ReplyCache, cache_key
    from .transport.connect import batch_replies, cassette, connect, replay
    from .transport.endpoint import Endpoint
    from .transport.exchange import CallError, Provider, Reply, Request, make_request

_HOME = {
    "BatchResults": "transport.batch_results",
    "Budget": "transport.budget",
    "CallError": "transport.exchange",
    "Endpoint": "transport.endpoint",
    "Finding": "findings",
    "FunctionJudge": "callables",
    "Judge": "judge",
    "Lookup": "cycle",
    "NotApplicableError": "fillers",
    "PromptJudge": "judge",
    "PromptName": "catalogue",
    "Provider": "transport.exchange",
    "Replay": "fillers",
    "Reply": "transport.exchange",
    "ReplyCache": "transport.cache",
    "Request": "transport.exchange",
    "Way": "judge",
    "WordJudge": "baseline",
    "Work": "cycle",
    "baseline_judge": "baseline",
    "baseline_verdict": "baseline",
    "batch_replies": "transport.connect",
    "cache_key": "transport.cache",
    "callable_judge": "callables",
    "cassette": "transport.connect",
    "connect": "transport.connect",
    "find_prompt": "catalogue",
    "judge_output": "cycle",
    "judge_work": "judge",
    "load_judge": "judge",
    "make_request": "transport.exchange",
    "read_again": "findings",
    "read_reply": "findings",
    "rests_on_a_reply": "findings",
    "replay": "transport.connect",
    "shipped_prompts": "catalogue",
    "unanswered": "cycle",
}

__all__ = [
    "BatchResults",
    "Budget",
    "CallError",
    "Endpoint",
    "Finding",
    "FunctionJudge",
    "Judge",
    "Lookup",
    "NotApplicableError",
    "PromptJudge",
    "PromptName",
    "Provider",
    "Replay",
    "Reply",
    "ReplyCache",
    "Request",
    "Way",
    "WordJudge",
    "Work",
    "baseline_judge",
    "baseline_verdict",
    "batch_replies",
    "cache_key",
    "callable_judge",
    "cassette",
    "connect",
    "find_prompt",
    "judge_output",
    "judge_work",
    "load_judge",
    "make_request",
    "read_again",
    "read_reply",
    "replay",
    "rests_on_a_reply",
    "shipped_prompts",
    "unanswered",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)
