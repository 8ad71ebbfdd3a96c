"""What a judge may decide alone does not depend on the order in which replies came."""

from __future__ import annotations

import random
from typing import Any

from fiducial.calibration import table_from_rows
from fiducial.calibration.agreement.calibrate import selective_threshold
from fiducial.evaluation.past_runs.certified_part import in_order_of_items


def test_rows_in_any_order_give_the_same_certificate():
    rng = random.Random(0)
    rows: list[dict[str, Any]] = [
        {
            "item_id": f"i{n}",
            "judge": "j",
            "score": round(rng.random(), 3),
            "label": float(rng.random() < 0.5),
            "cluster": f"c{n % 15}",
        }
        for n in range(60)
    ]
    found = set[str]()
    for _ in range(5):
        rng.shuffle(rows)
        table = in_order_of_items(table_from_rows(rows))
        found.add(str(selective_threshold(table, 0.4, seed=0)))
    assert len(found) == 1
