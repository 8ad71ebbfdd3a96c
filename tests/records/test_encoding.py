"""Lines that are written can be read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.errors import RecordError
from fiducial.records import MAX_LINE_BYTES, Output, write_records

pytestmark = pytest.mark.attack("replies of systems")

LARGE = Output(case_id="c", system="s", text="\0" * (MAX_LINE_BYTES // 6 + 1))
"""A text whose escapes are too long for a line, which the text itself is not."""


def test_a_file_that_could_not_be_read_again_is_not_written(tmp_path: Path):
    with pytest.raises(RecordError, match="longer than 32 MiB"):
        write_records(tmp_path / "outputs.jsonl", [LARGE])
    assert not (tmp_path / "outputs.jsonl").exists()
