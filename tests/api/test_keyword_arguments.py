"""Arguments that a function does not take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import fiducial as fd
from fiducial.api.reading import import_files
from fiducial.errors import UsageError

CASE = {"id": "a", "kind": "open_answer", "messages": [{"role": "user", "content": "?"}], "reference": {"criterion": "It is right."}}  # fmt: skip
OUTPUT = {"case_id": "a", "system": "s", "text": "yes"}
ROWS = [{"item_id": "a", "judge": "j", "score": 1, "label": 1}]


CALLS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "evaluate": lambda more: fd.evaluate([CASE], [OUTPUT], **more),
    "calibrate": lambda more: fd.calibrate(ROWS, **more),
    "estimate": lambda more: fd.estimate(ROWS, **more),
    "compare": lambda more: fd.compare(ROWS, **more),
    "plan": lambda more: fd.plan(ROWS, draw=1, **more),
    "import_files": lambda more: import_files(["rows.csv"], "out", **more),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_argument_is_refused_with_the_nearest(name: str):
    with pytest.raises(UsageError, match="did you mean 'label_scale'"):
        CALLS[name]({"labels_scale": (1, 5)})


def test_how_a_model_is_reached_is_said_to_the_judge():
    with pytest.raises(UsageError, match=r"base_url= .*: it is of a judge: judges=fd\.judge\("):
        fd.evaluate([CASE], [OUTPUT], judges="rubric", model="m", base_url="http://127.0.0.1:1/v1")  # pyright: ignore[reportCallIssue]
