"""Results of labelling are shown whether or not the run's folder is still there."""

from __future__ import annotations

from pathlib import Path

import pytest
from each_row import each_row

from fiducial.api.reviewing import LabelsAdded, ReviewPage, SampleKind
from fiducial.evaluation.labelling.review_sample import ReviewSample
from fiducial.records import ItemKey


@pytest.mark.parametrize("decided", [0, 1])
def test_added_labels_are_shown_without_their_run(tmp_path: Path, decided: int):
    run = tmp_path / "gone"
    added = LabelsAdded(
        run=run,
        labels=run / "labels.jsonl",
        added=1,
        unchanged=0,
        people={"ann": 1},
        skipped=0,
        decided=decided,
    )
    assert "1 added" in repr(added)
    assert not any("next:" in line for line in added.document())


@each_row("kind", ["open", "decided", "doubt", "disagreements", "survivors"])
def test_a_page_is_shown_without_its_run(tmp_path: Path, kind: SampleKind):
    keys = [ItemKey("c", "me", 0)]
    page = ReviewPage(
        run=tmp_path / "gone",
        drawn=ReviewSample(kind=kind, seed=0, of=2, keys=keys),
        keys=keys,
        name="ann",
        page=tmp_path / "page.html",
        table=tmp_path / "page.table.jsonl",
    )
    assert "1 of 2" in repr(page)
