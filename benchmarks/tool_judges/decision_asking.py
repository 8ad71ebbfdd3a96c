"""This project's questions to a decision model, in the dialect systemone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from typing import Any

import fiducial as fd

from .drawn_outputs import DrawnItem
from .tool_process import TOOL_MODEL, ToolRound


def ask_decisions(items: Sequence[DrawnItem], base_url: str) -> ToolRound:
    """Ask the questions about some items at an address, and return what is said of each."""
    with ExitStack() as exits:
        judges = {
            name: exits.enter_context(closing(_judge(name, base_url)))
            for name in dict.fromkeys(item.judge for item in items)
        }
        return ToolRound([_said(number, each, judges[each.judge]) for number, each in enumerate(items)], [])


def _judge(name: str, base_url: str) -> Any:
    return fd.judge(name, model=TOOL_MODEL, api="systemone", base_url=base_url, api_key="none", cache=False)


def _said(number: int, item: DrawnItem, judge: Any) -> dict[str, Any]:
    verdict = judge(item.drawn.case, item.drawn.output)
    if verdict.score is None:
        return {"item": number, "score": None, "error": f"{verdict.outcome}: {verdict.reason}"[:300]}
    passed = verdict.score >= judge.pass_at
    return {"item": number, "score": verdict.score, "passed": passed, "reason": verdict.reason}
