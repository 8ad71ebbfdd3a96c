"""Attempts: outputs that fit in no line of a file, and time."""

from __future__ import annotations

import pytest

from fiducial.evaluation.generation.attempt import Attempt, MadeOutput, attempt_row, within_line_limit
from fiducial.records import MAX_LINE_BYTES, Case, Output


@pytest.mark.attack("replies of systems")
def test_an_output_that_fits_in_no_line_is_an_error_of_the_system():
    large = Output(case_id="c", system="s", text="\0" * (MAX_LINE_BYTES // 6 + 1))
    case = Case(id="c", kind="open_answer", reference={"criterion": "x"})
    made = within_line_limit(MadeOutput(large, Attempt(case=case)))
    assert made.output == Output(case_id="c", system="s", error="its output is larger than 32 MiB")


def test_the_time_in_which_an_agent_worked_is_counted(monkeypatch: pytest.MonkeyPatch):
    clock = iter([10.0, 12.5, 20.0, 20.25])
    monkeypatch.setattr("fiducial.evaluation.generation.attempt.monotonic", lambda: next(clock))
    attempt = Attempt(case=Case(id="c", kind="open_answer"))
    with attempt.timed():
        pass
    with pytest.raises(ValueError, match="no"), attempt.timed():
        raise ValueError("no")
    made = MadeOutput(Output(case_id="c", system="s", text="x"), attempt)
    assert attempt_row(made).seconds == 2.75
