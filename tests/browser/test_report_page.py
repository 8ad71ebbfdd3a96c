"""The report in a real browser: what a reader sees first, what can be done there, and what must not happen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chromium import NARROW, WIDE, Browser

QUESTIONS = ["Which system is better?", "May its judges be trusted?", "What next?"]


def answers(browser: Browser) -> list[dict[str, Any]]:
    """Question, answer, and how far down the answer ends, of every one on the page."""
    return browser.run(
        """return [...document.querySelectorAll("#answers article")].map((each) => ({
            question: each.querySelector("h2").textContent,
            answer: each.querySelector("p").textContent,
            bottom: each.querySelector("p").getBoundingClientRect().bottom,
            evidence: each.querySelector("a[href^='#']").hash,
        }))"""
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_opens_without_a_word_on_the_console_and_asks_for_nothing_else(
    browser: Browser, demo: Path, dark: bool
):
    page = demo / "report.html"
    browser.open(page, dark=dark)
    assert browser.console() == []
    assert browser.requested() == {page.as_uri()}


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_three_answers_are_on_the_first_screen(browser: Browser, demo: Path, size: tuple[int, int]):
    browser.open(demo / "report.html", size=size)
    found = answers(browser)
    assert [each["question"] for each in found] == QUESTIONS
    assert "careful is better than hasty and sloppy" in found[0]["answer"]
    assert [each["bottom"] <= size[1] for each in found] == [True, True, True]


def test_every_answer_leads_to_its_evidence(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    for each in answers(browser):
        browser.one(f"#answers a[href='{each['evidence']}']").click()
        browser.until(
            """const top = document.querySelector(location.hash).getBoundingClientRect().top;
            return location.hash === arguments[0] && 0 <= top && top < innerHeight""",
            each["evidence"],
        )


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_nothing_is_wider_than_the_window(browser: Browser, demo: Path, size: tuple[int, int]):
    browser.open(demo / "report.html", size=size)
    assert browser.run("return document.documentElement.scrollWidth") <= size[0]


SHOWN = "return [...document.querySelectorAll('#list [role=option] .id')].map((each) => each.textContent)"


def count(browser: Browser, beginning: str) -> None:
    browser.until(f"return document.querySelector('#count').value.startsWith({beginning!r})")


def test_filters_leave_what_was_asked_for_and_stand_in_the_address(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    browser.one("#filter select[name=system]").send_keys("careful")
    count(browser, "180 of 540")
    shown = browser.run(SHOWN)
    assert shown
    assert all(each.endswith(" · careful") for each in shown)
    browser.one("#search").send_keys("no such words anywhere")
    browser.until("return document.querySelector('#count').value === '0 of 540'")
    assert browser.run(SHOWN) == []
    assert browser.run("return location.hash") == "#items?q=no+such+words+anywhere&system=careful"


def test_words_of_the_texts_are_found(browser: Browser, demo: Path):
    browser.open(demo / "report.html")
    browser.one("#search").send_keys("task_completion/reasons@claude")
    browser.until("return /^[1-9][0-9]* of 540$/.test(document.querySelector('#count').value)")


def test_an_address_leads_to_its_item(browser: Browser, demo: Path):
    browser.open(demo / "report.html", place="#calendar-02/careful?status=wrong")
    browser.until("return document.querySelector('#item .detail').textContent.includes('duration_minutes')")
    assert browser.run("return document.querySelector('#item h3').textContent") == "calendar-02 · careful"
    assert browser.run("return document.querySelector('#filter [name=status]').value") == "wrong"
    assert browser.console() == []


def test_an_address_of_nothing_says_so(browser: Browser, demo: Path):
    browser.open(demo / "report.html", place="#nowhere/nobody")
    browser.until("return document.querySelector('#item').textContent.includes('no item nowhere · nobody')")


def test_keys_go_through_the_items(browser: Browser, demo: Path):
    browser.open(demo / "report.html", place="#items")
    browser.until("return !document.querySelector('#browser').hidden")
    titles: list[str] = []
    for key in "jjk":
        browser.press(key)
        titles.append(browser.run("return document.querySelector('#item h3').textContent"))
    assert titles[0] == titles[2] != titles[1]
    browser.press("?")
    assert browser.run("return document.querySelector('#keys').open") is True
    browser.one("#keys button").click()
    browser.until("return !document.querySelector('#keys').open")
    browser.press("/")
    assert browser.run("return document.activeElement.id") == "search"


@pytest.mark.attack("terminal and report")
def test_hostile_texts_stay_texts(browser: Browser, hostile: Path):
    page = hostile / "report.html"
    browser.open(page)
    browser.until("return !document.querySelector('#browser').hidden")
    for _ in range(2):
        browser.press("j")
        browser.until("return document.querySelector('#item .detail')?.textContent")
        browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.run("return window.broken") is None
    foreign = "img, iframe, object, embed, a[href^='javascript:'], [onclick], [onerror]"
    assert [each.get_attribute("outerHTML") for each in browser.all(foreign)] == []
    text = browser.run("return document.body.innerText")
    assert "<script>window.broken = 1</script>" in text
    assert "{{ 7*7 }}" in text
    assert browser.console() == []
    assert browser.requested() == {page.as_uri()}


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (NARROW, True)], ids=["wide-light", "narrow-dark"])
def test_axe_finds_nothing_wrong_with_contrast_roles_and_names(
    browser: Browser, demo: Path, axe: Path, size: tuple[int, int], dark: bool
):
    browser.open(demo / "report.html", size=size, dark=dark)
    assert browser.violations(axe) == []
