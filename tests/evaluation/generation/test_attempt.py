"""Outputs that fit in no line of a file."""

from __future__ import annotations

import pytest

from fiducial.evaluation.generation.attempt import Attempt, MadeOutput, within_line_limit
from fiducial.records import MAX_LINE_BYTES, Case, Output


@pytest.mark.attack("replies of systems")
def test_an_output_that_fits_in_no_line_is_an_error_of_the_system():
    large = Output(case_id="c", system="s", text="\0" * (MAX_LINE_BYTES // 6 + 1))
    case = Case(id="c", kind="open_answer", reference={"criterion": "x"})
    made = within_line_limit(MadeOutput(large, Attempt(case=case)))
    assert made.output == Output(case_id="c", system="s", error="its output is larger than 32 MiB")
