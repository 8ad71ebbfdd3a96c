"""Numbers and words that callers give: refused by their name, before any work."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import fiducial as fd
from fiducial.errors import UsageError

ROWS = [
    {"item_id": f"i{n}", "judge": judge, "score": float(n % 2), "label": float(n % 3 > 0)}
    for n in range(6)
    for judge in "ab"
]
LOG = [{"question": "a", "answer": "b", "grade": 4}]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: fd.plan(half_width=0.05, prevalence=3),
            "prevalence= expects a number above 0 and below 1, got 3",
        ),
        (lambda: fd.plan(half_width=2), "half_width= expects a number above 0 and below 1, got 2"),
        (lambda: fd.plan(half_width=0.1, tpr=float("nan")), "tpr= expects a number above 0"),
        (
            lambda: fd.plan(difference=0.1, discordant=1.5),
            "discordant= expects a number above 0 and at most 1",
        ),
        (
            lambda: fd.plan(half_width=0.1, rows_per_cluster=0),
            "rows_per_cluster= expects a number of at least 1",
        ),
        (
            lambda: fd.estimate(ROWS, judge="a", level=95),
            "level expects a number above 0 and below 1, got 95",
        ),
        (lambda: fd.calibrate(ROWS, level=0), "level expects a number above 0 and below 1, got 0"),
        (lambda: fd.calibrate(ROWS, max_error=0), "max_error expects a number above 0 and below 1, got 0"),
        (lambda: fd.compare(ROWS, level=1), "level expects a number above 0 and below 1, got 1"),
        (lambda: fd.trials(ROWS, level=-1), "level expects a number above 0 and below 1, got -1"),
        (
            lambda: fd.read(LOG, label_scale="1:5"),  # pyright: ignore[reportArgumentType] - what people type
            r"label_scale expects the worst and the best grade, \(1, 5\), got '1:5'",
        ),
        (
            lambda: fd.read(LOG, unit="turns"),  # pyright: ignore[reportArgumentType] - likewise
            "unit expects 'session' or 'turn', got 'turns'",
        ),
    ],
)
def test_what_is_outside_its_range_is_refused_by_its_name(call: Callable[[], object], message: str):
    with pytest.raises(UsageError, match=message):
        call()
