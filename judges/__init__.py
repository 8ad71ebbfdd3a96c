"""Judges: their prompts, the way to a model (`transport`), and reading replies (`parsing`)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .baseline import baseline_judge, baseline_verdict
    from .callables import callable_judge
    from .catalogue import find_prompt, shipped_prompts
    from .cycle import Lookup, judge_output, unanswered
    from .judge import Judge, Work
    from .prompt_judge import PromptJudge, judge_work, load_judge
    from .prompt_variables import NotApplicableError, Replay
    from .reply_verdicts import read_again, rests_on_a_reply
    from .transport.batch_results import BatchResults
    from .transport.budget import Budget
    from .transport.connect import connect
    from .transport.endpoint import Endpoint
    from .transport.exchange import CallError, Provider, Reply, Request, make_request
    from .transport.reply_cache import ReplyCache, cache_key
    from .transport.stored_replies import batch_replies, cassette, replay

_NAMES_BY_MODULE = {
    "baseline": "baseline_judge baseline_verdict",
    "callables": "callable_judge",
    "catalogue": "find_prompt shipped_prompts",
    "cycle": "Lookup judge_output unanswered",
    "prompt_variables": "NotApplicableError Replay",
    "reply_verdicts": "read_again rests_on_a_reply",
    "judge": "Judge Work",
    "prompt_judge": "PromptJudge judge_work load_judge",
    "transport.batch_results": "BatchResults",
    "transport.budget": "Budget",
    "transport.reply_cache": "ReplyCache cache_key",
    "transport.connect": "connect",
    "transport.stored_replies": "batch_replies cassette replay",
    "transport.endpoint": "Endpoint",
    "transport.exchange": "CallError Provider Reply Request make_request",
}
"""Public names of each module, which is imported on first use: judges that are not asked need neither jinja nor YAML."""

__all__ = [
    "BatchResults",
    "Budget",
    "CallError",
    "Endpoint",
    "Judge",
    "Lookup",
    "NotApplicableError",
    "PromptJudge",
    "Provider",
    "Replay",
    "Reply",
    "ReplyCache",
    "Request",
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
    "replay",
    "rests_on_a_reply",
    "shipped_prompts",
    "unanswered",
]


def __getattr__(name: str) -> Any:
    module = next((module for module, names in _NAMES_BY_MODULE.items() if name in names.split()), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{module}", __name__), name)
