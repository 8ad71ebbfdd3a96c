"""One screen of a calibration."""

from __future__ import annotations

import re

import pytest

from fiducial.calibration import calibrate, table_from_rows
from fiducial.calibration.agreement.calibration_results import Calibration
from fiducial.report.document import as_lines
from fiducial.report.document_parts import DocumentTable
from fiducial.report.text.calibration_screen import calibration_screen
from fiducial.report.text.calibration_text import calibration_document
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
    assert [trust.judge for trust in trust_of(calibration)] == ["a/reasons@m", "b/reasons@m"]
    assert [control.judge for control in controls_of(calibration)] == list(BASELINES)
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
    assert [trust.judge for trust in trust_of(calibration)] == list(BASELINES)
    assert controls_of(calibration) == []


@pytest.mark.parametrize("name", ["a/reasons@baseline", "baseline", "lexical@baseline2"])
def test_a_model_called_baseline_is_a_judge(name: str):
    assert [trust.judge for trust in trust_of(calibration_of("a/reasons@m", name))] == ["a/reasons@m", name]


@pytest.mark.parametrize("more", [(), ("x/lexical@baseline",)])
def test_constant_baselines_are_of_the_labelled_items_that_the_only_judge_grades(more: tuple[str, ...]):
    # Of 40 labels 20 are good; the judge grades 30 outputs, 20 of them good.
    rows = [
        {"item_id": f"i{n}", "judge": judge, "score": score, "label": float(n < 20)}
        for judge in ("a/reasons@m", *more)
        for n in range(40)
        for score in [float(n % 2) if n < 30 else None]
    ]
    calibration = calibrate(table_from_rows(rows), replicates=50)
    text = " ".join(" ".join(as_lines(calibration_screen(calibration))).split())
    assert "always pass 0.67, always fail 0.33 (n 30)" in text
    everything = "\n".join(as_lines(calibration_document(calibration)))
    assert "Baselines on all 40 labelled items, of which " in everything
    several = [*rows, *({**row, "judge": "b", "score": 1.0} for row in rows[:40])]
    calibration = calibrate(table_from_rows(several), replicates=50)
    assert "always pass 0.50, always fail 0.50 (n 40)" in " ".join(as_lines(calibration_screen(calibration)))
    assert "judges grade 30 to 40:" in "\n".join(as_lines(calibration_document(calibration)))
