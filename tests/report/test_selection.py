from __future__ import annotations

from collections.abc import Callable

import pytest

from fiducial.calibration.cuts import Cut
from fiducial.records import Verdict
from fiducial.report.item_view import BLOCK_LIMIT, status_of
from fiducial.report.model import Candidate
from fiducial.report.selection import select


@pytest.mark.parametrize(
    ("checker", "judge", "status"),
    [
        (1.0, 1.0, "right"),
        (0.0, 0.0, "wrong"),
        (1.0, 0.0, "disagreement"),
        (0.0, 0.75, "disagreement"),
        (None, 1.0, "right"),
        (None, 0.0, "wrong"),
        (1.0, None, "not graded"),
        (None, None, "not graded"),
    ],
)
def test_an_item_is_what_its_verdicts_agree_on(
    make_item: Callable[..., Candidate], checker: float | None, judge: float | None, status: str
):
    assert status_of(make_item(checker=checker, judge=judge), {}) == status


def test_scores_on_the_same_side_of_the_threshold_agree(make_item: Callable[..., Candidate]):
    assert status_of(make_item(checker=1.0, judge=0.6), {}) == "right"
    judge = make_item().judges[0].author
    assert status_of(make_item(checker=1.0, judge=0.6), {judge: Cut(0.7, "told")}) == "disagreement"


def test_a_label_that_is_a_share_is_held_to_the_cut_of_the_judge_beside_it(
    make_item: Callable[..., Candidate],
):
    item = make_item(checker=0.6, judge=0.6)
    cuts = {item.judges[0].author: Cut(1.0, "declared")}
    assert (status_of(item, {}), status_of(item, cuts)) == ("right", "wrong")
    (view,) = select([item], 1, cuts).views
    assert [verdict.says for verdict in view.verdicts] == ["wrong (0.60; passes at 1)"] * 2


def test_a_label_that_contradicts_the_checker_is_a_disagreement(make_item: Callable[..., Candidate]):
    label = Verdict(case_id="case-1", system="alpha", by="ana", source="human", outcome="graded", score=0.0)
    assert status_of(make_item(label=label), {}) == "disagreement"


def test_disagreements_come_first_and_the_order_of_the_run_is_kept_within_a_status(
    make_item: Callable[..., Candidate],
):
    scores = [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (1.0, None), (0.0, 1.0), (0.0, 0.0)]
    items = [make_item(f"c{n}", checker=checker, judge=judge) for n, (checker, judge) in enumerate(scores)]
    chosen = select(iter(items), 10, {})
    assert [view.case_id for view in chosen.views] == ["c2", "c4", "c3", "c1", "c5", "c0"]
    assert chosen.totals == {"disagreement": 2, "not graded": 1, "wrong": 2, "right": 1}


def test_the_limit_drops_the_least_urgent_and_counts_them(make_item: Callable[..., Candidate]):
    items = (make_item(f"c{n}", judge=0.0 if n % 100 == 7 else 1.0) for n in range(1000))
    chosen = select(items, 12, {})
    expected = [f"c{n}" for n in range(7, 1000, 100)]
    assert [view.case_id for view in chosen.views] == [*expected, "c0", "c1"]
    assert chosen.total == 1000
    assert chosen.shown == {"disagreement": 10, "not graded": 0, "wrong": 0, "right": 2}


def test_a_limit_of_zero_shows_nothing_and_counts_everything(make_item: Callable[..., Candidate]):
    chosen = select([make_item()], 0, {})
    assert chosen.views == []
    assert chosen.total == 1


def test_every_text_of_a_row_is_bounded(make_item: Callable[..., Candidate]):
    view = select([make_item(text="x" * 10_000_000, query="q" * 10_000_000)], 1, {}).views[0]
    assert len(view.query) < 1000
    blocks = {block.title: block.shown for block in view.blocks}
    assert len(blocks["Output"].text) == BLOCK_LIMIT
    assert blocks["Output"].hidden == 10_000_000 - BLOCK_LIMIT
