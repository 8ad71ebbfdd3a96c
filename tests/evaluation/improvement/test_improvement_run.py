from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from fiducial.errors import RunFolderError
from fiducial.evaluation.improvement.improvement_run import LOOKS, record_look

NOW = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture
def candidate(tmp_path: Path) -> Path:
    (tmp_path / "a.prompty").write_text("a")
    return tmp_path / "a.prompty"


def test_the_same_candidate_with_the_same_labels_is_one_look(tmp_path: Path, candidate: Path):
    first = record_look(tmp_path, candidate, "labels", NOW)
    assert (first.look, first.alpha) == (1, pytest.approx(0.04))
    assert record_look(tmp_path, candidate, "labels", NOW) == first


def test_another_candidate_or_other_labels_are_further_looks_at_stricter_levels(
    tmp_path: Path, candidate: Path
):
    record_look(tmp_path, candidate, "labels", NOW)
    second = record_look(tmp_path, candidate, "other labels", NOW)
    (tmp_path / "b.prompty").write_text("b")
    third = record_look(tmp_path, tmp_path / "b.prompty", "labels", NOW)
    assert [second.look, third.look] == [2, 3]
    assert 0.04 > second.alpha > third.alpha


@pytest.mark.parametrize(
    "content", [b"{", b'[{"candidate": "\xff"}]', b'[{"x": ' + b"[" * 100_000], ids=["cut", "bytes", "deep"]
)
def test_a_file_of_looks_that_cannot_be_read_is_no_fresh_start(
    tmp_path: Path, candidate: Path, content: bytes
):
    (tmp_path / LOOKS).write_bytes(content)
    with pytest.raises(RunFolderError, match="cannot be read"):
        record_look(tmp_path, candidate, "labels", NOW)
