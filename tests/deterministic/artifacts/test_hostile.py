"""Hostile workspaces: a clear outcome, nothing touched outside, nothing left running."""

from __future__ import annotations

import ctypes
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hostile_workspaces import DIRECTLY, Hostile, challenge, hostile_workspaces

from fiducial.deterministic import CheckOptions, check
from fiducial.deterministic.options import ArtifactOptions
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.records import Case, Output, Verdict

PR_SET_CHILD_SUBREAPER = 36

MIB = 1 << 20
LIMITS = Limits(
    wall_seconds=10,
    cpu_seconds=1,
    memory_bytes=300 * MIB,
    file_bytes=16 * MIB,
    disk_bytes=64 * MIB,
    processes=24,
)
SHORT = LIMITS._replace(wall_seconds=1)
"""Limits of attacks that go on until they are stopped."""


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder, with its size and time of change."""
    facts = {path: path.lstat() for path in folder.rglob("*")}
    return {
        str(path): (fact.st_size, fact.st_mtime_ns)
        for path, fact in facts.items()
        if not stat.S_ISDIR(fact.st_mode)
    }


@pytest.fixture
def adopting() -> Iterator[None]:
    """Adopt orphaned descendants of this process, so that leftovers can be found."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def running_below(process: int) -> set[str]:
    """Return the running processes below one.

    Those of other suites on this machine and zombies are left out.
    """
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdecimal():
                state, parent = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
                if state not in "ZX":
                    parents[int(entry.name)] = int(parent)
    found, below = set[int](), {process}
    while below := {each for each, parent in parents.items() if parent in below} - found:
        found |= below
    return {f"{each}: {command_of(each)}" for each in found}


def command_of(process: int) -> str:
    """Its command line; empty where it is gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def checked(hostile: Hostile, workspace: Path) -> Verdict:
    workspace.mkdir()
    hostile.build(workspace)
    case = Case(id="hostile", kind="artifact", reference=challenge(hostile.evaluation))
    limits = SHORT if "timeout" in hostile.outcomes else LIMITS
    options = CheckOptions(artifacts=ArtifactOptions(allow_code=True, limits=limits))
    return check(case, Output(case_id="hostile", system="attacker", workspace=str(workspace)), options)


def wait_until(over: Callable[[], bool]) -> None:
    """Wait up to ten seconds until killed processes are gone."""
    deadline = time.monotonic() + 10
    while not over() and time.monotonic() < deadline:
        time.sleep(0.1)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text("answer")
    return folder


ALL = [*hostile_workspaces(Path("outside"))]
QUICK = {
    f"{name}, {DIRECTLY}" for name in ("endless loop", "writes outside", "reads outside", "network", "daemon")
}
LARGE = {"5,000 files of the ending", "10 GB in a file"}


def is_slow(hostile: Hostile) -> bool:
    """Return whether an attack is code that is run, or large."""
    return hostile.name in LARGE or (hostile.evaluation == "python" and hostile.name not in QUICK)


NAMES = [pytest.param(each.name, marks=[pytest.mark.slow] if is_slow(each) else []) for each in ALL]


@pytest.mark.attack("workspace files")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see what is left running")
@pytest.mark.usefixtures("adopting")
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_workspace_ends_clearly_touches_nothing_and_leaves_nothing_running(
    tmp_path: Path, outside: Path, name: str
):
    before, running = snapshot(outside), running_below(os.getpid())
    hostile = next(workspace for workspace in hostile_workspaces(outside) if workspace.name == name)
    verdict = checked(hostile, tmp_path / "workspace")
    assert verdict.outcome == "graded"
    assert verdict.error_type in hostile.outcomes, verdict.reason
    wait_until(lambda: running_below(os.getpid()) <= running)
    assert snapshot(outside) == before
    assert running_below(os.getpid()) - running == set()
    assert not Path("/etc/hostile").exists()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see what is left running")
@pytest.mark.usefixtures("adopting")
def test_what_is_left_behind_is_found_and_what_others_run_is_not():
    code = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
    running = running_below(os.getpid())
    subprocess.run([sys.executable, "-c", code], check=True)
    (orphan,) = running_below(os.getpid()) - running
    assert "sleep" in orphan
    process = int(orphan.partition(":")[0])
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    assert running_below(os.getpid()) <= running
    assert not any(each.startswith(f"{os.getppid()}:") for each in running_below(os.getpid()))


def test_there_are_as_many_hostile_workspaces_as_are_told():
    assert len({hostile.name for hostile in ALL}) == len(ALL) >= 150
