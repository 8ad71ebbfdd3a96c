"""Two runs beside each other in a real browser."""

from __future__ import annotations

from pathlib import Path

from chromium import Browser
from command import fiducial

from fiducial.data import demo_path


def test_the_first_changed_case_shows_both_answers_and_the_reason_without_a_click(
    browser: Browser, demo: Path, tmp_path: Path
):
    other = tmp_path / "other"
    files = [demo_path("cases.jsonl"), "--outputs", demo_path("outputs.jsonl")]
    assert fiducial("run", *files, "--rules", "bfcl", "--out", other).code == 0
    page = tmp_path / "difference.html"
    assert fiducial("report", demo, other, "--html", page).code == 0
    browser.open(page)
    shown = browser.one("#section-1 details").text
    assert "Before (pass)" in shown
    assert "After (fail)" in shown
    assert "ast/bfcl: " in shown
