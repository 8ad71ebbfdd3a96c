"""Warnings point at the user's line that called the API."""

from __future__ import annotations

import asyncio
import inspect
import warnings
from typing import Any

import fiducial as fd
from fiducial.api.callers import caller_known, warn_caller

CASES: list[dict[str, Any]] = [
    {"id": name, "kind": "memory_answer", "reference": {"answers": ["Rome"]}} for name in "ab"
]


def _crash(_case: fd.Case) -> str:
    raise RuntimeError("no luck")


def _line() -> int:
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


def test_a_warning_of_crashes_points_at_the_call_in_or_outside_a_loop():
    async def notebook() -> None:
        lines.append(_line() + 1)
        fd.evaluate(CASES, _crash)
        lines.append(_line() + 1)
        await fd.aevaluate(CASES, _crash)

    lines: list[int] = []
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        lines.append(_line() + 1)
        fd.evaluate(CASES, _crash)
        asyncio.run(notebook())
    assert all("agent crashed in 2 attempts" in str(message.message) for message in warned)
    assert [(message.filename, message.lineno) for message in warned] == [(__file__, line) for line in lines]


def test_the_outermost_call_of_the_user_is_the_one_that_is_pointed_at():
    with warnings.catch_warnings(record=True) as warned, caller_known():
        warnings.simplefilter("always")
        line = _line() - 2
        with caller_known():
            warn_caller("careful", RuntimeWarning)
    assert [(message.category, message.lineno) for message in warned] == [(RuntimeWarning, line)]
