"""Shared by the programs: read items, ask a judge about each, and write its verdict."""

from __future__ import annotations

import asyncio
import inspect
import json
import math
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

BASE_URL = os.environ.get("OPENAI_BASE_URL", "")
MODEL = os.environ.get("TOOL_MODEL", "")
"""The model's name as the tool gets it; the server asks for another by its own."""


class ToolVerdict(NamedTuple):
    """Verdict of a tool's judge: its score, whether that passes, and the reason."""

    score: float
    passed: bool
    reason: str | None = None


def read_items() -> list[Any]:
    """Return the items of the file that is named first."""
    return [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]


def write_said(said: list[dict[str, Any]]) -> None:
    """Write what is said about the items to the file that is named second."""
    Path(sys.argv[2]).write_text("".join(json.dumps(each) + "\n" for each in said), "utf-8")


def ask_all(judges: Mapping[str, Callable[[Any], Any]]) -> None:
    """Ask the judges about each item, one after the other, and write what they say."""
    with asyncio.Runner() as runner:
        write_said(
            [{"item": item["item"], **_asked(judges[item["judge"]], item, runner)} for item in read_items()]
        )


def _asked(judge: Callable[[Any], Any], item: Any, runner: asyncio.Runner) -> dict[str, Any]:
    try:
        verdict = judge(item)
        return said_of(runner.run(verdict) if inspect.iscoroutine(verdict) else verdict)
    except Exception as error:  # noqa: BLE001 - whatever a tool raises, the item has no score
        return {"score": None, "error": f"{type(error).__name__}: {error}"[:300]}


def said_of(verdict: ToolVerdict) -> dict[str, Any]:
    """Return a verdict as it is written; what is no number is no score."""
    if not isinstance(verdict.score, int | float) or math.isnan(verdict.score):
        why = f": {verdict.reason}" if verdict.reason else ""
        return {"score": None, "error": f"the tool gave no score ({verdict.score!r}){why}"[:300]}
    return {"score": float(verdict.score), "passed": bool(verdict.passed), "reason": verdict.reason}
