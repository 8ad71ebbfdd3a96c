"""Pages that lead through a session: files written, commands typed, output compared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from played_page import ROOT, agrees, play, rewrite

PAGES = {
    "calibration": "# ",
    "index": "# ",
    "report": "# ",
    "scale": "## When not to judge everything",
    "walkthrough": "# ",
    "testing": "## A rate that must not fall",
}
"""Each with where on it the session begins."""


@pytest.mark.parametrize("page", PAGES)
def test_a_page_prints_what_it_shows(page: str, tmp_path: Path):
    path = ROOT / "docs" / f"{page}.md"
    _, heading, after = path.read_text("utf-8").partition(PAGES[page])
    played = play(heading + after, tmp_path)
    assert played
    if os.environ.get("FIDUCIAL_PRINT_ANEW"):
        rewrite(path, played)
        return
    for command, printed in played:
        assert agrees(command.shown, printed), f"$ {command.command}\n{printed}"
