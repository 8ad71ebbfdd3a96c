from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fiducial.errors import RunFolderError
from fiducial.evaluation.run_folder import RunFolder, read_manifest


def test_the_same_run_is_resumed(tmp_path: Path):
    with RunFolder(tmp_path / "run", {"rules": "bfcl"}) as first:
        assert not first.resumed
        first.update(status="running")
    with RunFolder(tmp_path / "run", {"rules": "bfcl"}) as second:
        assert second.resumed
        assert second.manifest["status"] == "running"


def test_another_run_is_refused_and_the_difference_named(tmp_path: Path):
    RunFolder(tmp_path, {"rules": "bfcl", "inputs": ["1"]}).close()
    with pytest.raises(RunFolderError, match="differs in inputs, rules; choose another --out"):
        RunFolder(tmp_path, {"rules": "strict", "inputs": ["2"]})


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path):
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(RunFolderError, match=r"holds 'thesis\.txt'"):
        RunFolder(tmp_path, {})


def test_a_second_process_is_refused_while_the_first_one_writes(tmp_path: Path):
    code = f"""
from pathlib import Path
from fiducial.evaluation.run_folder import RunFolder
try:
    RunFolder(Path({str(tmp_path)!r}), {{}})
except Exception as error:
    print(type(error).__name__, error)
"""
    with RunFolder(tmp_path, {}):
        shown = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
    assert shown.startswith("RunFolderError")
    assert "another process is writing this run" in shown


def test_a_refused_folder_is_not_left_locked(tmp_path: Path):
    RunFolder(tmp_path, {"rules": "bfcl"}).close()
    with pytest.raises(RunFolderError):
        RunFolder(tmp_path, {"rules": "strict"})
    RunFolder(tmp_path, {"rules": "bfcl"}).close()


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_a_folder_without_a_manifest_is_not_a_run_folder(tmp_path: Path, content: str | None):
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(RunFolderError, match="not a run folder"):
        read_manifest(tmp_path)
