from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from markupsafe import Markup

from fiducial.report.figures import axis, confusion, interval_strip


def _parts(svg: Markup, kind: str) -> list[dict[str, str]]:
    return [node.attrib for node in ET.fromstring(str(svg)).iter() if node.get("class") == kind]


def test_the_dot_stands_where_the_value_is():
    left = float(_parts(interval_strip(0.0, None, None), "dot")[0]["cx"])
    right = float(_parts(interval_strip(1.0, None, None), "dot")[0]["cx"])
    middle = float(_parts(interval_strip(0.5, None, None), "dot")[0]["cx"])
    assert middle == pytest.approx((left + right) / 2)


def test_an_axis_may_begin_below_zero():
    dot = _parts(interval_strip(0.0, -0.5, 0.5, floor=-1.0), "dot")[0]
    track = _parts(interval_strip(0.0, -0.5, 0.5, floor=-1.0), "track")[0]
    assert float(dot["cx"]) == pytest.approx((float(track["x1"]) + float(track["x2"])) / 2)


def test_nothing_is_drawn_for_what_is_undefined():
    empty = interval_strip(None, None, None)
    assert not _parts(empty, "dot")
    assert not _parts(empty, "whisker")
    assert 'aria-label="no value"' in empty


def test_values_outside_the_axis_stay_in_the_figure():
    strip = interval_strip(0.98, -0.2, 1.3)
    whisker, track = _parts(strip, "whisker")[0], _parts(strip, "track")[0]
    assert (whisker["x1"], whisker["x2"]) == (track["x1"], track["x2"])
    assert "interval -0.20 to 1.30" in strip


def test_a_screen_reader_hears_the_numbers():
    assert 'aria-label="0.71, interval 0.68 to 0.74"' in interval_strip(0.71, 0.68, 0.74)
    assert "label fail: judge pass 21, judge fail 77" in confusion(128, 19, 21, 77)


def test_a_confusion_table_shows_counts_and_shares_of_the_labels():
    texts = [node.text for node in ET.fromstring(str(confusion(1128, 19, 0, 0))).iter() if node.text]
    assert "1,128" in texts
    assert "98% of 1,147" in texts
    assert texts.count("no such label") == 2


def test_the_axis_names_its_ends():
    assert re.findall(r">([-\d.]+)<", axis(-1.0)) == ["-1", "0", "1"]
