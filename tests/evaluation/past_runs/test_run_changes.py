"""What changed between two runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import fiducial as fd
from fiducial.evaluation.past_runs.run_changes import what_changed
from fiducial.evaluation.store.manifest import Manifest
from fiducial.evaluation.store.run_store import RunStore

CASES = [
    {"id": f"c{n}", "kind": "memory_answer", "messages": [{"role": "user", "content": "Where?"}], "reference": {"answers": [f"answer {n} of Rome"]}}
    for n in range(12)
]  # fmt: skip
OUTPUTS = [fd.Output(case_id=f"c{n}", system="me", text=f"answer {n} of Rome today") for n in range(12)]
LABELS = [
    fd.Verdict(case_id=f"c{n}", system="me", by="ann", source="human", outcome="graded", score=float(n % 3 > 0))
    for n in range(12)
]  # fmt: skip


def manifest(folder: Path, labels: Sequence[fd.Verdict]) -> Manifest:
    fd.evaluate(
        CASES,
        OUTPUTS,
        judges="memory_answer",
        model="baseline",
        judge_on="all",
        labels=list(labels) or None,
        out=folder,
        progress=False,
    )
    with RunStore(folder) as store:
        return store.manifest


def test_labels_that_came_in_between_are_a_change(tmp_path: Path):
    before, after = manifest(tmp_path / "a", []), manifest(tmp_path / "b", LABELS)
    changed = {each.what: (each.before, each.after) for each in what_changed(before, after)}
    assert changed["labels"] == ("none", "12 by human")


def test_runs_with_the_same_labels_differ_in_nothing(tmp_path: Path):
    before, after = manifest(tmp_path / "a", LABELS), manifest(tmp_path / "b", LABELS)
    assert list(what_changed(before, after)) == []
