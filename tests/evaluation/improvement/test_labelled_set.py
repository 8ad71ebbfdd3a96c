from __future__ import annotations

from pathlib import Path

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.calibration.decisions import Decision, Decisions
from fiducial.errors import InputError, RunFolderError
from fiducial.evaluation.improvement.labelled_set import (
    LabelledItem,
    LabelledSet,
    adjudicated_sha256,
    divide_items,
    labelled_items,
    lock_division,
)
from fiducial.evaluation.judging.tasks import judge_task
from fiducial.records import Case, ItemKey, Output, memory_file


def item(number: int, group: str, label: float | None = 1.0) -> LabelledItem:
    case = Case(id=f"c{number}", kind="open_answer", messages=[], reference={"criterion": "x"}, cluster=group)
    return LabelledItem(case, Output(case_id=case.id, system="s", text=f"a{number}"), label, False, group)


@given(st.integers(0, 1_000), st.integers(60, 120), st.integers(1, 60))
def test_no_group_is_on_both_sides_and_none_changes_sides_when_items_are_added(seed: int, n: int, more: int):
    items = [item(number, f"g{number % 30}") for number in range(n + more)]
    try:
        before, after = divide_items(items[:n], seed, 0.5), divide_items(items, seed, 0.5)
    except InputError:  # a side is too small
        return
    groups = [{labelled_item.group for labelled_item in side} for side in after]
    assert groups[0].isdisjoint(groups[1])
    assert {labelled_item.group for labelled_item in before.holdout} <= groups[1]


def test_the_division_is_that_of_the_seed():
    items = [item(number, f"g{number}") for number in range(100)]
    assert divide_items(items, 1, 0.5) == divide_items(items[::-1][::-1], 1, 0.5)
    assert divide_items(items, 1, 0.5) != divide_items(items, 2, 0.5)


def test_too_few_labelled_items_of_a_side_are_refused():
    items = [item(number, f"g{number}") for number in range(12)]
    with pytest.raises(InputError, match="at least 10 are needed"):
        divide_items(items, 0, 0.5)


def test_items_that_cannot_be_decided_do_not_count_as_labelled():
    items = [item(number, f"g{number}", None) for number in range(100)]
    with pytest.raises(InputError, match=r"^0 labelled items for development, and at least 10 are needed"):
        divide_items(items, 0, 0.5)


def test_decisions_replace_labels():
    cases = [
        Case(id=f"c{n}", kind="open_answer", messages=[], reference={"criterion": "x"}) for n in range(4)
    ]
    outputs = [Output(case_id=case.id, system="s", text="a") for case in cases]
    said = {"c1|s|0": "wrong", "c2|s|0": "undecidable", "c3|s|0": "right"}
    given_labels = {ItemKey(case.id, "s", 0): 1.0 for case in cases[:3]}
    decided = Decisions({key: (Decision("ann", found),) for key, found in said.items()})  # pyright: ignore[reportArgumentType] - texts of a table
    files = LabelledSet(
        [memory_file("cases", cases)], [memory_file("outputs", outputs)], given_labels, decided
    )
    found = labelled_items(files, judge_task("rubric", "m"))
    assert [(labelled_item.label, labelled_item.adjudicated) for labelled_item in found] == [
        (1.0, False),
        (0.0, True),
        (None, True),
    ]


def test_outputs_without_a_label_are_refused():
    files = LabelledSet(
        [memory_file("cases", [item(0, "g").case])], [memory_file("outputs", [item(0, "g").output])], {}
    )
    with pytest.raises(InputError, match="has a label"):
        labelled_items(files, judge_task("rubric", "m"))


@each_row(
    ("changed", "named"),
    [
        ({"judge": "other"}, "another prompt or model"),
        ({"margin": 0.2}, "margin"),
        ({"seed": 2}, "seed"),
        ({"holdout": 0.3}, "holdout"),
        ({"items": [item(7, "g")]}, "other labelled items"),
    ],
)
def test_a_folder_belongs_to_one_division(tmp_path: Path, changed: dict[str, object], named: str):
    first: dict[str, object] = {
        "items": [item(0, "g")],
        "judge": "p",
        "seed": 1,
        "holdout": 0.5,
        "margin": 0.1,
    }
    lock_division(tmp_path, **first)  # pyright: ignore[reportArgumentType]
    lock_division(tmp_path, **first)  # pyright: ignore[reportArgumentType]
    with pytest.raises(RunFolderError, match=named):
        lock_division(tmp_path, **(first | changed))  # pyright: ignore[reportArgumentType]


def test_a_division_that_cannot_be_read_is_no_fresh_start(tmp_path: Path):
    (tmp_path / "division.json").write_bytes(b'{"items": "\xff"}')
    with pytest.raises(RunFolderError, match=r"division\.json: cannot be read"):
        lock_division(tmp_path, [], "p", seed=1, holdout=0.5, margin=0.1)


def test_labels_are_others_once_one_is_adjudicated():
    one = item(0, "g")
    assert adjudicated_sha256([one]) != adjudicated_sha256([one._replace(adjudicated=True)])
    assert adjudicated_sha256([one, item(1, "g")]) == adjudicated_sha256([item(1, "g"), one])
