"""Tables of rates with a plot, in the width of a screen."""

from __future__ import annotations

from each_row import each_row

from fiducial.calibration.statistic import Statistic
from fiducial.report.text.one_screen import plotted_table

RATE = Statistic(value=0.4, low=0.1, high=0.8, n=5)


@each_row("length", range(1, 60))
def test_the_title_of_a_plot_never_touches_its_ends(length: int) -> None:
    head, row, *_ = plotted_table("", ("corrected",), [("x" * length, RATE, ())]).lines()
    assert "0pass" not in head
    assert "rate1" not in head
    if "|" in row:
        assert head.index("0") == row.index("|")
