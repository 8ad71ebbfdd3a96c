"""Probes do not depend on how many processes make them."""

from __future__ import annotations

from pathlib import Path

import demo_suite
import pytest
from command import fiducial

from fiducial.evaluation import inputs as evaluation_inputs
from fiducial.evaluation.audit import subjects
from fiducial.evaluation.audit.probe_folder import PROBES, WEAKNESSES
from fiducial.records import write_records
from fiducial.records.folder_files import CASES, LABELS, OUTPUTS


@pytest.mark.parametrize("of_outputs", [False, True], ids=["references", "outputs"])
def test_probes_are_byte_for_byte_those_of_one_process(
    of_outputs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(evaluation_inputs, "_PIECE_BYTES", 2_000)
    monkeypatch.setattr(subjects, "_CASES_PER_PIECE", 3)
    cases = list(demo_suite.cases().values())[::8]
    chosen = {case.id for case in cases}
    write_records(tmp_path / "in.jsonl", cases)
    write_records(
        tmp_path / "agents.jsonl",
        (output for output in demo_suite.outputs().values() if output.case_id in chosen),
    )
    given = ("--outputs", tmp_path / "agents.jsonl") if of_outputs else ()
    for workers in ("1", "2"):
        out = ("--out", tmp_path / workers, "--workers", workers)
        result = fiducial("audit", "mutate", tmp_path / "in.jsonl", *given, *out)
        assert result.code == 0, result.err
    for name in (CASES, OUTPUTS, LABELS, WEAKNESSES, PROBES):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name
    assert (tmp_path / "1" / LABELS).read_bytes().count(b"\n") > 100
