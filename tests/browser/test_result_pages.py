"""Pages of comparisons, audits and runs in a browser: the answer, its figure, then tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chromium import NARROW, WIDE, Browser

PAGES = ["systems", "judges", "audit", "two-runs", "history"]


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest, pages: Path) -> Path:
    return pages / f"{request.param}.html"


def test_the_answer_comes_first_then_its_figure_then_tables(browser: Browser, page: Path):
    browser.open(page, size=WIDE)
    if page.stem == "history":  # one run alone has no course
        assert browser.one("h2").text.startswith("Latest run")
        return
    kinds = ["h2", *(["section.card"] if page.stem == "audit" else []), "figure", "#document > .wide table"]
    tops = browser.run(
        "return arguments[0].map((kind) => document.querySelector(kind).getBoundingClientRect().top)", kinds
    )
    assert tops == sorted(tops)
    assert tops[1] < WIDE[1]


def test_head_and_navigation_are_those_of_the_report(browser: Browser, page: Path):
    browser.open(page)
    assert browser.one("header.page .brand").text == "fiducial"
    targets = [element.get_attribute("href") or "" for element in browser.all("header.page nav a")]
    assert len(targets) > 1
    assert all(browser.all(f"#{target.rpartition('#')[2]}") for target in targets)


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (NARROW, True)], ids=["wide-light", "narrow-dark"])
def test_it_is_quiet_narrow_enough_and_legible(
    browser: Browser, page: Path, axe: Path, size: tuple[int, int], dark: bool
):
    browser.open(page, size=size, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= size[0]
    assert browser.console() == []
    assert browser.requested() == {page.as_uri()}
    assert browser.violations(axe) == []


def test_an_audit_draws_where_each_dial_breaks_and_the_faults_that_are_missed(browser: Browser, pages: Path):
    browser.open(pages / "audit.html")
    captions = [element.text for element in browser.all("#document figcaption")]
    assert captions[0].endswith("level up to which 80 % are caught, by dial")
    assert any("share of each fault caught, lowest first" in caption for caption in captions)


def test_an_audits_cards_show_what_was_planted_and_what_the_judge_said(browser: Browser, pages: Path):
    browser.open(pages / "audit.html")
    first = browser.one("#document section.card")
    assert re.match(r"[A-Z][a-z ]+: \d+ of \d+ missed", first.text)
    assert (
        "_" not in browser.one("#document section.card h3").text.splitlines()[0]
    )  # the judge is named below
    assert "The judge gives " in first.text
    assert browser.all("#document section.card del, #document section.card ins")
    browser.one("#document section.card summary").click()
    assert browser.one("#document section.card table").is_displayed()
