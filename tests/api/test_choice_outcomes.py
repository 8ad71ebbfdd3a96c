"""Results of each choice that a table leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from each_row import each_row

from fiducial.api.choice_outcomes import choice_outcomes
from fiducial.api.tables import read_calibration_table

pytestmark = pytest.mark.usefixtures("typed_options")


def _means(rows: list[dict[str, Any]]) -> list[str]:
    def measure(chosen: Mapping[str, Any]) -> str:
        return f"{np.nanmean(read_calibration_table(rows, **chosen).score):.2f}"

    return [*choice_outcomes(measure)]


def _rows(**columns: str) -> list[dict[str, Any]]:
    return [
        {"id": n, **{name: words.split()[n % len(words.split())] for name, words in columns.items()}}
        for n in range(24)
    ]


@each_row(
    ("columns", "outcomes"),
    [
        ({"judge_score": "1 1 0 1", "human_label": "1 0", "expert_label": "0 0 0 1"}, ["--map label=human_label: 0.75", "--map label=expert_label: 0.75"]),
        ({"judge_label": "ok-ish no-ish", "human": "1 0"}, ["--map-label ok-ish=1 --map-label no-ish=0: 0.50", "--map-label ok-ish=0 --map-label no-ish=1: 0.50"]),
        ({"judge_score": "1 5", "human": "1 0"}, ["--score-scale 1:5: 0.50", "--score-scale 5:1: 0.50"]),
        ({"judge_toxicity": "0 0 0 1", "human": "1 0"}, ["--score-scale judge_toxicity=0:1: 0.25", "--score-scale judge_toxicity=1:0: 0.75"]),
        ({"judge_score": "1 5", "human": "2 3 4 5"}, ["--label-scale 1:5: then add --score-scale '?:?'", "--label-scale 5:1: then add --score-scale '?:?'"]),
        ({"judge_score": "1 0", "human": "1 0"}, []),
    ],
)  # fmt: skip
def test_each_choice_is_shown_with_what_it_gives(columns: dict[str, str], outcomes: list[str]) -> None:
    assert _means(_rows(**columns)) == outcomes


def test_of_many_words_each_alone_is_tried() -> None:
    shown = _means(_rows(judge_label="a-ish b-ish c-ish d-ish e-ish f-ish g-ish h-ish", human="1 0"))
    assert [line.count("=1") for line in shown] == [1] * 8
