"""Steps that complete outputs: what is missing is counted and named."""

from __future__ import annotations

import pytest
from found_results import systems

from fiducial.evaluation.conclusion.run_summary import RunSummary
from fiducial.report.incomplete_outputs import add_missing


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["a", "b"], "4 outputs are missing: a has none for 2 cases and b has none for 2 cases."),
        (["a", "b", "c", "d"], "4 systems lack outputs, 8 in all."),
    ],
)
def test_missing_outputs_are_counted_for_each_system(names: list[str], told: str):
    answer = add_missing(RunSummary(systems=systems(*names, missing=2)))
    assert answer is not None
    assert answer.text.startswith(told)


@pytest.mark.parametrize(
    ("missing", "command", "told"),
    [
        (1, "fiducial run X", "1 case has no output (chat-6). Add one, or an `error`, and rerun with a new --out."),
        (2, "fiducial run X", "2 cases have no output (such as chat-6). Add them, or an `error`, and rerun with a new --out."),
        (1, "fiducial.evaluate", "1 case has no output (chat-6). Add one, or an `error`, and rerun with a new out."),
    ],
)  # fmt: skip
def test_a_case_without_an_output_is_named(missing: int, command: str, told: str):
    lacking = systems("a", missing=missing, missing_case="chat-6")
    answer = add_missing(RunSummary(systems=lacking, command=command))
    assert answer is not None
    assert answer.text == told


def test_a_long_id_is_cut():
    answer = add_missing(RunSummary(systems=systems("a", missing=1, missing_case="x" * 500)))
    assert answer is not None
    assert len(answer.text) < 200
