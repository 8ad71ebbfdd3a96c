"""Pictures of the pages for the documentation: FIDUCIAL_PICTURES=docs/images make browser"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from chromium import NARROW, WIDE, Browser
from command import fiducial


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return Path(os.environ.get("FIDUCIAL_PICTURES", tmp_path))


@pytest.mark.parametrize(("name", "size"), [("report", WIDE), ("report-narrow", NARROW)])
def test_the_first_screen_of_the_report(
    browser: Browser, demo: Path, pictures: Path, name: str, size: tuple[int, int]
):
    browser.open(demo / "report.html", size=size, dark=size == NARROW)
    browser.picture(pictures / f"{name}.png")
    assert (pictures / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_an_item_of_the_report(browser: Browser, demo: Path, pictures: Path):
    browser.open(demo / "report.html", place="#calendar-02/careful?status=wrong")
    browser.until("return document.querySelector('#item .detail').textContent.includes('duration_minutes')")
    browser.run("document.querySelector('#items').scrollIntoView()")
    browser.picture(pictures / "report-item.png")
    assert browser.run("return document.querySelector('#item h3').getBoundingClientRect().top < innerHeight")


def test_an_output_on_the_review_page(browser: Browser, unlabelled: Path, pictures: Path):
    done = fiducial("review", unlabelled, "--by", "ann")
    assert done.code == 0, done.err
    browser.open(unlabelled / "review-ann.html", size=WIDE)
    browser.picture(pictures / "review.png")
    assert browser.all("#pass")


@pytest.mark.parametrize("name", ["judges", "audit"])
def test_the_first_screen_of_a_comparison_and_an_audit(
    browser: Browser, pages: Path, pictures: Path, name: str
):
    browser.open(pages / f"{name}.html", size=WIDE)
    browser.picture(pictures / f"{name}.png")
    assert browser.all("#document figure")
