"""Two users of one machine cannot join, read or use each other's clusters unasked.

Run as root, which can be both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ordinary_user import USER, reachable_interpreter

pytest.importorskip("ray", reason="Ray is not installed here: make ray")

pytestmark = [
    pytest.mark.attack("Ray of two users"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users"),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]

THEM = USER + 1
KEY = "sk-of-somebody-0123456789"

OURS = f"""
import sys
from fiducial.evaluation.engines.ray_engine import RayEngine
class Asks:
    def __init__(self, key): self.key = key
    async def aclose(self): pass
key = "{KEY}"
with RayEngine(workers=1) as engine:
    assert list(engine.in_order(lambda part: str(part).encode(), range(2))) == [b"0", b"1"]
    kept = engine.elsewhere(lambda: Asks(key))
    import ray
    print(ray.get_runtime_context().gcs_address, engine._folder, flush=True)
    sys.stdin.readline()
"""
THEIRS = """
import sys, ray
ray.init(num_cpus=1, include_dashboard=False, object_store_memory=100_000_000)
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.readline()
"""
JOINS = """
import sys, ray
ray.init(address=sys.argv[1], log_to_driver=False)
print("joined")
"""
FINDS_ONE = """
from fiducial.errors import ConfigurationError
from fiducial.evaluation.engines.ray_engine import RayEngine
try:
    RayEngine("auto").workers
except ConfigurationError as error:
    print(error)
"""
LOOKS = r"""
import os, sys
for folder, _, files in os.walk(sys.argv[1], onerror=lambda error: print("shut")):
    for file in files:
        print(open(os.path.join(folder, file), "rb").read())
    open(os.path.join(folder, "planted"), "w")
    print("planted")
"""


@pytest.fixture
def as_user(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.Popen[str]]:
    """Start a script as a user with a home of its own."""
    interpreter = reachable_interpreter()
    places = [
        str(Path(__file__).parents[2] / ".links"),
        *(each for each in sys.path if each.endswith("site-packages")),
    ]
    home = tmp_path_factory.mktemp("homes")
    for place in (home, *home.parents):
        if place.name.startswith("pytest-"):
            place.chmod(0o755)

    def start(user: int, script: str, *arguments: str, **settings: str) -> subprocess.Popen[str]:
        assert interpreter is not None
        (home / str(user)).mkdir(exist_ok=True)
        os.chown(home / str(user), user, user)
        environment = {"HOME": str(home / str(user)), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(places)}
        return subprocess.Popen(
            [interpreter, "-c", script, *arguments],
            cwd=home / str(user),
            env={**environment, "RAY_USAGE_STATS_ENABLED": "0", **settings},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            user=user,
            group=user,
            extra_groups=[],
        )

    probe = start(USER, "import fiducial, ray, sys; print(sys.version_info[:2])") if interpreter else None
    if probe is None or probe.communicate()[0].strip() != str(sys.version_info[:2]):
        pytest.skip("no interpreter with these packages that every user can run")
    return start


@contextmanager
def told(running: subprocess.Popen[str]) -> Generator[str]:
    """Yield the line a script prints when it is ready; it ends with its input."""
    assert running.stdout is not None
    line = running.stdout.readline().strip()
    assert line, running.communicate()[1]
    try:
        yield line
    finally:
        running.communicate("\n", timeout=60)


@pytest.fixture
def ours(as_user: Callable[..., subprocess.Popen[str]]) -> Iterator[tuple[str, Path]]:
    with told(as_user(USER, OURS)) as line:
        address, folder = line.split()
        yield address, Path(folder)
    assert not Path(folder).exists()


def test_another_user_neither_reads_nor_changes_nor_joins_a_ray_that_was_started_here(
    ours: tuple[str, Path], as_user: Callable[..., subprocess.Popen[str]]
):
    address, folder = ours
    seen, _ = as_user(THEM, LOOKS, str(folder)).communicate(timeout=60)
    assert seen.split() == ["shut"]
    joins = as_user(THEM, JOINS, address, RAY_AUTH_MODE="disabled")
    out, err = joins.communicate(timeout=120)
    assert ("joined" in out, "InvalidAuthToken" in err) == (False, True)


def test_no_key_is_in_what_others_can_see(ours: tuple[str, Path]):
    address, folder = ours
    assert address
    mine = KEY.encode()
    readable = [path for path in folder.rglob("*") if path.is_file() and mine in path.read_bytes()]
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    shared = [path for path in Path("/dev/shm").glob("*") if path.stat().st_mode & 0o044]
    assert (readable, [line for line in lines if mine in line and b"-c\0" not in line], shared) == (
        [],
        [],
        [],
    )


def test_another_user_s_cluster_is_not_joined_by_auto(as_user: Callable[..., subprocess.Popen[str]]):
    with told(as_user(THEM, THEIRS, RAY_AUTH_MODE="disabled")) as address:
        time.sleep(1)
        out, err = as_user(USER, FINDS_ONE).communicate(timeout=120)
        assert (
            f"no cluster of yours runs on this machine; if you trust another user's, name it: address={address}"
            in out
        ), err
