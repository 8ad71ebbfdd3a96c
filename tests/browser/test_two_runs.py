"""Two runs beside each other, and runs over time, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import NARROW, Browser
from command import fiducial

from fiducial.data import demo_path


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


def test_a_changed_case_shows_both_answers_and_the_reason_after_one_click(
    browser: Browser, demo: Path, tmp_path: Path
):
    other = tmp_path / "other"
    files = [demo_path("cases.jsonl"), "--outputs", demo_path("outputs.jsonl")]
    assert fiducial("run", *files, "--rules", "bfcl", "--out", other).code == 0
    page = tmp_path / "difference.html"
    assert fiducial("report", demo, other, "--html", page).code == 0
    browser.open(page)
    case = "#section-1 details"
    browser.one(f"{case} > summary").click()
    shown = browser.one(case).text
    assert "Before (pass)" in shown
    assert "After (fail)" in shown
    assert "ast/bfcl: " in shown
