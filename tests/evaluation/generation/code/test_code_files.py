"""Files of a command's code: those it names, and the modules beside them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from fiducial.evaluation.generation.code.code_files import code_of_command


def code_of(folder: Path, command: str) -> set[str]:
    return {*(code_of_command(shlex.split(command), folder) or {})}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "agent.py": "import json, helper\nfrom pkg.deep import answer\nPROMPT = open('prompt.txt')\n",
        "helper.py": "",
        "other.py": "",
        "prompt.txt": "Be brief.",
        "pkg/__init__.py": "",
        "pkg/deep.py": "from . import near\n",
        "pkg/near.py": "from ..helper import x\n",
        "tool/__main__.py": "import helper\n",
        "run.sh": "python agent.py",
        "memory.sqlite": "",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


AGENT = {"agent.py", "helper.py", "prompt.txt", "pkg/__init__.py", "pkg/deep.py", "pkg/near.py"}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python agent.py", AGENT),
        (f"{sys.executable} agent.py --memory memory.sqlite", AGENT),
        ("python -m agent", AGENT),
        ("python -m tool", {"tool/__main__.py", "helper.py"}),
        ("python tool", {"tool/__main__.py"}),
        ("bash -c 'python agent.py | cat'", AGENT),
        ("./run.sh --prompt=prompt.txt", {"run.sh", "prompt.txt"}),
        ("python other.py", {"other.py"}),
        ("curl https://agent.example", set[str]()),
        ("python -c 'print(1)'", set[str]()),
    ],
)
def test_a_commands_code_is_the_files_it_names_and_the_modules_beside_them(
    project: Path, command: str, expected: set[str]
):
    assert code_of(project, command) == expected


def test_a_change_of_one_file_is_told_by_its_name(project: Path):
    before = code_of_command(["python", "agent.py"], project) or {}
    (project / "pkg" / "near.py").write_text("1\n")
    now = code_of_command(["python", "agent.py"], project) or {}
    assert [name for name in before if before[name] != now[name]] == ["pkg/near.py"]


@pytest.mark.parametrize("content", ["def (", "\0", "import agent, helper\n" * 3])
def test_a_file_that_is_no_python_or_imports_itself_is_one_part(project: Path, content: str):
    (project / "agent.py").write_text(content)
    assert "agent.py" in code_of(project, "python agent.py")


def test_a_word_that_can_be_no_files_name_is_passed_over(project: Path):
    assert code_of(project, "python agent.py " + "x" * 5_000) == AGENT
