"""Workspaces of odd files and names, and changing files: nothing outside is read or written."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import pytest
from workspaces import verdict_on_workspace

from fiducial.deterministic.artifacts import copying
from fiducial.deterministic.artifacts.copying import copy_plain_files, copy_tree
from fiducial.deterministic.artifacts.workspace_checker import workspace_text
from fiducial.deterministic.artifacts.workspace_files import (
    WorkspaceFault,
    choose_files,
    read_text,
    workspace_root,
)
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.records import Case, Output, Verdict

MIB = 1 << 20
LIST = "import os\nprint('answer', sorted(os.listdir('.')))"
Rules = Literal["strict", "bfcl"]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return (tmp_path / "workspace").resolve()


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    (tmp_path / "outside" / "folder of secrets").mkdir(parents=True)
    (tmp_path / "outside" / "secret.txt").write_text("secret")
    return (tmp_path / "outside").resolve()


def verdict_on(workspace: Path, files: list[str], kind: str, rules: Rules = "strict", **more: Any) -> Verdict:
    ground = {"files": files, "should_contain": ["answer"], "eval": {"type": kind}}
    limits = Limits(wall_seconds=20)
    return verdict_on_workspace(workspace, {"ground": ground, **more}, rules, allow_code=True, limits=limits)


def bind_socket(place: Path) -> None:
    here = Path.cwd()
    os.chdir(place.parent)  # the path of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(place.name)
    finally:
        os.chdir(here)


def make_device(place: Path) -> None:
    try:
        os.mknod(place, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")


ODD: dict[str, Callable[[Path, Path], object]] = {
    "a socket": lambda place, _: bind_socket(place),
    "a pipe": lambda place, _: os.mkfifo(place),
    "a device": lambda place, _: make_device(place),
    "a link to a device": lambda place, _: place.symlink_to("/dev/zero"),
    "a link to a file outside": lambda place, outside: place.symlink_to(outside / "secret.txt"),
    "a link to a folder outside": lambda place, outside: place.symlink_to(outside),
    "a link to nothing": lambda place, _: place.symlink_to("nothing"),
    "a link to itself": lambda place, _: place.symlink_to(place.name),
}


@pytest.mark.attack("workspace files")
@pytest.mark.parametrize("kind", ODD)
def test_of_an_odd_file_there_is_no_copy(workspace: Path, outside: Path, kind: str):
    (workspace / "test.py").write_text(LIST)
    ODD[kind](workspace / "odd", outside)
    copy_tree(workspace, workspace.parent / "copy", MIB)
    assert [path.name for path in (workspace.parent / "copy").iterdir()] == ["test.py"]


@pytest.mark.attack("workspace files")
def test_code_runs_beside_odd_files_and_meets_none(workspace: Path, outside: Path):
    (workspace / "test.py").write_text(
        "import os\nprint('answer' if os.listdir('.') == ['test.py'] else 'odd')"
    )
    for kind, make in ODD.items():
        if kind != "a device" or os.geteuid() == 0:
            make(workspace / kind, outside)
    assert verdict_on(workspace, ["test.py"], "python").score == 1.0


@pytest.mark.attack("workspace files")
@pytest.mark.parametrize("kind", ODD)
def test_no_odd_file_is_an_answer(workspace: Path, outside: Path, kind: str):
    (outside / "secret.txt").write_text("answer")
    ODD[kind](workspace / "odd.txt", outside)
    for files in (["odd.txt"], [".txt"]):
        assert verdict_on(workspace, files, "file").score == 0.0


@pytest.mark.attack("workspace files")
def test_nothing_is_written_through_a_hard_link(workspace: Path, outside: Path):
    secret = outside / "secret.txt"
    (workspace / "linked.txt").hardlink_to(secret)
    (workspace / "helper.py").hardlink_to(secret)
    (workspace / "test.py").write_text("open('linked.txt', 'a').write('x')\nprint('answer')")
    tests = workspace.parent / "challenge" / "custom_python"
    tests.mkdir(parents=True)
    (tests / "helper.py").write_text("pass")
    assert copy_plain_files(tests, workspace) == ["helper.py"]
    assert verdict_on(workspace, ["test.py"], "python", folder=str(tests.parent)).score == 1.0
    assert secret.read_text() == "secret"


NAMES = [
    b"two\nlines",
    b"\xff\xfe",
    b"x" * 248,
    b"-c",
    b"--help",
    b" ",
    b"'$(id)' & \"",
    b"\x1b[2J",
    b"{0}%s",
    "\u202etxt".encode(),
]


def named(workspace: Path, name: bytes) -> Path:
    return Path(os.fsdecode(os.fsencode(workspace) + b"/" + name))


@pytest.mark.attack("workspace files")
@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_read_whatever_its_name(workspace: Path, name: bytes):
    named(workspace, name + b".txt").write_text("answer")
    verdict = verdict_on(workspace, [".txt"], "file")
    assert verdict.score == 1.0
    "".join(verdict.evidence["files"]).encode("utf-8")


@pytest.mark.attack("workspace files")
@pytest.mark.parametrize(
    ("name", "rules"), [*((name, "strict") for name in NAMES), (b"-c", "bfcl"), (NAMES[6], "bfcl")]
)
def test_code_is_run_as_a_file_whatever_its_name(workspace: Path, name: bytes, rules: Rules):
    named(workspace, name + b".py").write_text("print('answer')")
    named(workspace, b"beside " + name).write_text("x")
    verdict = verdict_on(workspace, [".py"], "python", rules)
    assert verdict.score == 1.0, verdict.reason


@pytest.mark.attack("workspace files")
def test_a_name_that_begins_with_a_dot_is_no_ending(workspace: Path):
    (workspace / ".txt").write_text("answer")
    (workspace / ".hidden.txt").write_text("answer")
    assert verdict_on(workspace, [".txt"], "file").error_type == "missing_file"


def swap_for_link(place: Path, target: Path) -> None:
    place.rename(place.with_name("moved"))
    place.symlink_to(target)


@pytest.mark.attack("workspace races")
def test_a_folder_that_becomes_a_link_is_not_looked_into(
    workspace: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
):
    (workspace / "folder").mkdir()
    (workspace / "file.txt").write_text("x")
    read = copying.read_bytes

    def swap_first(place: Path, name: str, limit: int) -> bytes:
        swap_for_link(workspace / "folder", outside)
        return read(place, name, limit)

    monkeypatch.setattr(copying, "read_bytes", swap_first)
    with pytest.raises(WorkspaceFault, match="cannot be copied"):
        copy_tree(workspace, workspace.parent / "copy", MIB)
    assert not (workspace.parent / "copy" / "folder" / "folder of secrets").exists()


@pytest.mark.attack("workspace races")
def test_a_workspace_that_becomes_a_link_is_not_looked_into(workspace: Path, outside: Path):
    root = workspace_root(str(workspace))
    (outside / "answer.txt").write_text("secret")
    swap_for_link(workspace, outside)
    for look in (
        lambda: choose_files(root, [".txt"]),
        lambda: read_text(root, "answer.txt"),
        lambda: copy_tree(root, outside.parent / "copy", MIB),
    ):
        with pytest.raises(WorkspaceFault):
            look()


@pytest.mark.attack("workspace races")
def test_a_hidden_test_is_not_written_through_a_link_that_takes_its_place(
    workspace: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
):
    tests = workspace.parent / "custom_python"
    tests.mkdir()
    (tests / "test.py").write_text("hidden")
    clear_name = copying._make_room  # pyright: ignore[reportPrivateUsage] - the moment of the race

    def swap_then(name: str, folder: int, *, replace: bool) -> bool:
        room = clear_name(name, folder, replace=replace)
        (workspace / name).symlink_to(outside / "secret.txt")
        return room

    monkeypatch.setattr(copying, "_make_room", swap_then)
    with pytest.raises(FileExistsError):
        copy_plain_files(tests, workspace)
    assert (outside / "secret.txt").read_text() == "secret"


@pytest.mark.attack("workspace races")
def test_nothing_outside_is_copied_however_fast_links_come_and_go(workspace: Path, outside: Path):
    place = workspace / "swapped"
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for make in (place.mkdir, lambda: place.symlink_to(outside)):
                with suppress(OSError):
                    make()
                with suppress(OSError):
                    place.rmdir()
                with suppress(OSError):
                    place.unlink()

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for number in range(300):
            copy = workspace.parent / f"copy {number}"
            with suppress(WorkspaceFault):
                copy_tree(workspace, copy, MIB)
            assert {path.name for path in copy.rglob("*")} <= {"swapped"}
    finally:
        done.set()
        swapping.join()


@pytest.mark.attack("workspace files")
def test_no_judge_is_shown_what_a_workspace_that_is_a_link_leads_to(workspace: Path, outside: Path):
    case = Case(id="c", kind="artifact", reference={"ground": {"files": [".txt"], "eval": {"type": "llm"}}})
    (workspace / "answer.txt").write_text("answer")
    assert workspace_text(case, Output(case_id="c", system="s", workspace=str(workspace))) == "answer"
    swap_for_link(workspace, outside)
    assert workspace_text(case, Output(case_id="c", system="s", workspace=str(workspace))) is None
