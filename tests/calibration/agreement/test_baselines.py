"""What a judge has to beat, beside the judges that do not look."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from known_numbers import printed, value_of

from fiducial.calibration import JudgeCalibration, calibrate, table_from_rows
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
    assert "Other ways to grade, on the items of which they speak:\n  regex" in text
    assert "Krippendorff's alpha of 2 people among themselves:\n  nominal" in text
