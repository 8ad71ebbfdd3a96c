"""The example of docs/calibration.md: made and run as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from command import fiducial

_PAGE = (Path(__file__).parents[2] / "docs" / "calibration.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", _PAGE, re.DOTALL)


def test_the_example_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (script,) = _blocks("python")
    exec(compile(script, "docs/calibration.md", "exec"), {})
    *_, budget = _blocks("sh")
    commands = [
        "calibrate verdicts.csv -v",
        "compare verdicts.csv -v",
        budget.replace("\\\n", " ").removeprefix("fiducial "),
    ]
    for command, shown in zip(commands, _blocks("text"), strict=True):
        result = fiducial(*shlex.split(command))
        assert result.code == 0, result.err
        printed = iter(result.out.splitlines())
        # The page leaves lines out and changes none.
        assert [line for line in shown.splitlines() if line not in printed] == []
