"""The sandbox's launcher as an ordinary user runs it, also where the tests are run by root."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fiducial.deterministic.sandbox as package
from fiducial.deterministic.sandbox.limits import Limits

USER = 54_321
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from sandbox import landlock, launcher; {first}\nlauncher.main()"


def reachable_interpreter() -> str | None:
    """Return an interpreter that every user can run, or None without one.

    It is no link of an environment, and imports no package that only ours has.
    """
    for name in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        program = Path(name).resolve()
        if all(_is_open(place) for place in (program, *program.parents)):
            return str(program)
    return None


def _is_open(place: Path) -> bool:
    return place.exists() and place.stat().st_mode & 0o001 > 0


def order_to(
    command: list[str], source: Path, scratch: Path | None, limits: Limits, readable: Sequence[str] = ()
) -> bytes:
    """Return the order that has the launcher run one command."""
    order = {
        "commands": [command],
        "source": str(source),
        "scratch": None if scratch is None else str(scratch),
        "readable": list(readable),
        "environment": {},
        "limits": limits._asdict(),
        "parent": os.getpid(),
    }
    return json.dumps(order).encode()


def read_report(written: bytes) -> dict[str, Any]:
    """Return the launcher's report: its confinement, and outputs as text in ``runs``."""
    confinement, *runs = map(json.loads, written.splitlines())
    for run in runs:
        run.update({key: base64.b64decode(run[key]).decode() for key in ("out", "err")})
    return {**confinement, "runs": runs}


def report_to_ordinary_user(code: str, limits: Limits, *, first: str = "") -> dict[str, Any]:
    """Return the launcher's report to an ordinary user on a script.

    Args:
        code: The script.
        limits: What it may use.
        first: What the launcher does first.

    Returns:
        The report: how far it was shut in, and ``runs``, outputs as text; fewer runs than one when the launcher was ended.
    """
    interpreter = reachable_interpreter()
    assert interpreter is not None
    with tempfile.TemporaryDirectory(prefix="ordinary-user-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        shutil.copytree(Path(package.__file__).parent, folder / "sandbox")
        (folder / "source").mkdir()
        (folder / "source" / "script.py").write_text(code)
        (folder / "scratch").mkdir()
        readable = [str(Path(interpreter).parent.parent)]
        order = order_to([interpreter, "script.py"], folder / "source", folder / "scratch", limits, readable)
        user = USER if os.geteuid() == 0 else None
        for path in (folder, *folder.rglob("*")):
            if user is not None:
                os.chown(path, user, user)
        launched = subprocess.run(
            [interpreter, "-I", "-S", "-B", "-c", _BOOT.format(first=first), str(folder)],
            input=order,
            capture_output=True,
            check=False,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    assert launched.stdout, launched.stderr.decode()
    return read_report(launched.stdout)
