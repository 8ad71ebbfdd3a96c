"""Labels that good judges contradict come first."""

from __future__ import annotations

import numpy as np

from fiducial.calibration import table_from_rows
from fiducial.calibration.agreement.suspected_labels import suspected_label_errors


def test_a_label_that_good_judges_contradict_is_found_and_a_coin_has_no_say() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(200) < 0.5
    label = truth.copy()
    label[[3, 70]] = ~label[[3, 70]]
    rows = [
        {"item_id": str(n), "judge": judge, "score": float(score), "label": float(label[n])}
        for judge, share in {"good": 0.97, "fair": 0.9, "coin": 0.5}.items()
        for n, score in enumerate(np.where(rng.random(200) < share, truth, ~truth))
    ]
    found = suspected_label_errors(table_from_rows(rows))
    assert {suspect.item_id for suspect in found[:2]} == {"3", "70"}
    assert all("good" in suspect.contradicted_by for suspect in found[:2])
    assert [suspect.evidence for suspect in found] == sorted((s.evidence for s in found), reverse=True)


def test_without_labels_there_is_nothing_to_suspect() -> None:
    assert suspected_label_errors(table_from_rows([{"item_id": "a", "judge": "j", "score": 1}])) == []
