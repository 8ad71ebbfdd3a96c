from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]


def run_hook(*files: Path) -> subprocess.CompletedProcess[str]:
    (hook,) = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")  # pyright: ignore[reportUnknownMemberType] - ruamel.yaml has no types
    program, *rest = shlex.split(hook["entry"])
    command = [str(Path(sys.executable).with_name(program)), *rest, *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_hook_takes_every_shipped_prompt():
    assert run_hook(*(ROOT / "prompts").glob("*/*.prompty")).returncode == 0


def test_the_hook_refuses_a_prompt_that_cannot_be_used_and_names_file_and_line(tmp_path: Path):
    (tmp_path / "judge.prompty").write_text("system:\nGrade {{ response }}\n")
    done = run_hook(tmp_path / "judge.prompty")
    assert done.returncode == 2
    assert f"{tmp_path / 'judge.prompty'}:1: " in done.stderr
