"""Labels of systems that are unlike a random sample by scores or columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fiducial as fd
from fiducial.report.document import as_lines


def rows_of(*, chosen: bool, systems: str = "ab") -> list[dict[str, Any]]:
    """Return 300 outputs a system, a quarter labelled: at random, or mostly of a language."""
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = []
    for system in systems:
        lang = rng.choice(["de", "en"], 300)
        truth = rng.random(300) < np.where(lang == "en", 0.9, 0.5)
        score = np.where(rng.random(300) < 0.9, truth, ~truth)
        chance = np.where(lang == "en", 5.0, 1.0) if chosen else np.ones(300)
        known = set(rng.choice(300, 75, replace=False, p=chance / chance.sum()).tolist())
        rows += [
            {
                "item_id": f"i{n}",
                "system": system,
                "judge": "j",
                "score": float(score[n]),
                "checker_score": None,
                "label": float(truth[n]) if n in known else None,
                "lang": str(lang[n]),
            }
            for n in range(300)
        ]
    return rows


def open_part(rows: list[dict[str, Any]], **options: Any) -> Any:
    found = fd.compare(rows, by="system", **options)
    assert found.strata is not None
    return found.strata.open


@pytest.mark.parametrize("declared", [None, "random", "system"])
def test_a_column_that_decided_which_outputs_have_labels_leaves_systems_uncorrected(declared: Any):
    part = open_part(rows_of(chosen=True), labels_chosen_by=declared)
    assert set(part.contradicted) == set(part.chosen) == {"a", "b"}
    assert not part.corrected_systems
    assert not part.if_random
    assert [list(each.columns) for each in part.contradicted.values()] == [["lang"]] * 2
    assert [each.explained_by for each in part.contradicted.values()] == [["lang"]] * 2


def test_more_systems_are_more_tests_of_each():
    found = [open_part(rows_of(chosen=True, systems=literal)).contradicted["a"] for literal in ("ab", "abc")]
    assert found[1].columns["lang"] == pytest.approx(3 / 2 * found[0].columns["lang"])


def test_the_scenarios_of_a_system_are_those_of_estimate():
    rows = rows_of(chosen=True)
    part = open_part(rows, labels_chosen_by="random")
    alone = fd.estimate([row for row in rows if row["system"] == "a"], labels_chosen_by="random").all
    assert part.contradicted["a"].scenarios == alone.scenarios


def test_outputs_that_a_checker_decided_are_no_part_of_the_test():
    rows = rows_of(chosen=False)
    decided = [
        row
        | {"item_id": f"d{row['item_id']}", "score": None, "checker_score": 1.0, "label": None, "lang": "fr"}
        for row in rows
    ]
    assert not open_part([*rows, *decided], labels_chosen_by="random").contradicted
    found = fd.compare([*rows, *decided], by="system", labels_chosen_by="random").strata
    assert found is not None
    assert not found.all.contradicted
    assert found.all.corrected_systems == ["a", "b"]


def test_with_unequal_trials_labels_are_contradicted_without_scenarios():
    rows = rows_of(chosen=True)
    again = [row | {"trial": 1, "label": None} for row in rows[::7]]
    found = open_part([row | {"trial": 0} for row in rows] + again, labels_chosen_by="random").contradicted
    assert {name: each.scenarios for name, each in found.items()} == {"a": {}, "b": {}}


def test_scenarios_stand_side_by_side_on_the_screen_with_what_explains_them():
    rows = rows_of(chosen=True)
    shown = " ".join(as_lines(fd.compare(rows, by="system", labels_chosen_by="random").screen(), width=None))
    assert "Labelled outputs of a are unlike the others by lang" in shown
    assert "if they were chosen by score 0." in shown
    assert "lang explains it" in shown


@pytest.mark.parametrize(
    ("chosen", "declared"), [(False, "random"), (True, "score"), (True, "label"), (True, "elsewhere")]
)
def test_random_labels_and_those_declared_to_be_none_are_contradicted_by_nothing(chosen: bool, declared: Any):
    part = open_part(rows_of(chosen=chosen), labels_chosen_by=declared)
    assert not part.contradicted
    assert bool(part.corrected_systems) == (not chosen)
