"""Lines on scores as probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from fiducial.calibration import calibrate, table_from_rows
from fiducial.report.document import as_lines
from fiducial.report.text.probability_text import probability_lines


@pytest.mark.parametrize(
    ("unlabelled", "told"),
    [
        (0, "sure is overconfident (slope below 1)."),
        (50, "sure has a slope below 1 on these labels; overconfident if they are a random sample."),
    ],
)
def test_a_judge_is_overconfident_only_by_labels_of_all_outputs_or_a_random_sample(
    unlabelled: int, told: str
):
    rng = np.random.default_rng(0)
    chance = rng.random(300)
    said = np.clip(chance + np.sign(chance - 0.5) * 0.4, 0.01, 0.99)
    rows = [
        {"item_id": f"i{n}", "judge": "sure", "score": round(float(said[n]), 3)}
        | ({"label": float(rng.random() < chance[n])} if n >= unlabelled else {})
        for n in range(300)
    ]
    table = table_from_rows(rows).with_score_kinds({"": "probabilities"})
    lines = list(as_lines(probability_lines(calibrate(table, replicates=20))))
    assert lines[-1] == told
