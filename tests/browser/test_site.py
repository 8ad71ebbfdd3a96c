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
        (page.name, literal)
        for kind in ("*.html", "*.css")
        for page in site.rglob(kind)
        for literal in loading
        if literal in page.read_text("utf-8")
    ]
    assert found == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page", ["index", "calibration", "walkthrough", "reference", "report", "judges"])
def test_axe_finds_nothing_wrong_on_a_page(browser: Browser, site: Path, axe: Path, page: str, dark: bool):
    for size in (WIDE, NARROW):
        browser.open(site / "docs" / f"{page}.html", size=size, dark=dark)
        assert browser.violations(axe) == [], size


def test_code_has_a_button_that_copies_what_was_typed_and_is_not_cut(browser: Browser, site: Path):
    browser.open(site / "docs" / "first-steps.html", size=WIDE)
    assert len(browser.all("button.copy")) == len(browser.all(".highlight pre"))
    wider = "return [...document.querySelectorAll('.highlight pre')].filter((each) => each.scrollWidth > each.clientWidth + 1).length"
    assert browser.run(wider) == 0
    browser.run(
        "window.copied = ''; Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text; }}})"
    )
    browser.run("document.querySelector('.highlight-console button.copy').click()")
    browser.until("return window.copied !== ''")
    assert browser.run("return window.copied") == "fiducial import rows.csv --out shop"


def test_the_navigation_has_at_most_forty_entries_and_the_first_page_a_picture(browser: Browser, site: Path):
    browser.open(site / "docs" / "index.html", size=WIDE)
    assert 20 < len(browser.all(".sidebar-tree li.toctree-l1")) <= 40
    assert browser.run("return document.querySelector('article img').naturalWidth") == WIDE[0]


@pytest.mark.parametrize("words", ["labels", "judge", "audit"])
def test_a_search_gives_guides_before_decisions_and_the_changelog(browser: Browser, site: Path, words: str):
    browser.open(site / "search.html", place=f"?q={words}")
    # Results are added one by one; Sphinx writes the summary when it has all of them.
    browser.until("return /found/.test(document.querySelector('.search-summary')?.innerText ?? '')")
    browser.until("return document.querySelectorAll('#search-results li a').length > 12")
    found = [element.get_attribute("href") or "" for element in browser.all("#search-results li a")]
    behind = [n for n, each in enumerate(found) if "/decisions/" in each or "CHANGELOG" in each]
    guides = [
        n
        for n, each in enumerate(found)
        if any(f"/docs/{name}.html" in each for name in ("review", "judges", "audits"))
    ]
    assert guides
    assert not behind or min(behind) > max(guides)
