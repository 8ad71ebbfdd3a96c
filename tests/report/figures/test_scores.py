from __future__ import annotations

from drawn import heard, shapes, texts

from fiducial.report.figures.forest_plot import PlottedInterval, trend
from fiducial.report.figures.scores import Bin, cost, distribution, reliability


def _bin(score: float, passed: int, failed: int) -> Bin:
    rate = PlottedInterval(name=f"{score:g}", value=passed / (passed + failed), low=0.0, high=1.0)
    return Bin(low=score, high=score, passed=passed, failed=failed, rate=rate, mean=score)


BINS = [_bin(0.0, 0, 30), _bin(0.5, 4, 6), _bin(1.0, 40, 1)]


def test_scores_are_counted_by_label_on_both_sides_of_a_line():
    drawn = distribution("scores", BINS, threshold=0.7)
    assert (len(shapes(drawn, "agree")), len(shapes(drawn, "differ"))) == (2, 3)
    assert {"30", "40", "4", "6", "1", "passes at 0.7"} <= set(texts(drawn))
    assert "score 0.5: labels pass 4, fail 6" in heard(drawn)


def test_a_rectangle_is_as_high_as_its_count():
    few, many = shapes(distribution("scores", BINS, threshold=0.5), "agree")
    assert float(many["height"]) == 10 * float(few["height"])


def test_what_keeps_its_promise_stands_on_the_diagonal():
    drawn = reliability("scores", [_bin(0.0, 0, 5), _bin(1.0, 5, 0)])
    (diagonal,) = shapes(drawn, "track")
    ends = [(dot["cx"], dot["cy"]) for dot in shapes(drawn, "dot")]
    assert ends == [(diagonal["x1"], diagonal["y1"]), (diagonal["x2"], diagonal["y2"])]


def test_every_point_says_how_many_rows_are_behind_it():
    assert {"30", "10", "41"} <= set(texts(reliability("scores", BINS)))


def test_what_costs_more_stands_further_right_and_what_is_right_more_often_higher():
    drawn = cost("cost", {"cheap": (0.001, 0.7), "dear": (0.01, 0.9)}, unit="$ a verdict")
    cheap, dear = shapes(drawn, "dot")
    assert float(cheap["cx"]) < float(dear["cx"])
    assert float(cheap["cy"]) > float(dear["cy"])
    assert {"1  cheap", "2  dear", "0.01 $ a verdict"} <= set(texts(drawn))
    assert "dear 0.01 $ a verdict, accuracy 0.90" in heard(drawn)


def test_upright_axes_say_what_they_are_of():
    assert "number of outputs, by label" in texts(distribution("scores", BINS, threshold=0.5))
    assert "share that labels pass" in texts(reliability("scores", BINS))
    assert "accuracy" in texts(cost("cost", {"a": (1.0, 0.5)}, unit="$"))
    assert "rate" in texts(trend("rates", [BINS[0].rate]))
