from __future__ import annotations

from typing import Any

import msgspec

from fiducial.calibration import JudgeCalibration, table_from_rows
from fiducial.calibration.agreement.calibrate import cautions
from fiducial.report.caution_words import sentences

TABLE = table_from_rows([{"item_id": "i", "judge": "j", "score": 1, "label": 1}])


def panel(**changed: Any) -> JudgeCalibration:
    enough = JudgeCalibration(
        n=500, n_clusters=500, effective_clusters=500.0, tp=200, fn=50, fp=50, tn=200, binary=True
    )
    return msgspec.structs.replace(enough, **changed)


def said(judges: dict[str, JudgeCalibration]) -> list[str]:
    return sentences(cautions(judges, TABLE), judges)


def test_a_panel_on_enough_needs_no_caution() -> None:
    assert cautions({"j": panel()}, TABLE) == []


def test_each_reason_is_one_sentence_that_names_the_judges_and_their_numbers() -> None:
    judges = {
        "few": panel(n=100, n_clusters=40, effective_clusters=12.6, tp=20, fn=8),
        "gaps": panel(n_missing=7),
        "sure": panel(n=150, n_clusters=150, tp=150, fn=0),
    }
    assert said(judges) == [
        "fewer than 20 clusters, or a few that hold most rows, so that an interval may be too short (clusters of one size they are worth): few (12)",
        "fewer than 30 labels of a class, so that what rests on them is rough: few (28 pass)",
        "fewer than 200 rows, so that a Wilson interval may cover a few points less, or more, than it says: few (100), sure (150)",
        "labelled rows without a verdict, which the statistics leave out: gaps (7 of 507)",
    ]


def test_a_judge_of_which_nothing_can_be_said_is_in_no_other_sentence() -> None:
    assert said({"j": panel(n=0, n_clusters=0)}) == [
        "no row has both a label and a score, so nothing can be said of j"
    ]


def test_fractional_scores_bring_a_word_on_ece() -> None:
    (line,) = said({"j": panel(binary=False)})
    assert line.startswith("ece is biased upwards")
