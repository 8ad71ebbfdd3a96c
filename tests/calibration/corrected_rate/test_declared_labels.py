"""Nothing but a declaration says that labels are a random sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from each_row import each_row

import fiducial as fd
from fiducial.errors import UsageError
from fiducial.report.document import as_lines


def rows_of(
    draw: int = 0, *, rate: float = 0.85, judge: float = 0.9, golden: bool = True
) -> list[dict[str, Any]]:
    """Return 1,000 judged outputs, with labels of 50 good and 50 bad ones, or of 100 at random."""
    rng = np.random.default_rng(draw)
    truth = rng.random(1_000) < rate
    score = np.where(rng.random(1_000) < judge, truth, ~truth)
    groups = (np.flatnonzero(truth), np.flatnonzero(~truth)) if golden else (np.arange(1_000),)
    known = {int(each) for rows in groups for each in rng.choice(rows, 100 // len(groups), replace=False)}
    return [
        {
            "item_id": f"i{n}",
            "judge": "j",
            "system": "ab"[n % 2],
            "score": float(score[n]),
            "label": float(truth[n]) if n in known else None,
        }
        for n in range(1_000)
    ]


def first_line(found: fd.Estimation) -> str:
    return next(iter(as_lines(found.screen(), width=None)))


@each_row(
    ("judge", "golden"),
    [(0.9, True), (0.5, True), (0.9, False)],
)
def test_undeclared_labels_correct_no_first_line(judge: float, golden: bool):
    found = fd.estimate(rows_of(judge=judge, golden=golden))
    assert found.all.declared is None
    assert found.to_dict()["all"]["declared"] is None
    assert found.to_dict()["a"]["declared"] is None
    assert "declared" not in found.to_dict()
    assert first_line(found).endswith("by the judge alone (1,000 judged), uncorrected.")


def test_the_rate_that_holds_of_a_random_sample_follows_with_its_condition():
    found = fd.estimate(rows_of(golden=False))
    lines = list(as_lines(found.screen(), width=None))
    assert lines[1].startswith("If these labels are a random sample: 0.")
    assert "if random" in "\n".join(lines)
    assert found.all.reported == "ppi_plus_plus"


@each_row(
    ("options", "declared"),
    [
        ({"labels_chosen_by": "random"}, "random"),
        ({"labels_chosen_by": "system"}, "system"),
        ({"labels_chosen_by": "label"}, "label"),
        ({"strata": "system"}, "strata"),
        ({"reweight_by": ["system"]}, "reweight_by"),
    ],
)
def test_options_declare_how_labels_came_about(options: dict[str, Any], declared: str):
    found = fd.estimate(rows_of(golden=False), **options)
    assert {part.declared for part in found.parts.values()} == {declared}
    assert "uncorrected" not in first_line(found)


def test_a_label_on_every_judged_output_needs_no_declaration():
    rows = [row for row in rows_of() if row["label"] is not None]
    assert fd.estimate(rows).all.declared == "every_output"


def test_random_changes_no_number_and_a_golden_set_contradicts_it():
    random = fd.estimate(rows_of(golden=False), labels_chosen_by="random")
    plain = fd.estimate(rows_of(golden=False))
    assert random.all.estimates == plain.all.estimates
    golden = fd.estimate(rows_of(), labels_chosen_by="random")
    assert golden.all.reported is None
    assert golden.all.scenarios is not None


def test_samples_of_each_system_are_weighted_by_its_outputs():
    """One system has a tenth of the outputs and half of the labels."""
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(6):
        system = np.repeat(["a", "b"], [900, 100])
        truth = rng.random(1_000) < np.where(system == "a", 0.9, 0.3)
        known = {
            *rng.choice(900, 50, replace=False).tolist(),
            *(900 + rng.choice(100, 50, replace=False)).tolist(),
        }
        rows = [
            {
                "item_id": f"i{n}",
                "judge": "j",
                "system": str(system[n]),
                "score": float(truth[n] ^ (n % 10 == 0)),
            }
            | {"label": float(truth[n]) if n in known else None}
            for n in range(1_000)
        ]
        rate = fd.estimate(rows, labels_chosen_by="system").all.rate
        assert rate.low is not None
        assert rate.high is not None
        hits += rate.low <= 0.84 <= rate.high
    assert hits >= 5


def test_golden_sets_are_covered_where_they_are_declared():
    rates = [fd.estimate(rows_of(draw), labels_chosen_by="label").all.rate for draw in range(8)]
    assert sum((rate.low or 0.0) <= 0.85 <= (rate.high or 0.0) for rate in rates) >= 7


def test_samples_of_systems_are_no_strata_of_another_column():
    with pytest.raises(UsageError, match="strata"):
        fd.estimate(rows_of(), labels_chosen_by="system", strata="score")


def test_the_judge_alone_leaves_out_labels_from_elsewhere():
    rows = rows_of()
    part = fd.estimate(rows, labels_chosen_by="elsewhere").all
    others = [row["score"] for row in rows if row["label"] is None]
    assert part.judge_mean == pytest.approx(sum(others) / len(others))
    assert part.uncorrected.n == len(others)
