"""Sandboxes of an ordinary user without namespaces.

There the code shares its user with everything else of theirs.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ordinary_user import USER, reachable_interpreter, report_to_ordinary_user

from fiducial.deterministic.sandbox import landlock, syscalls
from fiducial.deterministic.sandbox.limits import Limits

pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux" or reachable_interpreter() is None,
        reason="needs Linux, and an interpreter that every user can run",
    ),
    pytest.mark.skipif(
        not landlock.version() or not syscalls.can_filter(), reason="needs Landlock and a filter"
    ),
]

NO_NAMESPACES = "launcher.leave_namespaces = lambda **options: False"
OLDER = f"{NO_NAMESPACES}\nversion = landlock.version\nlandlock.version = lambda: min(version(), 5)"
LIMITS = Limits(wall_seconds=60)


def report_on(code: str, first: str = NO_NAMESPACES) -> dict[str, Any]:
    report = report_to_ordinary_user(code, LIMITS, first=first)
    assert report["files"] == "writes confined"
    return report


@pytest.fixture
def theirs() -> Iterator[Path]:
    """A folder of that user's with a file in it."""
    with tempfile.TemporaryDirectory(prefix="theirs-") as name:
        (Path(name) / "file.txt").write_text("before")
        if os.geteuid() == 0:
            for path in (Path(name), Path(name) / "file.txt"):
                os.chown(path, USER, USER)
        yield Path(name)


WRITING = {
    "write": "open({file!r}, 'w')",
    "append": "open({file!r}, 'a')",
    "truncate": "os.truncate({file!r}, 0)",
    "remove": "os.unlink({file!r})",
    "rename": "os.rename({file!r}, {file!r} + '-away')",
    "take": "os.rename({file!r}, 'taken')",
    "hard link in": "os.link({file!r}, 'linked'); open('linked', 'a').write('x')",
    "write through a link": "os.symlink({file!r}, 'link'); open('link', 'a').write('x')",
    "put beside": "open({folder!r} + '/new', 'w')",
    "put a pipe beside": "os.mkfifo({folder!r} + '/new')",
    "put a link beside": "os.symlink('x', {folder!r} + '/new')",
    "put a folder beside": "os.mkdir({folder!r} + '/new')",
}


@pytest.mark.slow
@pytest.mark.attack("sandbox without namespaces")
@pytest.mark.parametrize("way", WRITING)
def test_nothing_of_the_users_can_be_written(theirs: Path, way: str):
    attempt = WRITING[way].format(file=str(theirs / "file.txt"), folder=str(theirs))
    code = f"import os\ntry: {attempt}\nexcept OSError as error: print(type(error).__name__)\nelse: print('done')"
    assert report_on(code)["runs"][0]["out"] in {"PermissionError\n", "OSError\n"}
    assert [path.name for path in theirs.iterdir()] == ["file.txt"]
    assert (theirs / "file.txt").read_text() == "before"


@pytest.mark.attack("sandbox without namespaces")
@pytest.mark.parametrize(
    "function", ["os.chmod(path, 0o777)", "os.fchmod(os.open(path, os.O_RDONLY), 0o777)"]
)
def test_modes_of_the_users_files_stay(theirs: Path, function: str):
    mode = stat.S_IMODE((theirs / "file.txt").stat().st_mode)
    report_on(f"import os\npath = {str(theirs / 'file.txt')!r}\n{function}")
    assert stat.S_IMODE((theirs / "file.txt").stat().st_mode) == mode


@pytest.mark.attack("sandbox without namespaces")
@pytest.mark.parametrize(
    ("first", "attempt"),
    [
        (OLDER, "os.kill(-1, 9)"),
        pytest.param(
            NO_NAMESPACES,
            "os.kill({pid}, 9)",
            marks=pytest.mark.skipif(landlock.version() < landlock.SCOPES_SINCE, reason="needs scopes"),
        ),
    ],
)
def test_no_other_process_of_the_users_is_ended(first: str, attempt: str):
    user = USER if os.geteuid() == 0 else None
    with subprocess.Popen(["sleep", "60"], user=user, group=user) as other:
        code = f"import os\ntry: {attempt.format(pid=other.pid)}\nexcept PermissionError: print('denied')"
        assert report_on(code, first)["runs"][0]["out"] == "denied\n"
        assert other.poll() is None
        other.kill()


@pytest.mark.slow
def test_what_else_the_user_runs_does_not_count():
    user = USER if os.geteuid() == 0 else None
    others = [subprocess.Popen(["sleep", "60"], user=user, group=user) for _ in range(40)]
    try:
        code = "import os\nif os.fork(): print(os.wait()[1])"
        limits = LIMITS._replace(processes=10)
        run = report_to_ordinary_user(code, limits, first=NO_NAMESPACES)["runs"][0]
        assert (run["out"], run["code"]) == ("0\n", 0), run["err"]
    finally:
        for other in others:
            other.kill()
            other.wait()


def test_the_report_says_whether_others_are_in_reach():
    scoped = landlock.version() >= landlock.SCOPES_SINCE
    assert report_on("")["processes"] == ("adopted" if scoped else "adopted, others in reach")
    assert report_on("", OLDER)["processes"] == "adopted, others in reach"


@pytest.mark.attack("sandbox without namespaces")
@pytest.mark.parametrize("module", ["sitecustomize", "usercustomize"])
def test_no_module_of_the_folder_runs_before_the_command(module: str):
    code = (
        "import os, subprocess, sys\n"
        f"if os.path.exists('{module}.py'): raise SystemExit(0)\n"
        f"open('{module}.py', 'w').write('print(1)')\n"
        "subprocess.run([sys.executable, '-P', '-c', ''])"
    )
    assert report_on(code)["runs"][0]["out"] == ""
