from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.cli.team_file import read_team_file
from fiducial.errors import InputError


def test_without_a_file_there_are_no_defaults(tmp_path: Path):
    assert read_team_file(tmp_path) == {}


def test_model_settings_reach_every_command_that_asks_a_model(tmp_path: Path):
    (tmp_path / "fiducial.toml").write_text(
        '[model]\nmodel = "m"\nbase-url = "http://h/v1"\n[run]\nrules = "strict"\n'
    )
    model = {"model": "m", "base_url": "http://h/v1"}
    assert read_team_file(tmp_path) == {"run": {**model, "rules": "strict"}, "judge": model}


def test_the_file_of_a_parent_folder_is_found(tmp_path: Path):
    (tmp_path / "fiducial.toml").write_text("[check]\nrules = 'strict'\n")
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    assert read_team_file(folder) == {"check": {"rules": "strict"}}


@pytest.mark.parametrize("content", ["rules = 'strict'", "[run", "\x00"])
def test_a_file_that_is_not_tables_is_an_error_that_names_it(tmp_path: Path, content: str):
    (tmp_path / "fiducial.toml").write_text(content)
    with pytest.raises(InputError, match=r"fiducial\.toml"):
        read_team_file(tmp_path)
