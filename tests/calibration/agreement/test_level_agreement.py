"""Agreement on declared levels, against published tables and real judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference_names
from known_numbers import half_width
from lazily import Lazily

from fiducial.calibration import Requests, Settings, calibrate, make_sample, read_table
from fiducial.calibration.agreement.diagnosis_results import CategoryAgreement
from fiducial.calibration.agreement.level_agreement import category_agreement
from fiducial.errors import InputError

# The oracle has no types.
proportion_confint = Lazily("statsmodels.stats.proportion").proportion_confint

LEVELS = (0.0, 0.5, 1.0)
NORMAL = 1.959963984540054


def agreement(table: list[list[int]], **options: Any) -> CategoryAgreement:
    pairs = [
        (LEVELS[row], LEVELS[column])
        for row, counts in enumerate(table)
        for column, count in enumerate(counts)
        for _ in range(count)
    ]
    label, score = np.array(pairs).T
    return category_agreement(make_sample(label, score), LEVELS, **options)


def test_the_table_of_fleiss_cohen_and_everitt() -> None:
    found = agreement([[53, 5, 2], [11, 14, 5], [1, 6, 3]], settings=Settings("wald"))
    assert found.table == [[53, 5, 2], [11, 14, 5], [1, 6, 3]]
    kappa = found.statistics["cohen_kappa"]
    assert kappa.value == pytest.approx(0.4285714286)
    assert half_width(kappa) / NORMAL == pytest.approx(0.0759588315)


def test_the_share_of_equal_levels_has_wilsons_interval_as_every_share() -> None:
    accuracy = agreement([[53, 5, 2], [11, 14, 5], [1, 6, 3]]).statistics["accuracy"]
    assert accuracy.method == "Wilson"
    assert accuracy.value == 0.7
    assert [accuracy.low, accuracy.high] == pytest.approx(proportion_confint(70, 100, method="wilson"))


def test_a_level_that_nobody_used_still_counts() -> None:
    used, declared = (
        category_agreement(make_sample(np.array([0.0, 1, 1, 0]), np.array([0.0, 1, 0, 0])), levels)
        for levels in ((0.0, 1.0), LEVELS)
    )
    values = [found.statistics["brennan_prediger"].value for found in (used, declared)]
    assert values == pytest.approx([0.5, 0.625])


def test_one_level_only_is_undefined_and_says_so() -> None:
    statistics = agreement([[5, 0, 0], [0, 0, 0], [0, 0, 0]]).statistics
    assert "one and the same level" in (statistics["cohen_kappa"].undefined or "")
    assert statistics["gwet_ac1"].value == 1.0


def test_a_value_between_levels_is_refused() -> None:
    with pytest.raises(InputError, match=r"the score 0\.3 is not one of the levels 0, 0\.5, 1"):
        category_agreement(make_sample(np.array([1.0]), np.array([0.3])), LEVELS)


@pytest.mark.reference
def test_real_judges_agree_with_other_libraries(reference: Path) -> None:
    folder = reference / "calibration" / "summhay"
    expected = json.loads((folder / "expected.json").read_text())["per_insight"]
    result = calibrate(
        read_table([folder / "data.jsonl"]),
        interval="wald",
        slices=False,
        requests=Requests(categories=LEVELS),
    )
    for judge, theirs in expected.items():
        found = result.categories[judge]
        assert found.table == theirs["table_true_rows_judge_cols"]
        for name, ours in reference_names.LEVELS.items():
            statistic = found.statistics[ours]
            assert statistic.value == pytest.approx(theirs[name], abs=1e-9), name
            if f"{name}_se" in theirs:
                assert half_width(statistic) / NORMAL == pytest.approx(theirs[f"{name}_se"], abs=2e-5), name
