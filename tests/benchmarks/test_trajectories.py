"""Dialogues that are killed and gone on with, as the benchmark does it with more."""

from __future__ import annotations

import pytest
from scripts import script

trajectories = script("benchmarks/trajectories.py")


@pytest.mark.slow
def test_killed_dialogues_ask_nothing_twice_and_keep_every_request(capsys: pytest.CaptureFixture[str]):
    assert trajectories.dialogues(3, 2) == 0
    told = capsys.readouterr().out
    assert "killed 2 times with a request on its way" in told
    assert "asked again though answered: 0; outputs and user records as without kills: True" in told
