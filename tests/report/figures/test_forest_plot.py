from __future__ import annotations

import pytest
from drawn import heard, shapes, texts
from each_row import each_row

from fiducial.report.figures.forest_plot import PlottedInterval, forest, interval_strip, judge_rates, trend

ROWS = [
    PlottedInterval(name="careful", value=0.9, low=0.83, high=0.95, bounds=(0.57, 0.94)),
    PlottedInterval(name="none", value=None),
]


def test_the_dot_stands_where_the_value_is():
    left, right, middle = (
        float(shapes(interval_strip(value, None, None), "dot")[0]["cx"]) for value in (0.0, 1.0, 0.5)
    )
    assert middle == pytest.approx((left + right) / 2)


def test_values_outside_the_axis_stay_in_the_figure():
    strip = interval_strip(0.98, -0.2, 1.3)
    whisker, track = shapes(strip, "whisker")[0], shapes(strip, "track")[0]
    assert (whisker["x1"], whisker["x2"]) == (track["x1"], track["x2"])
    assert "interval -0.20 to 1.30" in heard(strip)


def test_a_screen_reader_hears_the_numbers():
    assert heard(interval_strip(0.71, 0.68, 0.74)) == "0.71, interval 0.68 to 0.74"
    assert heard(forest("decided", ROWS)) == "decided careful 0.90 [0.83, 0.95]; none undefined"


def test_a_forest_has_a_row_an_estimate_and_says_its_number():
    drawn = forest("decided", ROWS)
    assert [text for text in texts(drawn) if not text[0].isdigit()] == ["careful", "none", "undefined"]
    assert "0.90 [0.83, 0.95]" in texts(drawn)
    assert (len(shapes(drawn, "track")), len(shapes(drawn, "dot")), len(shapes(drawn, "bounds"))) == (2, 1, 1)


def test_differences_have_a_line_at_nought():
    nought = shapes(forest("difference", ROWS, low=-1.0), "zero")[0]
    dot = shapes(forest("difference", [PlottedInterval(name="a", value=0.0)], low=-1.0), "dot")[0]
    assert nought["x1"] == dot["cx"]


def test_a_trend_goes_from_left_to_right_and_leaves_out_what_has_no_value():
    rows = [PlottedInterval(name=f"run {n}", value=None if n == 1 else n / 10, low=0.0, high=0.5, alarm=n == 2) for n in range(4)]  # fmt: skip
    drawn = trend("rate", rows)
    (line,) = shapes(drawn, "course")
    places = [tuple(map(float, point.split(","))) for point in line["points"].split()]
    assert places == sorted(places)
    assert len(places) == 3
    assert (len(shapes(drawn, "dot")), len(shapes(drawn, "alarm"))) == (2, 1)
    assert "run 1 undefined" in heard(drawn)


def test_a_trend_of_one_run_is_a_point():
    assert len(shapes(trend("rate", [ROWS[0]]), "dot")) == 1


@each_row(("end", "axis"), [(0.34, "0.4"), (0.013, "0.02"), (0.0, "0.001"), (0.05, "0.05"), (1.7, "1")])
def test_differences_are_drawn_as_wide_as_they_are(end: float, axis: str):
    drawn = forest("difference", [PlottedInterval(name="a", value=end / 2, low=0.0, high=end)], low=-1.0)
    assert texts(drawn)[-1] == axis


def test_long_names_are_whole_and_their_numbers_beside_the_intervals():
    name = "tool_call_accuracy/reasons - decomposed"
    drawn = forest("difference", [PlottedInterval(name=name, value=0.1, low=0.0, high=0.2)], low=-1.0)
    assert name in texts(drawn)


def test_every_judge_has_a_lane_for_each_rate_with_its_label_and_number():
    bad, good = PlottedInterval(name="", value=0.1, low=0.05, high=0.2), PlottedInterval(name="", value=None)
    lanes = ("let through", "rejected")
    drawn = judge_rates("Judges", [("strict", [bad, good])], lanes=lanes, target=0.1)
    assert {"strict", *lanes, "0.10 [0.05, 0.20]", "undefined"} <= set(texts(drawn))
    assert "strict: let through 0.10 [0.05, 0.20], rejected undefined" in heard(drawn)


def test_a_trend_breaks_where_something_else_changed():
    rows = [PlottedInterval(name=str(n), value=0.5) for n in range(4)]
    assert str(trend("t", rows)).count("<polyline") == 1
    broken = str(trend("t", rows, breaks={2}))
    assert broken.count("<polyline") == 2
    assert broken.count('class="target"') == 1
