"""Two runs beside each other, and runs over time, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import NARROW, Browser
from command import fiducial


@pytest.mark.parametrize("command", ["report", "history"])
def test_the_page_is_quiet_narrow_enough_and_legible(
    browser: Browser, demo: Path, unlabelled: Path, axe: Path, command: str
):
    page = unlabelled.parent / f"{command}.html"
    runs = [demo.parent] if command == "history" else [unlabelled, demo]
    done = fiducial(command, *runs, "--html", page)
    assert done.code == 0, done.err
    browser.open(page, size=NARROW, dark=True)
    assert browser.one("h1").text
    assert browser.run("return document.documentElement.scrollWidth") <= NARROW[0]
    assert browser.console() == []
    assert browser.requested() == {page.as_uri()}
    assert browser.violations(axe) == []
