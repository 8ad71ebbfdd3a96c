"""The text of an agent's crash names the line of the user's code."""

from __future__ import annotations

import json

import pytest

from fiducial.evaluation.generation.agent_crash import crash_text


def test_an_exception_of_the_standard_library_is_placed_in_the_code_that_called_it():
    with pytest.raises(ValueError, match="Expecting") as raised:
        json.loads("{")
    assert "(test_agent_crash.py:" in crash_text(raised.value)


def test_an_exception_that_was_raised_nowhere_has_no_place():
    assert crash_text(ValueError("x")) == "ValueError: x"
