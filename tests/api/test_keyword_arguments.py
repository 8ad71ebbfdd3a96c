"""Arguments that a function does not take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import fiducial as fd
from fiducial.errors import UsageError

CASE = {"id": "a", "kind": "open_answer", "messages": [{"role": "user", "content": "?"}], "reference": {"criterion": "It is right."}}  # fmt: skip
OUTPUT = {"case_id": "a", "system": "s", "text": "yes"}
ROWS = [{"item_id": "a", "judge": "j", "score": 1, "label": 1}]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda more: fd.evaluate([CASE], [OUTPUT], **more), "did you mean 'label_scale'"),
        (lambda more: fd.calibrate(ROWS, **more), "did you mean 'label_scale'"),
        (lambda more: fd.estimate(ROWS, **more), "did you mean 'label_scale'"),
        (lambda more: fd.compare(ROWS, **more), "did you mean 'label_scale'"),
        (lambda more: fd.plan(ROWS, draw=1, **more), "did you mean 'label_scale'"),
    ],
    ids=["evaluate", "calibrate", "estimate", "compare", "plan"],
)  # fmt: skip
def test_an_unknown_argument_is_refused_with_the_nearest(call: Callable[[Any], Any], why: str):
    with pytest.raises(UsageError, match=why):
        call({"labels_scale": (1, 5)})


def test_how_a_model_is_reached_is_said_to_the_judge():
    with pytest.raises(UsageError, match=r"base_url= .*: it is of a judge: judges=fd\.judge\("):
        fd.evaluate([CASE], [OUTPUT], judges="rubric", model="m", base_url="http://127.0.0.1:1/v1")  # pyright: ignore[reportCallIssue]
