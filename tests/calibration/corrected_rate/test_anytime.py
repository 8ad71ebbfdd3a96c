"""`estimate --anytime`: what it rests on, what it refuses, and what it answers."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from each_row import each_row

import fiducial as fd
from fiducial.calibration.corrected_rate.estimation_results import AnytimeBasis, RateEstimate
from fiducial.calibration.corrected_rate.label_order import ordered_labels
from fiducial.calibration.tables.table_files import table_from_rows
from fiducial.errors import UsageError
from fiducial.report.document import as_lines

SIZE, ROUNDS = 140, (10, 14, 12)


def rows_of(
    seed: int = 0, *, column: str | None = "label_added", **more: Callable[[int], object]
) -> list[dict[str, Any]]:
    """Return judged outputs with labels of a random sample, in three rounds."""
    rng = np.random.default_rng(seed)
    right = rng.random(SIZE) < 0.8
    score = np.where(rng.random(SIZE) < 0.85, right, ~right)
    added = dict(zip(rng.permutation(SIZE).tolist(), np.repeat([1, 2, 3], ROUNDS).tolist(), strict=False))
    return [
        {"item_id": f"i{n}", "judge": "j", "score": float(score[n])}
        | ({"label": float(right[n])} if n in added else {"label": None})
        | ({column: added.get(n)} if column else {})
        | {name: value(n) for name, value in more.items()}
        for n in range(SIZE)
    ]


def anytime(rows: list[dict[str, Any]], **options: Any) -> RateEstimate:
    given: dict[str, Any] = {"labels_chosen_by": "random"} | options
    return fd.estimate(rows, anytime=True, **given).all


def basis_of(part: RateEstimate) -> AnytimeBasis:
    assert part.anytime is not None
    return part.anytime


def undefined_of(part: RateEstimate) -> str:
    return part.estimates["anytime"].undefined or ""


def ends_of(part: RateEstimate) -> tuple[float, float]:
    assert part.rate.low is not None
    assert part.rate.high is not None
    return part.rate.low, part.rate.high


def width_of(part: RateEstimate) -> float:
    low, high = ends_of(part)
    return high - low


def test_the_sequence_is_the_answer_and_says_on_which_order_it_rests():
    part = anytime(rows_of())
    assert part.reported == "anytime"
    assert basis_of(part) == AnytimeBasis(order="rounds", rounds=[*ROUNDS], outputs=SIZE, clusters=SIZE)
    assert part.label_rounds == [*ROUNDS]
    plain = fd.estimate(rows_of(), labels_chosen_by="random").all
    assert plain.anytime is None
    assert width_of(part) > width_of(plain)
    written = fd.estimate(rows_of(), anytime=True).to_dict()["all"]
    assert written["anytime"] == {"order": "rounds", "rounds": [*ROUNDS], "outputs": SIZE, "clusters": SIZE}
    assert written["estimates"]["anytime"]["low"] == part.rate.low


def test_undeclared_labels_leave_the_first_line_uncorrected():
    found = fd.estimate(rows_of(), anytime=True)
    lines = list(as_lines(found.screen(), width=None))
    assert "uncorrected" in lines[0]
    assert found.all.only_if_random


@each_row(
    ("column", "more", "options", "why"),
    [
        (None, "", {}, "order in which labels came"),
        ("label_added", "cluster", {}, "unequal sizes"),
        (None, "label_probability", {"labels_chosen_by": None}, "unequal chances"),
        ("label_added", "system", {"labels_chosen_by": "system"}, "each part"),
    ],
)
def test_what_has_no_sequence_has_no_corrected_answer_but_a_reason(
    column: str | None, more: str, options: dict[str, Any], why: str
):
    columns: dict[str, Callable[[int], object]] = {
        "cluster": lambda n: n // 9,
        "label_probability": lambda n: 0.1 + n / 400,
        "system": lambda n: "ab"[n % 2],
    }
    added = {more: columns[more]} if more else {}
    part = anytime(rows_of(0, column=column, **added), **options)
    assert why in undefined_of(part)
    assert part.reported is None


def test_cases_with_unequal_numbers_of_trials_are_refused():
    rows = [
        row | {"item_id": f"i{n // 2 if n < 20 else n}", "trial": n % 2 if n < 20 else 0}
        for n, row in enumerate(rows_of())
    ]
    assert "unequal numbers of trials" in undefined_of(anytime(rows))


def test_clusters_of_equal_size_are_the_draws_from_the_population():
    in_pairs = anytime(rows_of(cluster=lambda n: n // 2))
    assert basis_of(in_pairs).clusters == SIZE // 2
    assert width_of(in_pairs) > width_of(anytime(rows_of()))
    finite = [anytime(rows, target="finite").rate for rows in (rows_of(), rows_of(cluster=lambda n: n // 9))]
    assert finite[0] == finite[1]


def test_with_a_label_on_every_output_no_order_matters():
    rows = [row | {"label": float(n % 5 > 0)} for n, row in enumerate(rows_of(column=None))]
    part = anytime(rows, labels_chosen_by=None, target="finite")
    assert basis_of(part).order == "every_output"
    assert ends_of(part) == pytest.approx((0.8, 0.8), abs=1e-6)


def test_a_round_of_a_draw_counts_when_it_is_complete():
    rows = rows_of(column="label_round")
    assert basis_of(anytime(rows, labels_chosen_by=None)).order == "draws"
    pending = next(row for row in rows if row["label"] is not None)
    pending["label"] = None
    assert "no label yet" in undefined_of(anytime(rows, labels_chosen_by=None))


def test_labels_of_ungraded_outputs_count():
    rows = [row | ({"score": None} if n % 4 == 0 else {}) for n, row in enumerate(rows_of())]
    part = anytime(rows)
    assert part.rate.n == sum(ROUNDS)
    assert part.bounds is None
    graded_only = [row | ({"label": None} if row["score"] is None else {}) for row in rows]
    assert "ungraded outputs has a label" in undefined_of(anytime(graded_only))


def test_the_mean_score_stands_for_that_of_an_ungraded_output():
    rows = [row | ({"score": None} if n % 4 == 0 else {}) for n, row in enumerate(rows_of())]
    mean = float(np.mean([row["score"] for row in rows if row["score"] is not None]))
    filled = [row | ({"score": mean} if row["score"] is None else {}) for row in rows]
    ends = [ends_of(anytime(each, target="finite")) for each in (rows, filled)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


@each_row(
    "options",
    [
        {"strata": "system"},
        {"judges": ["j", "k"]},
        {"phases": ["j", "k"]},
        {"reweight_by": ["system"]},
        {"open_worse_by": 0.1},
        {"labels_chosen_by": "label"},
        {"labels_chosen_by": "score"},
    ],
)
def test_other_designs_are_refused(options: dict[str, Any]):
    with pytest.raises(UsageError, match="anytime"):
        anytime(rows_of(system=lambda _: "a"), **options)


def test_ranks_hold_at_every_look_too():
    rows = [row | {"system": "ab"[n % 2]} for n, row in enumerate(rows_of())]
    parts = fd.estimate(rows, anytime=True, labels_chosen_by="random").parts
    assert [parts[name].reported for name in ("all", "a", "b")] == ["anytime"] * 3
    assert all(parts[name].rank is not None for name in ("a", "b"))


def test_labels_that_look_chosen_have_no_sequence():
    rows = [row | {"label": float(n % 2) if row["score"] == 0 else None} for n, row in enumerate(rows_of())]
    part = anytime(rows)
    assert part.reported is None
    assert part.scenarios is not None


def test_labels_of_a_round_come_in_an_order_that_depends_on_nothing_but_their_ids():
    rows = rows_of()
    forward, backward = (ordered_labels(table_from_rows(each)) for each in (rows, rows[::-1]))
    ids: list[list[str]] = [
        [each[number]["item_id"] for number in order.rows.tolist()]
        for each, order in ((rows, forward), (rows[::-1], backward))
    ]
    assert ids[0] == ids[1]
    flipped = [row | {"label": None if row["label"] is None else 1 - row["label"]} for row in rows]
    assert (ordered_labels(table_from_rows(flipped)).rows == forward.rows).all()
    rounds: list[int] = [rows[number]["label_added"] for number in forward.rows.tolist()]
    assert rounds == sorted(rounds)


def test_rounds_caution_a_fixed_interval_and_not_a_sequence():
    kinds = {
        name: {caution.kind: caution.about for caution in fd.estimate(rows_of(), anytime=name).all.cautions}
        for name in (True, False)
    }
    assert "looked_at" not in kinds[True]
    assert kinds[False]["looked_at"] == {"all": 3.0}
    one = [row | {"label_added": 1 if row["label_added"] else None} for row in rows_of()]
    assert all(caution.kind != "looked_at" for caution in fd.estimate(one).all.cautions)


def test_files_of_labels_are_rounds_in_their_order(tmp_path: Path):
    rows = rows_of()
    files: list[Path] = []
    for number in (1, 2, 3):
        files.append(tmp_path / f"{number}.csv")
        with files[-1].open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "label"])
            writer.writerows([row["item_id"], row["label"]] for row in rows if row["label_added"] == number)
    judged = [{name: row[name] for name in ("item_id", "judge", "score")} for row in rows]
    part = anytime(judged, labels=files)
    assert basis_of(part).rounds == [*ROUNDS]
    assert part.rate == anytime(rows).rate
    assert basis_of(anytime(judged, labels=files[0])).rounds == [ROUNDS[0]]
