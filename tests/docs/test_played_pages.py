"""Pages that lead through a session: files written, commands typed, output compared."""

from __future__ import annotations

import os
import re
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


ASKED_OF_THE_SAME_TABLE = """```console
$ fiducial compare verdicts.csv
$ fiducial compare verdicts.csv -v
$ cut -d, -f1-3,5 verdicts.csv > judged.csv
$ fiducial estimate judged.csv --labels labels.csv --judge lenient -v
```
"""


def test_what_the_page_on_calibration_quotes_is_printed(tmp_path: Path):
    page = (ROOT / "docs" / "calibration.md").read_text("utf-8")
    prose = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    start, _, _ = page.partition("## Comparing")
    printed = " ".join(
        " ".join(text for _, text in play(start + ASKED_OF_THE_SAME_TABLE, tmp_path)).lower().split()
    )
    quoted = [each.lower() for each in re.findall(r'"([^"]+)"', prose)]
    assert len(quoted) > 4
    assert [each for each in quoted if each not in printed] == []
