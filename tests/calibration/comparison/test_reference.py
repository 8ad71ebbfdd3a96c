"""Comparisons against what independent libraries computed for fifteen prompts of one judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fiducial.calibration import Settings, Table, compare, read_table
from fiducial.calibration.comparison.significance import benjamini_hochberg, holm

pytestmark = pytest.mark.reference


@pytest.fixture(scope="module")
def expected(reference: Path) -> Any:
    return json.loads((reference / "calibration" / "llmbar" / "expected.json").read_text())


@pytest.fixture(scope="module")
def in_order_ab(reference: Path) -> Table:
    table = read_table([reference / "calibration" / "llmbar" / "data.jsonl"])
    order = table.columns["order"]
    table = table.take(order.codes == order.values.index("AB"))
    unanswered = np.unique(table.item.codes[np.isnan(table.score)])
    return table.take(~np.isin(table.item.codes, unanswered))


def test_every_prompt_against_vanilla_agrees(expected: Any, in_order_ab: Table) -> None:
    pairs = compare(
        in_order_ab, against="GPT-4:Vanilla", statistic="accuracy", settings=Settings(interval="wald")
    ).pairs
    assert len(pairs) == len(expected["prompts_vs_vanilla_order_AB"])
    for pair in pairs:
        theirs = expected["prompts_vs_vanilla_order_AB"][f"{pair.a} vs {pair.b}"]
        counts = (
            pair.n,
            pair.both_right,
            pair.a_only_right,
            pair.b_only_right,
            pair.both_wrong,
        )
        names = ("n", "both_right", "only_first_right", "only_second_right", "both_wrong")
        assert counts == tuple(theirs[name] for name in names)
        assert pair.exact_p == pytest.approx(theirs["mcnemar_exact_p"], abs=1e-9)
        assert pair.midp == pytest.approx(theirs["mcnemar_midp"], abs=1e-9)
        difference = pair.difference
        assert difference.value == pytest.approx(theirs["accuracy_difference"], abs=1e-9)
        assert [difference.low, difference.high] == pytest.approx(theirs["difference_ci95_wald"], abs=1e-9)


def test_holm_and_benjamini_hochberg_agree(expected: Any) -> None:
    tests = expected["prompts_vs_vanilla_order_AB"]
    exact = np.array([test["mcnemar_exact_p"] for test in tests.values()])
    assert dict(zip(tests, holm(exact), strict=True)) == pytest.approx(expected["adjusted"]["holm"], abs=1e-8)
    assert dict(zip(tests, benjamini_hochberg(exact), strict=True)) == pytest.approx(
        expected["adjusted"]["bh"], abs=1e-8
    )
