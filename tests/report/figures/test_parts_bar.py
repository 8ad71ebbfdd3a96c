from __future__ import annotations

import re

from fiducial.report.figures.drawing import WIDTH
from fiducial.report.figures.parts_bar import parts_bar


def test_parts_fill_the_bar_by_their_numbers_and_a_reader_hears_each():
    figure = str(parts_bar("Failures", [("crashed", 30), ("wrong <value>", 10)]))
    widths = [float(found_text) for found_text in re.findall(r'<rect [^>]*? width="([\d.]+)"', figure)]
    assert [round(width + 1) for width in widths] == [round(WIDTH * share) for share in (0.75, 0.25)]
    assert "<title>crashed: 30 of 40</title>" in figure
    assert "wrong &lt;value&gt;: 10" in figure


def test_what_nothing_tested_found_is_grey():
    figure = str(parts_bar("Failures", [("crashed", 30), ("failed by j", 10)], ["failed by j"]))
    assert re.findall(r'<rect class="(\w+)"', figure) == ["differ", "untested"]


def test_nothing_is_drawn_of_nothing():
    assert parts_bar("Failures", []) == ""
