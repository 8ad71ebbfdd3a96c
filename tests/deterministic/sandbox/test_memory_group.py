"""Memory of a sandbox is bounded across its processes where the kernel allows groups."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fiducial.deterministic.sandbox import memory_group, running
from fiducial.deterministic.sandbox.limits import Limits
from fiducial.deterministic.sandbox.memory_group import MemoryGroup, make_group, make_join
from fiducial.deterministic.sandbox.running import run_confined

MIB = 1 << 20
LIMITS = Limits(wall_seconds=20, memory_bytes=300 * MIB, disk_bytes=64 * MIB)


@pytest.fixture
def group(tmp_path: Path) -> Iterator[MemoryGroup]:
    made = make_group(f"fiducial-{tmp_path.name}", LIMITS.memory_bytes)
    if made is None:
        pytest.skip("needs a memory group that this user may make")
    yield made
    made.remove()


HELD = {
    "pages shared and let go of": (
        "import mmap, os, time\n"
        "for _ in range(4):\n"
        "  if not os.fork():\n"
        "    held = mmap.mmap(-1, 120 << 20)\n"
        "    for at in range(0, 120 << 20, 4 << 20): held[at:at + (4 << 20)] = bytes([1]) * (4 << 20); held.madvise(mmap.MADV_DONTNEED)\n"
        "    time.sleep(60)\n"
        "for _ in range(4): assert os.wait()[1] == 0"
    ),
    "pages of many processes": (
        "import os, time\n"
        "for _ in range(5):\n"
        "  if not os.fork(): held = b'1' * (90 << 20); time.sleep(60)\n"
        "for _ in range(5): assert os.wait()[1] == 0"
    ),
}


@pytest.mark.attack("memory")
@pytest.mark.parametrize("way", HELD)
def test_memory_that_no_process_seems_to_hold_ends_the_command(tmp_path: Path, group: MemoryGroup, way: str):
    assert not group.was_full()
    report = run_confined([[sys.executable, "-c", HELD[way]]], tmp_path, LIMITS)
    assert report.confinement.memory == "accounted"
    assert report.runs[-1].ended_by == "memory", report.runs[-1]


def test_a_command_within_its_limits_is_none_the_worse(tmp_path: Path):
    assert (
        run_confined([[sys.executable, "-c", "x = b'1' * (90 << 20)"]], tmp_path, LIMITS).runs[-1].code == 0
    )


def test_nothing_of_a_group_is_left(tmp_path: Path, group: MemoryGroup, monkeypatch: pytest.MonkeyPatch):
    def this(*_: object) -> MemoryGroup:
        return group

    monkeypatch.setattr(running, "make_group", this)
    command = [sys.executable, "-c", "import os, time\nif not os.fork(): time.sleep(60)"]
    assert run_confined([command], tmp_path, LIMITS).confinement.memory == "accounted"
    assert not group.folder.exists()


def test_without_a_group_memory_is_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def none(*_: object) -> None:
        return None

    monkeypatch.setattr(running, "make_group", none)
    report = run_confined([[sys.executable, "-c", HELD["pages of many processes"]]], tmp_path, LIMITS)
    assert report.confinement.memory == "watched"
    assert report.runs[-1].ended_by == "memory"


@pytest.mark.parametrize(
    ("mounts", "own", "folders"),
    [
        ("cgroup2 /c cgroup2 rw 0 0", "0::/user/shell", ["/c/user/shell", "/c/user"]),
        ("cgroup2 /c cgroup2 rw 0 0", "0::/", ["/c"]),
        ("cgroup /c/cpu cgroup rw,cpu 0 0\ncgroup /c/memory cgroup rw,memory 0 0", "4:memory:/a\n3:cpu:/b\n0::/", ["/c/memory/a"]),
        ("proc /proc proc rw 0 0", "0::/", []),
    ],
)  # fmt: skip
def test_a_group_is_made_below_the_own_or_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mounts: str, own: str, folders: list[str]
):
    for name, text in (("_MOUNTS", mounts), ("_OWN_GROUPS", own)):
        (tmp_path / name).write_text(text)
        monkeypatch.setattr(memory_group, name, tmp_path / name)
    tried: list[str] = []

    def refuse(folder: Path) -> None:
        tried.append(str(folder.parent))
        raise PermissionError

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert make_group("fiducial-x", MIB) is None
    assert tried == folders


def test_a_group_that_cannot_be_joined_is_not_counted_on(tmp_path: Path):
    assert make_join(None) is None
    assert make_join(str(tmp_path)) is None


_KILLED = (
    "import os, signal, sys\n"
    "from fiducial.deterministic.sandbox.memory_group import make_group\n"
    "print(make_group(sys.argv[1], 1 << 28).folder, flush=True)\n"
    "os.kill(os.getpid(), signal.SIGKILL)"
)


@pytest.mark.attack("adversity")
@pytest.mark.usefixtures("group")
def test_a_group_whose_maker_was_killed_is_removed_by_the_next_and_one_in_use_is_not(
    tmp_path: Path,
):
    held = make_group(f"swept-held-{tmp_path.name}", MIB)
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, f"swept-killed-{tmp_path.name}"], capture_output=True, check=False
    )
    left = Path(killed.stdout.decode().strip())
    assert (killed.returncode, left.is_dir()) == (-signal.SIGKILL, True)
    another = make_group(f"swept-another-{tmp_path.name}", MIB)
    assert held is not None
    assert another is not None
    assert (left.exists(), held.folder.is_dir(), another.folder.is_dir()) == (False, True, True)
    held.remove()
    another.remove()
