from __future__ import annotations

from typing import Any

import pytest

from fiducial.api import progress as showing
from fiducial.api.progress import LineProgress


def test_lines_are_written_at_the_start_and_every_ten_seconds():
    now, lines = [0.0], list[str]()
    progress = LineProgress(lines.append, lambda: now[0])
    progress.begin("judging", 2_000)
    for second in range(25):
        now[0] = float(second)
        progress.advance(50)
    assert lines == ["judging: 2,000 to do", "judging: 550 of 2,000", "judging: 1,050 of 2,000"]


def test_each_stage_counts_from_zero():
    now, lines = [0.0], list[str]()
    progress = LineProgress(lines.append, lambda: now[0])
    progress.begin("checking", 10)
    progress.advance(10)
    progress.begin("judging", 5)
    now[0] = 11.0
    progress.advance()
    assert lines[-1] == "judging: 1 of 5"


def test_a_notebook_that_cannot_draw_gets_plain_lines(monkeypatch: pytest.MonkeyPatch, capsys: Any):
    monkeypatch.setattr(showing, "_in_notebook", lambda: True)

    def nothing(_name: str) -> None:
        return None

    monkeypatch.setattr(showing, "find_spec", nothing)
    with showing.shown_progress() as shown:
        shown.begin("checking", 2)
        shown.advance(2)
    assert capsys.readouterr().err == "checking: 2 to do\n"
