from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from fiducial.errors import RunFolderError
from fiducial.evaluation.store.manifest import Manifest
from fiducial.evaluation.store.run_store import RunStore
from fiducial.evaluation.store.run_writer import RunWriter


def test_the_same_run_is_resumed(tmp_path: Path):
    with RunWriter(tmp_path / "run") as first:
        assert not first.resumed
        first.bind(rules="bfcl")
        first.update(status="running")
    with RunWriter(tmp_path / "run") as second:
        assert second.resumed
        second.bind(rules="bfcl", judge="new")
        assert second.manifest == Manifest(identity={"rules": "bfcl", "judge": "new"}, status="running")


def test_another_run_is_refused_and_the_difference_named(tmp_path: Path):
    with RunWriter(tmp_path) as first:
        first.bind(rules="bfcl", inputs=("1",), other=1)
    with (
        RunWriter(tmp_path) as second,
        pytest.raises(RunFolderError, match="differs in inputs, rules; choose another out="),
    ):
        second.bind(rules="strict", inputs=("2",), other=1)


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path):
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(RunFolderError, match=r"holds 'thesis\.txt'"):
        RunWriter(tmp_path)


def test_a_second_process_is_refused_while_the_first_one_writes(tmp_path: Path):
    code = f"""
from pathlib import Path
from fiducial.evaluation.store.run_writer import RunWriter
try:
    RunWriter(Path({str(tmp_path)!r}))
except Exception as error:
    print(type(error).__name__, error)
"""
    with RunWriter(tmp_path):
        shown = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
    assert shown.startswith("RunFolderError")
    assert "another process is writing this run" in shown


def test_a_folder_that_was_refused_is_not_left_locked(tmp_path: Path):
    (tmp_path / "run.json").write_text("{")
    for _ in range(2):
        with pytest.raises(RunFolderError, match="not a run folder"):
            RunWriter(tmp_path)


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_a_folder_without_a_manifest_is_not_a_run_folder(tmp_path: Path, content: str | None):
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(RunFolderError, match="not a run folder"):
        _ = RunStore(tmp_path).manifest


@pytest.mark.parametrize("made", ["thesis.txt", "run.json"])
def test_a_folder_that_is_refused_is_left_as_it_was(tmp_path: Path, made: str):
    (tmp_path / made).write_text("{")
    with pytest.raises(RunFolderError):
        RunWriter(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == [made]


def test_a_run_that_is_refused_before_it_was_tied_to_anything_leaves_nothing(tmp_path: Path):
    (tmp_path / "there").mkdir()
    for path in (tmp_path / "a" / "b", tmp_path / "there"):
        with pytest.raises(RunFolderError, match="no"), RunWriter(path):
            raise RunFolderError("no")
    assert [entry.name for entry in tmp_path.rglob("*")] == ["there"]


def test_a_run_that_was_tied_to_its_inputs_is_kept_when_it_fails(tmp_path: Path):
    with suppress(RunFolderError), RunWriter(tmp_path / "run") as folder:
        folder.bind(inputs=["1"])
        raise RunFolderError
    assert RunStore(tmp_path / "run").manifest.identity == {"inputs": ["1"]}


def test_what_is_refused_changes_nothing(tmp_path: Path):
    with RunWriter(tmp_path) as first:
        first.bind(rules="bfcl")
        before = (tmp_path / "run.json").read_bytes()
        with pytest.raises(RunFolderError, match="differs in rules"):
            first.require_same_run(rules="strict", inputs=["1"])
    assert (tmp_path / "run.json").read_bytes() == before
