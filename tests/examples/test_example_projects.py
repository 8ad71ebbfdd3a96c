"""Example projects in `examples/`: their commands run, and print the output they show."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from played_page import ROOT, agrees, blocks, play

PROJECTS = sorted(path.parent.name for path in ROOT.glob("examples/*/README.md"))
_STATUS = "\n$ echo $?\n0\n```"


def test_the_first_page_names_every_project():
    page = (ROOT / "examples" / "README.md").read_text("utf-8")
    assert [name for name in PROJECTS if f"]({name}/README.md)" not in page] == []
    assert len(PROJECTS) == 8


@pytest.mark.parametrize("project", PROJECTS)
def test_every_command_of_a_project_works_and_prints_what_its_page_shows(project: str, tmp_path: Path):
    folder = tmp_path / project
    shutil.copytree(ROOT / "examples" / project, folder, ignore=shutil.ignore_patterns("__pycache__"))
    page = (folder / "README.md").read_text("utf-8")
    assert {block.language for block in blocks(page)} == {"console"}
    played = play(page.replace("\n```\n", f"{_STATUS}\n"), folder)
    assert len(played) > 1
    for command, printed in played:
        assert agrees(command.shown, printed), f"$ {command.command}\n{printed}"
