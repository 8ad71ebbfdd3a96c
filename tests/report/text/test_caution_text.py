"""Cautions in words."""

from __future__ import annotations

from fiducial.calibration.statistic import Caution
from fiducial.report.text.caution_text import tied_sentence


def test_the_sentence_counts_the_excluded_outputs() -> None:
    assert tied_sentence(Caution("tied_labels", {"tied": 3, "labelled": 9})) == (
        "3 of 12 outputs have tied labels and are excluded; the other 9 are not a random sample; "
        "let a third person decide"
    )
    assert tied_sentence(Caution("tied_labels", {"tied": 1, "labelled": 0})) == (
        "1 output has tied labels and is excluded; let a third person decide"
    )
