"""The documentation, built, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import NARROW, WIDE, Browser

SITE = Path(__file__).parents[2] / "build" / "site"


@pytest.fixture
def site() -> Path:
    if not (SITE / "docs" / "index.html").exists():
        pytest.skip("make site builds it")
    return SITE


@pytest.mark.parametrize("page", ["docs/index.html", "docs/reference.html", "docs/report.html"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_page_asks_no_other_host_for_anything(
    browser: Browser, site: Path, page: str, size: tuple[int, int]
):
    browser.open(site / page, size=size)
    assert browser.one("h1").text
    assert {each.partition(":")[0] for each in browser.requested()} <= {"file", "data"}
    assert browser.console() == []


def test_every_built_page_names_no_other_host_but_in_links(site: Path):
    loading = (
        '<script src="http',
        '<script async="async" src="http',
        '<link rel="stylesheet" type="text/css" href="http',
        "@import",
        "url(http",
    )
    found = [
        (page.name, each)
        for kind in ("*.html", "*.css")
        for page in site.rglob(kind)
        for each in loading
        if each in page.read_text("utf-8")
    ]
    assert found == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page", ["index", "calibration", "walkthrough", "reference", "report", "judges"])
def test_axe_finds_nothing_wrong_on_a_page(browser: Browser, site: Path, axe: Path, page: str, dark: bool):
    for size in (WIDE, NARROW):
        browser.open(site / "docs" / f"{page}.html", size=size, dark=dark)
        assert browser.violations(axe) == [], size
