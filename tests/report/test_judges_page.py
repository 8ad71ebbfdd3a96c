from __future__ import annotations

from typing import Any

import msgspec
from found_results import judged, panel

from fiducial.calibration.agreement.calibration_results import CalibrationNumbers, read_calibration
from fiducial.report.document import Figure, as_html
from fiducial.report.first_answers import answers
from fiducial.report.judges_page import costs_document, trust_document
from fiducial.report.model import ReportData
from fiducial.report.run_summary import RunSummary


def test_a_judge_has_its_word_its_rates_what_it_misses_and_its_labels():
    found = RunSummary(
        systems=[],
        judges=judged("j"),
        calibration=CalibrationNumbers(judges={"j": panel((0.9, 0.8), (0.92, 0.85))}),
    )
    shown = as_html(trust_document(answers(found).trust, {"checkers": 1800, "people": 7, "construction": 0}))
    assert "too few labels" in shown
    assert "it passes 8 of 100 bad outputs and fails 10 of 100 good ones" in shown
    assert "8 of 100" in shown
    assert "20 %" in shown
    assert "Labels: 1,800 by checkers, 7 by people." in shown
    assert "Certificates in the run&#39;s folder: none." in shown
    shown = as_html(
        trust_document(answers(found).trust, {}, {"j": ["certified: accuracy at least 0.9 holds"]})
    )
    assert "j: certified: accuracy at least 0.9 holds" in shown


def test_without_judges_there_is_nothing():
    assert trust_document([], {}) == []
    assert costs_document([], None) == []


def test_cost_is_drawn_against_accuracy_where_two_have_both(data: ReportData, calibration: dict[str, Any]):
    (use,) = data.judges
    entry = next(iter(calibration["judges"].values()))
    entry["statistics"]["accuracy"] = {"value": 0.84, "n": 245}
    judges = [
        msgspec.structs.replace(use, name=name, cost=cost)
        for name, cost in (("a", 0.1), ("b", 0.2), ("c", None))
    ]
    found = read_calibration({"judges": dict.fromkeys(("a", "b", "c"), entry)})
    figures = [piece for piece in costs_document(judges, found) if isinstance(piece, Figure)]
    assert [each.caption for each in figures] == ["Accuracy by $ a verdict"]
    assert "b 0.0007547 $ a verdict, accuracy 0.84" in figures[0].svg
    unpriced = [msgspec.structs.replace(use, cost=None) for use in judges]
    (figure,) = [piece for piece in costs_document(unpriced, found) if isinstance(piece, Figure)]
    assert figure.caption == "Accuracy by tokens a verdict"
    assert not [piece for piece in costs_document(judges[:1], found) if isinstance(piece, Figure)]
