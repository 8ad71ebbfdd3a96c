"""Titles of operators and dials."""

from __future__ import annotations

from fiducial.deterministic.mutation import OPERATORS, load_dials
from fiducial.report.text.probe_text import probe_title, with_title

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


def test_a_sentence_has_the_title_in_place_of_the_name_and_its_other_words_stay():
    for name in (*OPERATORS, *load_dials()):
        assert with_title(f"catches 0.3 of {name}: {name} kept", name) == (
            f'catches 0.3 of "{probe_title(name)}": {name} kept'
        )
    assert (
        with_title("turns breaks 12 (turns): many", "turns") == '"long conversation" breaks 12 (turns): many'
    )
    assert with_title("off_by_one_day and off_by_one", "off_by_one") == (
        'off_by_one_day and "number off by one"'
    )
    assert with_title("the output shown first is chosen", "length") == "the output shown first is chosen"
