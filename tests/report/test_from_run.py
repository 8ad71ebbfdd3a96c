"""Reports built from a run folder."""

from __future__ import annotations

from pathlib import Path

import fiducial as fd
from fiducial.evaluation.store.run_store import RunStore
from fiducial.records import Verdict
from fiducial.report.from_run import report_data

CASES = [{"id": f"c{n}", "kind": "memory_answer", "reference": {"answers": ["Rome"]}} for n in range(3)]
OUTPUTS = [fd.Output(case_id=f"c{n}", system="a", text="Rome") for n in range(3)]


def test_labels_are_counted_by_who_gave_them_without_those_of_no_output(tmp_path: Path):
    labels = [
        Verdict(case_id="c0", system="a", by="ada", source="human", outcome="graded", score=1.0),
        Verdict(case_id="c1", system="a", by="memory/strict", source="checker", outcome="graded", score=1.0),
        Verdict(case_id="c1", system="other", by="ada", source="human", outcome="graded", score=1.0),
    ]
    fd.evaluate(CASES, OUTPUTS, labels=labels, out=tmp_path / "run", progress=False)
    with RunStore(tmp_path / "run") as store:
        counts = report_data(store).labels
    assert counts == {"checkers": 2, "people": 1}  # c1 by its label, c2 by the run's checker
