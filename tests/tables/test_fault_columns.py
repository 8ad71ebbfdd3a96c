"""Columns named after a fault: which of their values is good is asked, never guessed."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.errors import ChoiceNeeded
from fiducial.records.scale import Scale
from fiducial.tables.fault_columns import direction_options, is_fault

pytestmark = pytest.mark.usefixtures("typed_options")


@each_row(
    ("name", "fault"),
    [
        ("hallucination", True),
        ("Has Hallucinations", True),
        ("is_toxic", True),
        ("toxicity_score", True),
        ("refused", True),
        ("error", True),
        ("policy-violation", True),
        ("unsafe", True),
        ("error_free", False),
        ("not_toxic", False),
        ("faithfulness", False),
        ("human", False),
        ("terrorism", False),
    ],
)
def test_a_name_means_a_fault_by_its_words(name: str, fault: bool) -> None:
    assert is_fault(name) is fault


@each_row(
    ("values", "asked"),
    [
        (["no", "Yes"], ["Yes=?", "no=?"]),
        (["no", "no"], ["no=?", "yes=?"]),  # a later row may say yes
        ([True], ["True=?", "false=?"]),
        (
            [0, 1, None],
            ["--label-scale", "?:?"],
        ),  # as words, they would be turned round in other columns, too
        (["1", "n/a"], ["--label-scale", "?:?"]),
        (["pass", "fail", "supported"], []),  # good or bad by themselves
        (["unclear", ""], []),
        ([None], []),
    ],
)
def test_values_that_only_say_whether_it_is_so_are_asked(values: list[Any], asked: list[str]) -> None:
    assert [
        part for part in shlex.split(direction_options("refused", values)) if part != "--map-label"
    ] == asked


def test_numbers_that_are_more_than_two_ask_for_the_ends_of_their_scale() -> None:
    assert direction_options("toxicity", [0.1, 0.9]) == "--label-scale '?:?'"
    assert direction_options("toxicity", [1, 5], judge=True) == "--score-scale 'toxicity=?:?'"
    assert direction_options("toxicity", [0.1, 0.9], Scale.from_ends(ends=(1.0, 0.0))) == ""


def test_nothing_is_asked_once_every_value_is_mapped() -> None:
    half, whole = Scale.from_ends(words={"no": 1.0}), Scale.from_ends(words={"no": 1.0, "yes": 0.0})
    assert direction_options("refused", ["no", "yes"], half) == "--map-label 'yes=?'"
    assert direction_options("refused", ["no", "yes"], whole) == ""
    assert direction_options("quality", ["no", "yes"]) == ""


@each_row(
    ("toxic", "passed"),
    [((1, 0), (1, 0)), (("yes", "no"), ("no", "yes")), ((True, False), (True, False)), ((0.9, 0.1), (1, 0))],
)
def test_the_direction_of_a_fault_is_asked_without_turning_other_columns_round(
    toxic: tuple[Any, Any], passed: tuple[Any, Any]
) -> None:
    rows = [{"id": n, "human_toxic": toxic[n % 2], "judge_passed": passed[(n % 3) % 2]} for n in range(12)]
    with pytest.raises(ChoiceNeeded) as asked:
        fd.calibrate(rows)
    assert asked.value.arguments == {"label_scale": ("?", "?")}
    turned = fd.calibrate(rows, label_scale=(1, 0))["judge_passed"]
    good = [n % 2 == 1 for n in range(12)]
    said = [_passes(passed[(n % 3) % 2]) for n in range(12)]
    assert turned.tp == sum(a and b for a, b in zip(good, said, strict=True))


def _passes(value: Any) -> bool:
    return value in (1, True, "yes")
