"""No two judges are shown alike, and none of the user's own as one of ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row
from judge_ids import judge_id

from fiducial.calibration.agreement.calibration_results import Calibration, JudgeCalibration
from fiducial.calibration.statistic import Statistic
from fiducial.evaluation.judging.judge_names import display_names, judge_order
from fiducial.evaluation.store.manifest import JudgeRecord
from fiducial.judges.catalogue import OF_TRANSCRIPTS, all_prompts


def own(path: str, fingerprint: str | None = None, **fields: Any) -> JudgeRecord:
    known = judge_id(Path(path).stem, fingerprint=fingerprint or f"{path:x<64}", **fields)
    return JudgeRecord(by=known.plain, id=known, prompt=path)


def names(*judges: JudgeRecord, known: tuple[JudgeRecord, ...] = ()) -> list[str]:
    found = display_names(judges, known)
    return [found[judge.id] for judge in judges]


def test_a_judge_that_is_alone_with_its_name_has_a_plain_one():
    assert names(own("/p/a/mine.prompty"), own("/p/b/other.prompty")) == ["mine/custom@m", "other/custom@m"]


def test_no_prompt_that_comes_along_has_the_variant_of_ones_own():
    assert "custom" not in {name.variant for name in all_prompts()}


@pytest.mark.parametrize(
    ("paths", "shown"),
    [
        (["/p/a/mine.prompty", "/p/b/mine.prompty"], ["a/mine@m", "b/mine@m"]),
        (["/x/a/mine.prompty", "/y/a/mine.prompty"], ["x/a/mine@m", "y/a/mine@m"]),
        (["/mine.prompty", "/p/mine.prompty"], ["mine@m", "p/mine@m"]),
        (["/p/rubric/direct.prompty", "/p/jury/direct.prompty"], ["p/rubric/direct@m", "p/jury/direct@m"]),
    ],
)
def test_prompts_of_one_name_are_told_apart_by_the_shortest_end_of_their_paths(
    paths: list[str], shown: list[str]
):
    assert names(*map(own, paths)) == shown


def test_one_prompt_asked_in_two_ways_is_told_apart_by_its_fingerprints():
    again = [own("/p/mine.prompty", "1" * 64), own("/p/mine.prompty", "2" * 64)]
    assert names(*again) == ["mine/custom@m#111111", "mine/custom@m#222222"]


def test_fingerprints_that_begin_alike_are_shown_as_far_as_they_differ():
    again = [own("/p/mine.prompty", "1" * 64), own("/p/mine.prompty", "1" * 7 + "2" * 57)]
    assert names(*again) == ["mine/custom@m#11111111", "mine/custom@m#11111112"]


def test_models_tell_one_prompt_apart():
    assert names(own("/p/mine.prompty"), own("/p/mine.prompty", model="n")) == [
        "mine/custom@m",
        "mine/custom@n",
    ]


def test_who_has_a_name_keeps_it_and_who_comes_later_is_told_apart_from_it():
    first, later = own("/p/a/mine.prompty"), own("/p/b/mine.prompty")
    assert names(first, later, known=(first,)) == ["mine/custom@m", "b/mine@m"]
    assert names(later, known=(first,)) == ["b/mine@m"]


def test_an_end_of_a_path_that_is_another_judges_name_is_not_taken():
    judges = own("/p/mine.prompty"), own("/p/mine/custom.prompty"), own("/q/custom.prompty")
    assert names(*judges) == ["mine/custom@m", "p/mine/custom@m", "q/custom@m"]


def ordered(
    *judges: JudgeRecord, bounds: Mapping[str, tuple[float | None, float | None]] | None = None
) -> list[str]:
    """Return the judges' names in their order of precedence.

    ``bounds`` are the lower bounds of their true positive and true negative rates, by name.
    """
    panels = {
        name: JudgeCalibration(
            statistics={
                rate: Statistic(value=0.95, low=low, n=40)
                for rate, low in zip(("true_positive_rate", "true_negative_rate"), ends, strict=True)
            }
        )
        for name, ends in (bounds or {}).items()
    }
    found = judge_order(judges, None if bounds is None else Calibration(judges=panels))
    return [next(judge.by for judge in judges if judge.id == id_) for id_ in found]


def judge(name: str, **fields: Any) -> JudgeRecord:
    return JudgeRecord(by=name, id=judge_id(name), **fields)


A, B, C = map(judge, "abc")


@each_row(
    ("bounds", "order"),
    [
        # The rate in which a judge is worse decides, whichever it is.
        ({"a": (0.95, 0.4), "b": (0.7, 0.7)}, ["b", "a", "c"]),
        ({"a": (0.4, 0.95), "b": (0.7, 0.7)}, ["b", "a", "c"]),
        # If these are equal, the other one does.
        ({"a": (0.7, 0.8), "b": (0.9, 0.7)}, ["b", "a", "c"]),
        # An unknown rate is worse than any known one.
        ({"a": (0.9, None), "b": (0.1, 0.1)}, ["b", "a", "c"]),
        ({"c": (0.1, 0.1)}, ["c", "a", "b"]),
        # Equal judges stay as given.
        ({"a": (0.7, 0.8), "b": (0.8, 0.7), "c": (0.7, 0.8)}, ["a", "b", "c"]),
    ],
)
def test_the_judge_whose_worse_rate_is_surely_better_counts(
    bounds: dict[str, tuple[float | None, float | None]], order: list[str]
):
    assert ordered(A, B, C, bounds=bounds) == order


def test_without_calibration_judges_count_as_given():
    assert ordered(C, A, B) == ["c", "a", "b"]


def test_a_judge_of_certain_kinds_counts_before_one_of_transcripts_and_one_of_any():
    certain = judge("certain", kinds=("open_answer",))
    transcripts = JudgeRecord(by="transcripts", id=judge_id(min(OF_TRANSCRIPTS)), kinds=("open_answer",))
    known = {"certain": (0.1, 0.1), "transcripts": (0.5, 0.5), "a": (0.9, 0.9)}
    assert ordered(A, transcripts, certain, bounds=known) == ["certain", "transcripts", "a"]
