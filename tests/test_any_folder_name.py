"""The suite runs in a clone of any name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_tests_are_collected_in_a_folder_whose_name_no_package_can_have(tmp_path: Path):
    clone = tmp_path / "a-clone"
    (clone / "tests").mkdir(parents=True)
    shutil.copytree(ROOT / "tests/support", clone / "tests/support")
    for name in ("pyproject.toml", "__init__.py"):
        shutil.copy(ROOT / name, clone / name)
    (clone / "tests/conftest.py").write_text('pytest_plugins = ["any_folder_name"]\n')
    (clone / "tests/test_nothing.py").write_text("def test_nothing(): ...\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_nothing.py"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
