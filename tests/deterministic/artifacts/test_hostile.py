"""Hostile workspaces end with a clear outcome, touch nothing outside, and leave nothing running."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hostile_workspaces import Hostile, challenge, hostile_workspaces

from fiducial.deterministic import CheckOptions, check
from fiducial.deterministic.options import ArtifactOptions
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.records import Case, Output, Verdict

MIB = 1 << 20
LIMITS = Limits(
    wall_seconds=3,
    cpu_seconds=1,
    memory_bytes=300 * MIB,
    file_bytes=16 * MIB,
    disk_bytes=64 * MIB,
    processes=24,
)
OPTIONS = CheckOptions(artifacts=ArtifactOptions(allow_code=True, limits=LIMITS))


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder, with its size and time of change."""
    facts = {path: path.lstat() for path in folder.rglob("*")}
    return {
        str(path): (fact.st_size, fact.st_mtime_ns)
        for path, fact in facts.items()
        if not stat.S_ISDIR(fact.st_mode)
    }


def ancestors(process: int) -> set[int]:
    """The processes above one, as far as they live."""
    found: set[int] = set()
    while process > 1 and (process := parent_of(process)):
        found.add(process)
    return found


def parent_of(process: int) -> int:
    """The process above one; 0 where it is gone."""
    try:
        stat_line = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return 0
    return int(stat_line.rpartition(")")[2].split()[1])


def of_another_suite(process: int) -> bool:
    """Whether a process is below another test suite that runs now; what was left behind is below none."""
    for above in ancestors(process) - ancestors(os.getpid()) - {os.getpid()}:
        if "PYTEST_XDIST_WORKER" in os.environ and parent_of(above) == os.getppid():
            return True  # it is below another worker of this one
        with suppress(OSError):
            if b"pytest" in Path(f"/proc/{above}/cmdline").read_bytes():
                return True
    return False


def processes_of(mark: str) -> set[str]:
    """The processes whose command line or working folder has to do with a place, or that the sandbox started."""
    found: set[str] = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                place = str((entry / "cwd").readlink())
            except OSError:
                continue
            if (
                mark in command
                or mark in place
                or "sandbox.launcher" in command
                or place.startswith("/fiducial-workspace")
            ) and not of_another_suite(int(entry.name)):
                found.add(f"{entry.name}: {command}")
    return found


def checked(hostile: Hostile, workspace: Path) -> Verdict:
    workspace.mkdir()
    hostile.build(workspace)
    case = Case(id="hostile", kind="artifact", reference=challenge(hostile.evaluation))
    return check(case, Output(case_id="hostile", system="attacker", workspace=str(workspace)), OPTIONS)


def wait_until(over: Callable[[], bool]) -> None:
    """A busy machine takes a moment to bury what was killed; what is still there after ten seconds was not."""
    deadline = time.monotonic() + 10
    while not over() and time.monotonic() < deadline:
        time.sleep(0.1)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text("answer")
    return folder


NAMES = [hostile.name for hostile in hostile_workspaces(Path("outside"))]


@pytest.mark.attack("workspace files")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see what is left running")
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_workspace_ends_clearly_touches_nothing_and_leaves_nothing_running(
    tmp_path: Path, outside: Path, name: str
):
    before, running = snapshot(outside), processes_of(str(tmp_path))
    hostile = next(each for each in hostile_workspaces(outside) if each.name == name)
    verdict = checked(hostile, tmp_path / "workspace")
    assert verdict.outcome == "graded"
    assert verdict.error_type in hostile.outcomes, verdict.reason
    wait_until(lambda: processes_of(str(tmp_path)) <= running)
    assert snapshot(outside) == before
    assert processes_of(str(tmp_path)) - running == set()
    assert not Path("/etc/hostile").exists()


def test_there_are_as_many_hostile_workspaces_as_are_told():
    assert len(set(NAMES)) == len(NAMES) >= 200
