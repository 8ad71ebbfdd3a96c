"""The 26 configurations of format sensitivity."""

from __future__ import annotations

import pytest

from fiducial.formats.bfcl import CONFIGURATIONS, Configuration, parse_sensitivity_id


def test_there_are_26_different_configurations():
    assert len({configuration.id for configuration in CONFIGURATIONS}) == 26


def test_the_document_form_changes_fastest_and_the_return_format_slowest():
    assert CONFIGURATIONS[0] == Configuration(ret_fmt="python", tool_call_tag=True, func_doc_fmt="python")
    assert CONFIGURATIONS[1] == Configuration(ret_fmt="python", tool_call_tag=True, func_doc_fmt="xml")
    assert CONFIGURATIONS[3].tool_call_tag is False
    assert CONFIGURATIONS[6].ret_fmt == "json"


def test_an_id_comes_apart_and_together_again():
    text = f"format_sensitivity_27:{CONFIGURATIONS[1].id}:simple_python_2"
    parts = parse_sensitivity_id(text)
    assert (parts.number, parts.configuration, parts.original) == (27, CONFIGURATIONS[1], "simple_python_2")
    assert str(parts) == text


@pytest.mark.parametrize("text", ["simple_python_2", "format_sensitivity_0:ret_fmt=yaml:x_0", "a_0:b:"])
def test_an_id_of_another_form_is_refused(text: str):
    with pytest.raises(ValueError, match="is not of the form"):
        parse_sensitivity_id(text)
