"""Baselines, people among themselves, and alpha of many raters with gaps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from known_numbers import covers, printed, value_of

from fiducial.calibration import JudgeCalibration, Settings, calibrate, table_from_rows
from fiducial.calibration.agreement.judge_panel import reliability
from fiducial.calibration.statistics.krippendorff import Level
from fiducial.records import JudgeId

TRUTH = [1, 0, 1, 0] * 10


def rows_of(columns: dict[str, Any] | None = None, *, judge: str = "j") -> list[dict[str, Any]]:
    return [
        {"item_id": f"i{number}", "judge": judge, "score": label, "label": label}
        | {name: values[number] for name, values in (columns or {}).items()}
        for number, label in enumerate(TRUTH)
    ]


def flipped(every: int) -> list[int]:
    return [1 - label if number % every == 0 else label for number, label in enumerate(TRUTH)]


def baselines_of(rows: list[dict[str, Any]]) -> dict[str, JudgeCalibration]:
    return calibrate(table_from_rows(rows)).baselines


def test_a_cheap_way_to_grade_has_a_panel_where_it_speaks() -> None:
    checker = [*flipped(4)[:20], *[None] * 20]
    found = baselines_of(rows_of({"baseline:checker": checker}))["checker"]
    assert (found.n, found.n_missing) == (20, 0)
    assert found.statistics["accuracy"].value == 0.75


def test_the_judge_that_compares_words_is_a_baseline_of_the_others() -> None:
    judges = {"words": JudgeId(kind="baseline", name="rubric", fingerprint="f")}
    both, alone = (
        calibrate(replace(table_from_rows(rows), judges=judges)).baselines
        for rows in (rows_of() + rows_of(judge="words"), rows_of(judge="words"))
    )
    assert both["lexical"].accuracy.value == 1.0
    assert "lexical" not in alone


def test_people_are_judged_by_each_other() -> None:
    people = {"person:ben": flipped(5), "person:ada": TRUTH, "person:cem": [1, *[None] * 39]}
    result = calibrate(table_from_rows(rows_of(people) + rows_of(people, judge="k")))
    found = result.baselines["human_human"]
    # Forty pairs of ada and ben, one each of them with cem; the item's pairs are one cluster.
    assert (found.n, found.n_clusters) == (42, 40)
    assert found.statistics["accuracy"].value == pytest.approx(33 / 42)
    assert result.people is not None
    assert result.people.names == ["ben", "ada", "cem"]
    assert 0.5 < value_of(result.people.krippendorff_alpha["nominal"]) < 0.7


def test_one_person_alone_is_no_baseline() -> None:
    result = calibrate(table_from_rows(rows_of({"person:ada": TRUTH})))
    assert set(result.baselines) == {"always_pass", "always_fail"}
    assert result.people is None


def test_two_persons_on_different_items_are_no_baseline() -> None:
    apart = {"person:ada": [*TRUTH[:20], *[None] * 20], "person:ben": [*[None] * 20, *TRUTH[20:]]}
    result = calibrate(table_from_rows(rows_of(apart)))
    assert "human_human" not in result.baselines
    assert result.people is None


def test_they_are_printed_apart_from_judges_that_do_not_look() -> None:
    people = {"person:ada": TRUTH, "person:ben": flipped(5), "baseline:regex": flipped(4)}
    text = printed(calibrate(table_from_rows(rows_of(people))))
    assert "Other graders, on the items that they grade:\n  regex" in text
    assert "Krippendorff's alpha of 2 people among themselves:\n  nominal" in text


GAP = np.nan

FOUR = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
        [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
    ]
)
"""Krippendorff 2011: four observers, twelve units, gaps."""


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_example(level: Level, published: float) -> None:
    found = reliability(FOUR, level)
    assert found.value == pytest.approx(published, abs=0.0006)
    assert found.n == 11  # the last unit has one value
    assert covers(found, published)


def test_intervals_cover_the_alpha_of_a_large_population() -> None:
    rng = np.random.default_rng(11)

    def sample(units: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        truth = rng.integers(3, size=units)
        ratings = np.where(rng.random((3, units)) < 0.7, truth, rng.integers(3, size=(3, units))).astype(
            float
        )
        ratings[rng.random((3, units)) < 0.2] = np.nan
        return ratings

    alpha = reliability(sample(200_000), settings=Settings(replicates=20)).value
    assert alpha is not None
    covered = 0
    for _ in range(200):
        found = reliability(sample(80), settings=Settings(replicates=500))
        covered += (found.low or -1.0) <= alpha <= (found.high or -1.0)
    assert covered / 200 >= 0.905  # three Monte Carlo errors below 95 %


def test_units_that_depend_on_each_other_make_the_interval_wider() -> None:
    rng = np.random.default_rng(2)
    unit = (rng.random((2, 40)) < 0.5).astype(float)
    unit[1] = np.where(rng.random(40) < 0.8, unit[0], unit[1])
    ratings = np.repeat(unit, 5, axis=1)
    alone, together = reliability(ratings), reliability(ratings, cluster=np.repeat(np.arange(40), 5))
    assert alone.value == together.value
    assert (together.high or 0) - (together.low or 0) > 1.5 * ((alone.high or 0) - (alone.low or 0))


def test_what_cannot_be_computed_says_why() -> None:
    assert reliability(np.array([[1.0, GAP], [GAP, 2.0]])).undefined == "no unit has two values"
    assert reliability(np.ones((2, 3))).undefined == "all values are one and the same"
    perfect = reliability(np.array([[1.0, 2.0, 3.0] * 10] * 2))
    assert (perfect.value, perfect.method) == (1.0, "no interval: nothing varies over the units")
    few = reliability(np.array([[1.0, 2.0]] * 2))
    assert (few.low, few.high) == (None, None)
    assert "of the replicates are undefined" in (few.method or "")
    with pytest.raises(ValueError, match="at least 0"):
        reliability(np.array([[-1.0], [1.0]]), "ratio")


def test_several_judges_have_rates_that_hold_for_all_at_once_also_by_system() -> None:
    systems = {"system": ["a", "a", "b", "b"] * 10}
    alone, both = (
        calibrate(table_from_rows(rows), replicates=20)
        for rows in (rows_of(systems), rows_of(systems) + rows_of(systems, judge="k"))
    )
    assert alone["j"].rates_at_once == {}
    for panel in (both["j"], both.slices["system"]["a"]["k"]):
        assert list(panel.rates_at_once) == ["true_positive_rate", "true_negative_rate", "bias"]
        for name, found in panel.rates_at_once.items():
            own = panel.statistics[name]
            assert found.value == own.value
            assert (found.high or 0) - (found.low or 0) > (own.high or 0) - (own.low or 0)


@pytest.mark.parametrize(
    ("unlabelled", "chosen_by", "declared"),
    [
        (0, None, "every_output"),
        (1, None, None),
        (1, "random", "random"),
        (1, "review", "review"),
        (1, "system", None),
        (1, "label", None),
    ],
)
def test_labels_are_of_every_output_or_declared_to_be_a_random_sample(
    unlabelled: int, chosen_by: Any, declared: str | None
) -> None:
    rows = [*rows_of(), *({"item_id": f"u{n}", "judge": "j", "score": 1} for n in range(unlabelled))]
    table = replace(table_from_rows(rows), labels_chosen_by=chosen_by)
    assert calibrate(table, replicates=20)["j"].declared == declared
