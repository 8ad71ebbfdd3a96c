"""What the programs share: read items, ask a judge about each, and write what it says."""

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
    """What a judge of a tool says: its score, whether that passes by its own rule, and why."""

    score: float
    passed: bool
    reason: str | None = None


def ask_all(judges: Mapping[str, Callable[[Any], Any]]) -> None:
    """Ask the judges about the items of the file that is named first, and write verdicts to the second."""
    source, target = map(Path, sys.argv[1:3])
    with source.open(encoding="utf-8") as items, target.open("w", encoding="utf-8") as said:
        for line in items:
            item = json.loads(line)
            said.write(json.dumps({"item": item["item"], **_asked(judges[item["judge"]], item)}) + "\n")
            said.flush()


def _asked(judge: Callable[[Any], Any], item: Any) -> dict[str, Any]:
    try:
        verdict = judge(item)
        if inspect.isawaitable(verdict):
            verdict = asyncio.run(verdict)
        if not isinstance(verdict.score, int | float) or math.isnan(verdict.score):
            return {"score": None, "error": f"the tool gave no score: {verdict.score!r}"[:300]}
        return {"score": float(verdict.score), "passed": bool(verdict.passed), "reason": verdict.reason}
    except Exception as error:  # noqa: BLE001 - whatever a tool raises, the item has no score
        return {"score": None, "error": f"{type(error).__name__}: {error}"[:300]}
