"""Trials of a case: all of them count, and a case is a cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from each_row import each_row
from trial_tables import by_system, trial_rows

from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.tables.table_files import read_table
from fiducial.errors import InputError
from fiducial.evaluation.run_table import read_tables
from fiducial.records import Output, Verdict, write_records


def test_all_trials_of_a_table_count_and_a_case_is_a_cluster() -> None:
    rows = trial_rows({"x": [0, 1, 2, 3], "y": [0, 1, 2, 3]})
    found = by_system(rows)
    (pair,) = found.pairs
    assert (pair.n, pair.n_clusters) == (120, 30)
    assert {name: (each.n, each.n_left_out) for name, each in found.contenders.items()} == {
        "x": (120, 0),
        "y": (120, 0),
    }
    assert not {"repeats", "no_output", "uneven_trials"} & {caution.kind for caution in found.cautions}
    mean = {s: np.mean([r["score"] for r in rows if r["system"] == s]) for s in "xy"}
    assert pair.difference.value == pytest.approx(mean["x"] - mean["y"])


def test_a_table_of_trials_is_compared_like_items_that_name_them_and_like_a_run() -> None:
    rows = trial_rows({"x": [0, 1, 2, 3], "y": [0, 1, 2, 3]})
    named = [
        {name: value for name, value in r.items() if name != "trial"}
        | {"item_id": f"{r['item_id']}|{r['system']}|{r['trial']}"}
        for r in rows
    ]
    (pair,) = by_system(rows).pairs
    for others in (named, [r | {"cluster": r["item_id"].split("|")[0]} for r in named]):
        assert by_system(others).pairs == [pair]


@pytest.mark.parametrize("column", ["score", "label", "checker_score"])
def test_verdicts_labels_and_decisions_of_all_trials_count(column: str) -> None:
    rows = [r | {column: r["score"]} for r in trial_rows({"x": [0, 1, 2], "y": [0, 1, 2]})]
    strata = by_system(rows).strata
    assert strata is not None
    part = strata.open if column == "score" else strata.decided
    assert part.graded == {"x": 90, "y": 90}
    passed = [r["score"] for r in rows if r["system"] == "x"]
    assert part.rates["x"].value == pytest.approx(np.mean(passed))


def test_trials_meet_whatever_they_are_called() -> None:
    same = trial_rows({"x": [0, 1, 2], "y": [0, 1, 2]})
    apart = trial_rows({"x": ["a1", "a2", "a3"], "y": ["b7", "b8", "b9"]})
    assert by_system(apart).pairs == by_system(same).pairs


def test_repeated_verdicts_are_no_trials() -> None:
    rows = [
        {name if name != "trial" else "repeat": value for name, value in r.items()}
        for r in trial_rows({"x": [0, 1], "y": [0, 1]})
    ]
    found = by_system(rows)
    assert found.pairs[0].n == 30
    assert {caution.kind: caution.about for caution in found.cautions}["repeats"] == {"j": 60}


@pytest.mark.parametrize("right", ["agrees", "score", "label"])
def test_any_meaning_of_right_takes_all_trials(right: Any) -> None:
    rows = [r | {"label": 1.0} for r in trial_rows({"x": [0, 1, 2], "y": ["t", "u", "v"]})]
    assert by_system(rows, right=right).pairs[0].n == 90
    assert by_system(rows, right=right).pairs[0].n_clusters == 30


def test_judges_of_several_trials_meet_on_each() -> None:
    rows = trial_rows({"x": [0, 1, 2]}, label=1.0)
    other = [r | {"judge": "k", "score": 1.0} for r in rows]
    (pair,) = compare(table_from_rows(rows + other)).pairs
    assert (pair.n, pair.n_clusters) == (90, 30)
    assert pair.b_only_right == sum(r["score"] == 0.0 for r in rows)
    assert compare(table_from_rows(rows + other), right="score").pairs[0].n == 90


@each_row("suffix", [".csv", ".jsonl"])
@each_row("column", ["trial", "epoch", "sample"])
def test_a_file_of_trials_is_read_with_its_column(column: str, suffix: str, tmp_path: Path) -> None:
    rows = [
        {column if name == "trial" else name: value for name, value in r.items()}
        for r in trial_rows({"x": [0, 1], "y": [0, 1]})
    ]
    path = tmp_path / f"t{suffix}"
    path.write_text(
        "".join(
            [",".join(rows[0]) + "\n", *(",".join(map(str, r.values())) + "\n" for r in rows)]
            if suffix == ".csv"
            else [json.dumps(r) + "\n" for r in rows]
        )
    )
    if column not in {"trial", "attempt", "epoch"}:
        with pytest.raises(InputError, match=f"map={{'trial': '{column}'}}"):
            read_table([path])
    read = read_table([path], columns={"trial": column})
    assert compare(read, by="system").pairs[0].n == 60


def test_a_run_folder_of_trials_is_compared_like_its_table(tmp_path: Path) -> None:
    rows = trial_rows({"x": [0, 1, 2], "y": [0, 1, 2]})
    keys = [Output(case_id=r["item_id"], system=r["system"], trial=r["trial"]).key for r in rows]
    write_records(
        tmp_path / "verdicts.jsonl",
        [
            Verdict.on(
                key,
                score=r["score"],
                by="answer/strict",
                source="checker",
                error_type=None if r["score"] else "wrong",
            )
            for key, r in zip(keys, rows, strict=True)
        ],
    )
    (pair,) = compare(read_tables([tmp_path], outputs=True), by="system").pairs
    (of_table,) = by_system([r | {"checker_score": r["score"]} for r in rows]).pairs
    assert pair == of_table
