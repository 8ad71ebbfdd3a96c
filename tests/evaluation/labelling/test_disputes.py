"""Which judge's opinion stands beside a label when people decide."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from each_row import each_row
from judge_ids import judge_id

from fiducial.evaluation.labelling.disputes import Opinion, draw_disputes, opinions_on
from fiducial.evaluation.labelling.review_sample import ReviewSample
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import ItemKey, Verdict, write_json, write_records

ITEM = ItemKey("c", "s", 0)
LABEL = Verdict.on(ITEM, by="ann", source="human", score=1.0, reason="label")


def said(by: str, score: float, *, kind: str = "own", repeat: int = 0) -> Verdict:
    """Return a judge's verdict, whose reason is its name and repeat."""
    identity = judge_id(by, kind=kind)
    return Verdict.on(
        ITEM, by=by, source="judge", score=score, judge=identity, reason=f"{by} {repeat}", repeat=repeat
    )


DISPUTED = msgspec.structs.replace(said("a", 0.0), case_id="other")


@contextmanager
def run_of(folder: Path, *verdicts: Verdict) -> Generator[RunStore]:
    """Open a run with these verdicts, whose outputs all have the label."""
    write_json(folder / "run.json", {"results": [], "status": "complete", "pass_at": 0.5})
    write_records(folder / "verdicts.jsonl", verdicts)
    labels = {verdict.key: msgspec.structs.replace(LABEL, case_id=verdict.case_id) for verdict in verdicts}
    write_records(folder / "labels.jsonl", labels.values())
    with RunStore(folder) as store:
        yield store


@each_row(
    ("verdicts", "shown"),
    [
        ([said("a", 1.0), said("b", 0.0)], Opinion(right=False, reason="b 0")),
        ([said("a", 0.0), said("b", 1.0)], Opinion(right=False, reason="a 0")),
        ([said("a", 0.0, kind="baseline"), said("b", 1.0)], Opinion(right=True, reason="b 0")),
        ([said("a", 0.0, kind="baseline")], Opinion(right=False, reason="a 0")),
        ([said("a", 0.0, repeat=1), said("a", 0.25, repeat=0)], Opinion(right=False, reason="a 0")),
    ],
)
def test_people_see_a_judge_that_contradicts_the_label_and_a_baseline_only_without_judges(
    tmp_path: Path, verdicts: list[Verdict], shown: Opinion
):
    with run_of(tmp_path, *verdicts) as store:
        sample = ReviewSample(kind="disagreements", seed=0, of=1, keys=[ITEM])
        assert opinions_on(store, sample) == {ITEM: (Opinion(right=True, reason="label"), shown)}


@pytest.mark.parametrize(
    ("scores", "differ"), [((1.0, 1.0), False), ((1.0, 0.0), True), ((0.0, 0.0), True), ((0.5, 1.0), False)]
)
def test_an_output_is_disputed_if_a_judge_contradicts_its_label(
    tmp_path: Path, scores: tuple[float, ...], *, differ: bool
):
    with run_of(tmp_path, *map(said, "ab", scores), DISPUTED) as store:
        drawn = draw_disputes(store, "disagreements", 5, agreements=5, seed=0, judge=None)
    assert (drawn.of, drawn.agreements) == (1 + differ, 1 - differ)
    assert {*drawn.keys} == {ITEM, DISPUTED.key}
