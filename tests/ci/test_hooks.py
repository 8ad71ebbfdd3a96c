from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]


def run_hook(*files: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    (hook,) = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")  # pyright: ignore[reportUnknownMemberType] - ruamel.yaml has no types
    program, *rest = shlex.split(hook["entry"])
    args = hook.get("args", [])
    command = [str(Path(sys.executable).with_name(program)), *rest, *args, *map(str, files)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_hook_takes_every_shipped_prompt():
    assert run_hook(*(ROOT / "prompts").glob("*/*.prompty")).returncode == 0


def test_the_hook_refuses_a_prompt_that_cannot_be_used_and_names_file_and_line(tmp_path: Path):
    (tmp_path / "judge.prompty").write_text("system:\nGrade {{ response }}\n")
    done = run_hook(tmp_path / "judge.prompty")
    assert done.returncode == 2
    assert f"{tmp_path / 'judge.prompty'}:1: " in done.stderr


@pytest.mark.parametrize("name", ["--plugin=evil.prompty", "--scale=1-5.prompty", "-h.prompty"])
def test_a_file_named_like_an_option_is_a_file(tmp_path: Path, name: str):
    shipped = (ROOT / "prompts" / "rubric" / "direct.prompty").read_text()
    (tmp_path / name).write_text(shipped)
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "__init__.py").write_text("open('imported', 'w')")
    (tmp_path / "evil" / "prompty.py").touch()
    done = run_hook(name, folder=tmp_path)
    assert (done.returncode, done.stdout.startswith(f"{name}: ok")) == (0, True)
    assert not (tmp_path / "imported").exists()
