from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from drawn import shapes, texts
from each_row import each_row

from fiducial.report.figures.drawing import AxisScale, figure_styles, lean, line, svg, text
from fiducial.report.figures.forest_plot import PlottedInterval, forest, trend
from fiducial.report.figures.heat_map import heat
from fiducial.report.figures.scores import Bin, cost, distribution, reliability

HOSTILE = '"><script>alert(1)</script><image href=x onerror=y>\u202e\ud800'
ROW = PlottedInterval(name=HOSTILE, value=0.5, low=0.4, high=0.6)
BIN = Bin(low=0.0, high=0.1, passed=1, failed=2, rate=ROW, mean=0.05)
FIGURES = {
    "forest": forest(HOSTILE, [ROW]),
    "trend": trend(HOSTILE, [ROW, ROW]),
    "heat": heat(HOSTILE, [HOSTILE], [(HOSTILE, [0.5])]),
    "distribution": distribution(HOSTILE, [BIN], threshold=0.5),
    "reliability": reliability(HOSTILE, [BIN]),
    "cost": cost(HOSTILE, {HOSTILE: (1.0, 0.5)}, unit=HOSTILE),
}


@pytest.mark.attack("terminal and report")
@each_row("name", FIGURES)
def test_a_hostile_name_is_a_text_in_every_figure(name: str):
    drawn = str(FIGURES[name])
    drawn.encode("utf-8")
    assert "\u202e" not in drawn
    nodes = list(ET.fromstring(drawn).iter())
    shapes_alone = {"svg", "title", "desc", "text", "line", "path", "polyline", "circle", "rect"}
    assert {node.tag for node in nodes} <= shapes_alone
    assert not {
        key for node in nodes for key in node.attrib if key.startswith("on") or key in {"href", "style"}
    }


@each_row("name", FIGURES)
def test_every_figure_fits_a_telephone_and_is_legible_there(name: str):
    drawn = ET.fromstring(str(FIGURES[name]))
    assert float(drawn.attrib["width"]) <= 368
    sizes = [float((drawn.attrib | node.attrib)["font-size"]) for node in drawn.iter("text")]
    assert min(sizes) >= 11


@each_row("name", FIGURES)
def test_every_shape_is_seen_without_a_style_sheet(name: str):
    drawn = ET.fromstring(str(FIGURES[name]))
    assert any(node.tag in {"line", "path", "polyline", "circle", "rect"} for node in drawn.iter())
    for node in drawn.iter():
        if node.tag in {"line", "path", "polyline"}:
            assert "stroke" in node.attrib
        elif node.tag == "text":
            assert "fill" in drawn.attrib | node.attrib
        elif node.tag in {"circle", "rect"}:
            assert "fill" in node.attrib


def test_a_long_name_is_cut_and_told_to_who_points_at_it():
    drawn = svg("x", 10, 10, "t", [text(0, 0, "n" * 50, room=10)])
    assert f"<title>{'n' * 50}</title>{'n' * 9}…" in drawn


def test_what_is_outside_an_axis_stands_at_its_end():
    place = AxisScale(0.0, 1.0, 100.0, 20.0)
    assert [place(value) for value in (-1, 0, 0.5, 1, 2)] == [100, 100, 60, 20, 20]


def test_an_axis_without_length_has_one_place():
    assert AxisScale(1.0, 1.0, 5.0, 9.0)(1.0) == 5.0


def test_texts_and_shapes_can_be_told_apart():
    assert texts(FIGURES["forest"])
    assert shapes(FIGURES["forest"], "dot")


def test_a_page_has_the_looks_of_its_figures_once_and_a_figure_alone_has_its_own():
    drawn = str(line("whisker", 0, 0, 1, 1))
    assert 'stroke-width="6"' in drawn
    assert lean(drawn) == '<line class="whisker" x1="0" y1="0" x2="1" y2="1"/>'
    assert "svg .whisker { stroke: #2f77bd; stroke-width: 6;" in figure_styles()
    assert "font-size: 12.5px;" in figure_styles()
