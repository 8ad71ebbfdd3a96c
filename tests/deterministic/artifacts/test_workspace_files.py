"""Reading files that change, or turn into something else, while they are looked at."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fiducial.deterministic.artifacts import workspace_files
from fiducial.deterministic.artifacts.workspace_files import WorkspaceFault, read_text, workspace_root


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = (tmp_path / "workspace").resolve()
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "answer.txt").write_text("answer")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "answer.txt").write_text("secret")
    return root


def swap_file(place: Path, outside: Path) -> None:
    place.unlink()
    place.symlink_to(outside / "answer.txt")


def swap_folder(place: Path, outside: Path) -> None:
    place.unlink()
    place.parent.rmdir()
    place.parent.symlink_to(outside)


def swap_for_pipe(place: Path, _outside: Path) -> None:
    place.unlink()
    os.mkfifo(place)


def grow(place: Path, _outside: Path) -> None:
    os.truncate(place, workspace_files.MAX_FILE_BYTES + 1)


@pytest.mark.attack("workspace races")
@pytest.mark.parametrize(
    ("change", "error_type"),
    [
        (swap_file, "unreadable_file"),
        (swap_folder, "unreadable_file"),
        (swap_for_pipe, "not_a_file"),
        (grow, "file_too_large"),
    ],
)
def test_what_changes_between_the_look_and_the_reading_is_refused(
    workspace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path, Path], None],
    error_type: str,
):
    look = workspace_files._require_plain_file  # pyright: ignore[reportPrivateUsage] - the moment of the race
    looks: list[int] = []

    def change_after_first_look(facts: os.stat_result, name: str, limit: int) -> None:
        look(facts, name, limit)
        looks.append(1)
        if len(looks) == 1:
            change(workspace / "folder" / "answer.txt", tmp_path / "outside")

    monkeypatch.setattr(workspace_files, "_require_plain_file", change_after_first_look)
    with pytest.raises(WorkspaceFault) as caught:
        read_text(workspace, "folder/answer.txt")
    assert caught.value.error_type == error_type


def test_a_link_within_the_workspace_is_followed(workspace: Path):
    (workspace / "link").symlink_to("folder")
    assert read_text(workspace, "link/answer.txt") == "answer"


@pytest.mark.parametrize("name", ["x" * 5_000, "loop/workspace", "\0"])
def test_a_workspace_that_cannot_be_reached_is_no_output(tmp_path: Path, name: str):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(WorkspaceFault) as fault:
        workspace_root(f"{tmp_path}/{name}")
    assert fault.value.error_type == "no_output"
