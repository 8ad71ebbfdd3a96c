"""docs/report.md explains the screen that `fiducial demo` prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import fiducial
from played_page import ROOT, blocks


def test_the_screen_on_the_page_is_what_the_demo_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown = next(each for each in blocks((ROOT / "docs" / "report.md").read_text("utf-8")))
    monkeypatch.chdir(tmp_path)
    printed = fiducial("demo").out.splitlines()
    assert [line for line in shown.text.splitlines() if line not in printed] == []
