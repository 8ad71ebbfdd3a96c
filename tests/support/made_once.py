"""Folders that all workers of a test run share."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that one of the workers fills, and the others wait for."""
    mine = factory.getbasetemp()
    folder = (mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine) / name
    done = folder.with_suffix(".done")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def run_the_suite_twice(folder: Path) -> None:
    """Run the demo into ``demo``, and the built-in suite by other rules into ``other``.

    What the demo prints is in ``demo.txt``.
    """
    from command import fiducial

    from fiducial.data import demo_path

    suite = (demo_path("cases.jsonl"), "--outputs", demo_path("outputs.jsonl"))
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        demo = fiducial("demo", "--out", "demo")
        assert demo.code == 0
        Path("demo.txt").write_text(demo.out, "utf-8")
        assert fiducial("run", *suite, "--rules", "bfcl", "--out", "other", "-q").code == 0
