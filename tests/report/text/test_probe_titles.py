"""Titles of operators and dials."""

from __future__ import annotations

from fiducial.deterministic.mutation import OPERATORS, load_dials
from fiducial.report.text.probe_titles import probe_title

WIDTH = 27
"""Columns that the screen of an audit has for a title."""


def test_every_operator_and_dial_has_a_title_of_its_own_that_fits_the_screen():
    names = [*OPERATORS, *load_dials()]
    titles = {name: probe_title(name) for name in names}
    assert [name for name, title in titles.items() if title == name or "_" in title] == []
    assert [title for title in titles.values() if len(title) > WIDTH] == []
    assert len(set(titles.values())) == len(names)


def test_a_custom_operator_has_its_name_in_words():
    assert probe_title("late_delivery") == "late delivery"
