"""The page of evidence says what the recordings say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2]
REFERENCE = os.environ.get("FIDUCIAL_REFERENCE")


@pytest.mark.reference
@pytest.mark.skipif(not REFERENCE, reason="needs FIDUCIAL_REFERENCE")
def test_the_page_in_the_repository_is_what_the_recordings_give_today(tmp_path: Path):
    page = tmp_path / "evidence.md"
    subprocess.run([sys.executable, str(HERE / "benchmarks/evidence.py"), "--out", str(page)], check=True)

    def rows(path: Path) -> list[str]:
        return [line for line in path.read_text().splitlines() if "Written by" not in line]

    assert rows(page) == rows(HERE / "docs/evidence.md")


@pytest.mark.reference
@pytest.mark.skipif(not REFERENCE, reason="needs FIDUCIAL_REFERENCE")
def test_where_judge_and_official_label_disagree_the_label_was_never_found_right():
    page = (HERE / "docs/evidence.md").read_text()
    assert "| judge | n | the judge | the official label | undecidable |" in page
    assert "| tool_call_accuracy | 36 | 25, 28 | 0, 0 |" in page
    assert "| task_completion | 9 | 9, 9 | 0, 0 |" in page


def test_without_reference_data_it_says_what_it_needs():
    environment = {name: value for name, value in os.environ.items() if name != "FIDUCIAL_REFERENCE"}
    run = subprocess.run(
        [sys.executable, str(HERE / "benchmarks/evidence.py")],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert (run.returncode, run.stderr) == (2, "set FIDUCIAL_REFERENCE to the folder of reference data\n")
