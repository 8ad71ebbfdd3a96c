"""Columns that decided which items have labels contradict a random sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from each_row import each_row
from scipy.stats import binom

import fiducial as fd
from fiducial.calibration import Table, table_from_rows
from fiducial.calibration.arrays import BoolArray
from fiducial.calibration.corrected_rate.chosen_by_columns import chosen_by_columns, contradiction, explaining
from fiducial.calibration.corrected_rate.chosen_labels import selection_p
from fiducial.report.document import as_lines


def rows_of(
    draw: int, *, chosen: bool, clusters: bool = False, systems: tuple[str, ...] = ("a",)
) -> list[Any]:
    """Return 400 judged outputs, 80 with labels: at random, or mostly of one language."""
    rng = np.random.default_rng(draw)
    lang = rng.choice(["de", "en", "fr"], 400, p=[0.2, 0.5, 0.3])
    truth = rng.random(400) < np.where(lang == "en", 0.9, 0.6)
    score = np.where(rng.random(400) < 0.9, truth, ~truth)
    chance = np.where(lang == "en", 4.0, 1.0) if chosen else np.ones(400)
    known = set(rng.choice(400, 80, replace=False, p=chance / chance.sum()).tolist())
    if clusters:
        known = {
            n
            for group in rng.choice(100, 20, replace=False).tolist()
            for n in range(4 * group, 4 * group + 4)
        }
    return [
        {
            "item_id": f"i{n}",
            "judge": "j",
            "score": float(score[n]),
            "label": float(truth[n]) if n in known else None,
            "lang": str(lang[n // 4 * 4 if clusters else n]),
            "system": systems[n % len(systems)],
        }
        | ({"cluster": f"g{n // 4}"} if clusters else {})
        | ({"annotator": "ann"} if n in known else {})
        for n in range(400)
    ]


def test_a_column_that_decided_contradicts_a_declared_random_sample_and_is_named():
    rows = rows_of(1, chosen=True)
    part = fd.estimate(rows, labels_chosen_by="random").all
    assert part.reported is None
    assert set(part.scenarios or ()) == {"score", "label", "elsewhere"}
    assert list(part.chosen_by_columns) == ["lang"]
    assert part.explained_by == ["lang"]
    lines = " ".join(as_lines(fd.estimate(rows, labels_chosen_by="random").screen(), width=None))
    assert "lang explains it" in lines
    assert fd.estimate(rows, labels_chosen_by="random", reweight_by=["lang"]).all.reported == "reweighted"


@pytest.mark.parametrize("clusters", [False, True])
def test_random_draws_are_seldom_contradicted(clusters: bool):
    tables = (table_from_rows(rows_of(draw, chosen=False, clusters=clusters)) for draw in range(60))
    assert sum(bool(chosen_by_columns(table)) for table in tables) <= 2


def test_a_column_that_only_labelled_items_have_is_no_contradiction():
    table = table_from_rows(rows_of(2, chosen=False))
    assert "annotator" in table.columns
    assert not chosen_by_columns(table)


def test_a_column_that_leaves_the_scores_unlike_explains_nothing():
    rows = rows_of(1, chosen=True)
    rows = [row | ({"label": None} if row["score"] == 0.0 else {}) for row in rows]
    assert not explaining(table_from_rows(rows), {"lang": 0.001})


@each_row(
    ("declared", "undefined"),
    [
        ({}, True),
        ({"labels_chosen_by": "system"}, True),
        ({"labels_chosen_by": "label"}, True),
        ({"labels_chosen_by": "score"}, True),
        ({"strata": "system"}, False),
    ],
)
def test_a_system_without_labels_leaves_all_uncorrected(declared: dict[str, Any], undefined: bool):
    rows = [
        row | ({"label": None} if row["system"] == "b" else {})
        for row in rows_of(3, chosen=False, systems=("a", "b"))
    ]
    found = fd.estimate(rows, **declared)
    assert found["b"].reported is None
    assert found["b"].labels_only.undefined is not None
    assert found["a"].reported is not None
    if undefined:
        assert found.all.reported is None
        assert "no output of b has a label" in (found.all.labels_only.undefined or "")


def test_systems_with_samples_of_their_own_are_weighted_by_their_outputs():
    rows = rows_of(4, chosen=False, systems=("a", "a", "a", "b"))
    found = fd.estimate(rows, labels_chosen_by="system")
    parts = [(found[name].estimates["ppi_plus_plus"].value or 0.0) for name in "ab"]
    assert found.all.rate.value == pytest.approx(0.75 * parts[0] + 0.25 * parts[1], abs=0.02)


def chosen_by_all(*, columns: bool) -> Table:
    """Return rows whose labels went by language and score, with languages or without."""
    rows = [
        row | ({"label": None} if n % 4 and not row["score"] else {})
        for n, row in enumerate(rows_of(1, chosen=True))
    ]
    names = ["item_id", "judge", "score", "label", *(["lang"] if columns else [])]
    return table_from_rows([{name: row[name] for name in names} for row in rows])


@each_row(("columns", "tables"), [(False, 1), (False, 3), (True, 1), (True, 3)])
def test_p_values_count_all_tests_of_a_table_and_all_tables(columns: bool, tables: int):
    table = chosen_by_all(columns=columns)
    labelled = np.isfinite(table.label)
    alone = selection_p(table.score, labelled, table.cluster)
    assert alone is not None
    found = contradiction(table, table.score, tables=tables)
    assert found.score == pytest.approx((2 if columns else 1) * alone * tables)
    assert list(found.columns) == (["lang"] if columns else [])
    if columns:
        languages = table.columns["lang"].codes
        least = min(two_sided_p(languages == index, labelled) for index in range(3))
        # One test of each language, and half of the level is the score's.
        assert found.columns["lang"] == pytest.approx(2 * 3 * least * tables)


def two_sided_p(has: BoolArray, labelled: BoolArray) -> float:
    """Return twice the smaller tail of the number of labelled rows with a value."""
    chance, both = binom(int(labelled.sum()), has.mean()), int((has & labelled).sum())
    return 2 * float(min(chance.cdf(both), chance.sf(both - 1)))
