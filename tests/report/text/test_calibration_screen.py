"""One screen of a calibration."""

from __future__ import annotations

import re

import pytest

from fiducial.calibration import calibrate, table_from_rows
from fiducial.calibration.agreement.calibration_results import Calibration
from fiducial.report.document import as_lines
from fiducial.report.document_parts import DocumentTable
from fiducial.report.text.calibration_screen import calibration_screen
from fiducial.report.text.judges_text import CONTROL
from fiducial.report.text.trust_words import controls_of, trust_of

BASELINES = "x/lexical@baseline", "y/lexical@baseline"


def calibration_of(*judges: str) -> Calibration:
    """Return a calibration of judges that agree with labels, and baselines that pass everything."""
    rows = [
        {
            "item_id": f"i{n}",
            "judge": judge,
            "score": 1.0 if judge in BASELINES else float(n % 2),
            "label": float(n % 2),
        }
        for judge in judges
        for n in range(40)
    ]
    return calibrate(table_from_rows(rows), replicates=50)


def test_baselines_are_rows_and_no_judges_among_those_that_are_counted():
    calibration = calibration_of("a/reasons@m", *BASELINES, "b/reasons@m")
    assert [each.judge for each in trust_of(calibration)] == ["a/reasons@m", "b/reasons@m"]
    assert [each.judge for each in controls_of(calibration)] == list(BASELINES)
    pieces = list(calibration_screen(calibration))
    (table,) = (piece for piece in pieces if isinstance(piece, DocumentTable))
    names = [str(row[0]).strip() for row in table.rows]
    assert names[names.index(f"{CONTROL}:") + 1 :] == ["x", "y"]
    text = "\n".join(as_lines(pieces))
    # Nothing counts more judges than there are, and no threshold is proposed for a baseline.
    assert {int(n) for n in re.findall(r"\b(\d+) judges\b", text)} == {2}
    assert "lexical@baseline" not in text


def test_baselines_alone_have_verdicts_of_their_own():
    calibration = calibration_of(*BASELINES)
    assert [each.judge for each in trust_of(calibration)] == list(BASELINES)
    assert controls_of(calibration) == []


@pytest.mark.parametrize("name", ["a/reasons@baseline", "baseline", "lexical@baseline2"])
def test_a_model_called_baseline_is_a_judge(name: str):
    assert [each.judge for each in trust_of(calibration_of("a/reasons@m", name))] == ["a/reasons@m", name]
