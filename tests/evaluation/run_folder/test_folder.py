from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fiducial.errors import RunFolderError
from fiducial.evaluation.run_folder.folder import RunFolder, read_manifest


def test_the_same_run_is_resumed(tmp_path: Path):
    with RunFolder(tmp_path / "run") as first:
        assert not first.resumed
        first.bind(rules="bfcl")
        first.update(status="running")
    with RunFolder(tmp_path / "run") as second:
        assert second.resumed
        second.bind(rules="bfcl", judge="new")
        assert second.manifest == {"identity": {"rules": "bfcl", "judge": "new"}, "status": "running"}


def test_another_run_is_refused_and_the_difference_named(tmp_path: Path):
    with RunFolder(tmp_path) as first:
        first.bind(rules="bfcl", inputs=("1",), other=1)
    with (
        RunFolder(tmp_path) as second,
        pytest.raises(RunFolderError, match="differs in inputs, rules; choose another --out"),
    ):
        second.bind(rules="strict", inputs=("2",), other=1)


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path):
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(RunFolderError, match=r"holds 'thesis\.txt'"):
        RunFolder(tmp_path)


def test_a_second_process_is_refused_while_the_first_one_writes(tmp_path: Path):
    code = f"""
from pathlib import Path
from fiducial.evaluation.run_folder.folder import RunFolder
try:
    RunFolder(Path({str(tmp_path)!r}))
except Exception as error:
    print(type(error).__name__, error)
"""
    with RunFolder(tmp_path):
        shown = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
    assert shown.startswith("RunFolderError")
    assert "another process is writing this run" in shown


def test_a_folder_that_was_refused_is_not_left_locked(tmp_path: Path):
    (tmp_path / "run.json").write_text("{")
    for _ in range(2):
        with pytest.raises(RunFolderError, match="not a run folder"):
            RunFolder(tmp_path)


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_a_folder_without_a_manifest_is_not_a_run_folder(tmp_path: Path, content: str | None):
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(RunFolderError, match="not a run folder"):
        read_manifest(tmp_path)
