from __future__ import annotations

from drawn import heard, shapes, texts

from fiducial.report.figures.heat_map import heat


def test_a_map_names_columns_by_letters_and_explains_them():
    drawn = heat("caught", ["strict", "lenient"], [("wrong_date", [0.95, None]), ("wrong_city", [0.5, 0.0])])
    assert {"A", "B", "A  strict", "B  lenient", "wrong_date", "0.95", "0.00", "-"} <= set(texts(drawn))
    assert (
        heard(drawn) == "caught wrong_date: strict 0.95, lenient none; wrong_city: strict 0.50, lenient 0.00"
    )


def test_a_cell_is_the_fuller_the_larger_its_share():
    drawn = shapes(heat("caught", ["a", "b"], [("x", [0.1, 0.9])]), "agree")
    assert float(drawn[0]["fill-opacity"]) < float(drawn[1]["fill-opacity"])


def test_what_is_bad_when_it_is_much_has_the_other_colour():
    drawn = heat("false alarms", ["a"], [("x", [0.1])], good=False)
    assert (len(shapes(drawn, "differ")), len(shapes(drawn, "agree"))) == (1, 0)
