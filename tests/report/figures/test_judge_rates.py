"""The dot plot of judges: a row each, a lane for each rate."""

from __future__ import annotations

from drawn import heard, texts

from fiducial.report.figures.forest_plot import PlottedInterval
from fiducial.report.figures.judge_rates import judge_rates


def test_every_judge_has_a_lane_for_each_rate_with_its_label_and_number():
    good, bad = PlottedInterval(name="", value=0.9, low=0.8, high=0.95), PlottedInterval(name="", value=None)
    drawn = judge_rates("Judges", [("strict", [good, bad])], wanted=0.9)
    assert {"strict", "passes good", "fails bad", "0.90 [0.80, 0.95]", "undefined"} <= set(texts(drawn))
    assert "strict: passes good 0.90 [0.80, 0.95], fails bad undefined" in heard(drawn)
