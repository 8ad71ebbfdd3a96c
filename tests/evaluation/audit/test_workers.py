from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from command import fiducial

from fiducial.data import demo_path
from fiducial.evaluation import inputs as evaluation_inputs
from fiducial.evaluation.audit import subjects
from fiducial.evaluation.audit.probe_folder import PROBES, WEAKNESSES
from fiducial.records.folder_files import CASES, LABELS, OUTPUTS


@pytest.mark.parametrize(
    "outputs", [(), ("--outputs", demo_path("outputs.jsonl"))], ids=["references", "outputs"]
)
def test_probes_are_byte_for_byte_those_of_one_process(
    outputs: Sequence[str | Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(evaluation_inputs, "_PIECE", 2_000)
    monkeypatch.setattr(subjects, "_CASES_PER_PIECE", 3)
    for workers in ("1", "2"):
        out = ("--out", tmp_path / workers, "--workers", workers)
        result = fiducial("audit", "mutate", demo_path("cases.jsonl"), *outputs, *out)
        assert result.code == 0, result.err
    for name in (CASES, OUTPUTS, LABELS, WEAKNESSES, PROBES):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name
    assert (tmp_path / "1" / LABELS).read_bytes().count(b"\n") > 100
