"""Two versions of a text drawn as one."""

from __future__ import annotations

import pytest

from fiducial.report.document import as_html, as_lines
from fiducial.report.text_change import TextChange


def test_what_was_taken_out_and_put_in_is_marked_word_by_word():
    change = TextChange("Pay 9.90 euros.", "Pay 12.90 euros.", "another price")
    assert "Pay <del>9</del><ins>12</ins>.90 euros." in as_html([change])
    (line,) = as_lines([change])
    assert line.endswith("(another price): Pay [-9-]{+12+}.90 euros.")


def test_texts_too_long_to_compare_are_shown_one_after_the_other():
    before, after = "a " * 1_500, "b " * 1_500
    assert as_html([TextChange(before, after)]).count("<del>") == 1


def test_equal_versions_say_what_changed_elsewhere():
    text = as_html([TextChange("same", "same", "one more function offered")])
    assert "one more function offered" in text
    assert "<ins>" not in text


@pytest.mark.attack("terminal and report")
def test_hostile_versions_are_escaped():
    hostile = "<script>alert(1)</script>\u202e<img src=x onerror=alert(1)>"
    text = as_html([TextChange("right", hostile, hostile)])
    assert "<script" not in text
    assert "<img" not in text
    assert "\u202e" not in text
