"""The review page in a real browser: a person labels, and the labels are taken in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from chromium import NARROW, WIDE, Browser
from command import fiducial

LABELLED = 10
ARROW_LEFT = "\ue012"
ENTER = "\ue007"


def review(run: Path, *options: str) -> Path:
    """The page that a run's command writes."""
    done = fiducial("review", run, "--by", "ann", "--n", "12", *options)
    assert done.code == 0, done.err
    return run / "review-ann.html"


@pytest.fixture
def run(unlabelled: Path, tmp_path: Path) -> Path:
    """A copy of it for each test."""
    return Path(shutil.copytree(unlabelled, tmp_path / "run"))


def bounds(browser: Browser, selector: str) -> dict[str, float]:
    return browser.run(
        "return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector
    )


def count(browser: Browser) -> str:
    return browser.one("#count").text


def test_ten_labels_given_by_keys_and_buttons_are_taken_in(browser: Browser, run: Path):
    page = review(run)
    browser.open(page)
    for number in range(LABELLED):
        if number % 2:
            browser.press("10"[number % 4 == 3])
        else:
            browser.one("#pass" if number % 4 else "#fail").click()
        browser.until(
            "return document.querySelector('#count').textContent.startsWith(arguments[0])",
            f"{number + 1} of 12",
        )
    browser.press("d")
    labels = browser.downloaded("labels-ann.jsonl")
    given = [json.loads(line)["score"] for line in labels.read_text().splitlines()]
    assert given == [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]
    added = fiducial("review", run, "--add", labels)
    assert (added.code, "10 added" in added.out) == (0, True), added.err
    assert browser.console() == []
    assert {each for each in browser.requested() if not each.startswith("blob:")} == {page.as_uri()}


def test_twenty_labels_take_twenty_keys(browser: Browser, unlabelled: Path, tmp_path: Path):
    run = Path(shutil.copytree(unlabelled, tmp_path / "run"))
    done = fiducial("review", run, "--by", "ann", "--n", "20")
    assert done.code == 0, done.err
    browser.open(run / "review-ann.html")
    browser.press(*"10" * 10)
    assert count(browser) == "20 of 20"


def test_a_fraction_is_typed_in_sight_and_the_next_output_follows(browser: Browser, run: Path):
    browser.open(review(run), size=WIDE)
    assert browser.one("#score").is_displayed()
    browser.press("/")
    browser.one("#score").send_keys("3/4", ENTER)
    assert browser.one("#place").text.startswith("2 of 12")
    browser.press("p", ARROW_LEFT, ARROW_LEFT)
    assert browser.one("#given").text == "Your answer: score 0.75"
    assert count(browser) == "2 of 12"


def test_answers_are_there_again_when_the_page_is_opened_again_and_are_not_asked_for(
    browser: Browser, run: Path
):
    browser.open(review(run))
    browser.press("p", "f")
    browser.reload()
    assert count(browser) == "2 of 12"
    assert browser.one("#place").text.startswith("3 of 12")


def test_what_somebody_labelled_is_left_out_of_a_page_made_anew(browser: Browser, run: Path):
    done = fiducial("review", run, "--by", "cyd", "--n", "12")
    assert done.code == 0, done.err
    browser.open(run / "review-cyd.html")
    browser.press("1", "0", "?", "d")
    added = fiducial("review", run, "--add", browser.downloaded("labels-cyd.jsonl"))
    assert added.code == 0, added.err
    done = fiducial("review", run, "--n", "12")
    assert "3 of them are labelled already; 9 are left" in done.out
    browser.open(run / "review.html")
    assert browser.one("h1").text == "Review 9 outputs 3 outputs left out: labelled already"
    assert count(browser) == "0 of 9"


def test_the_dock_is_one_line_and_keys_are_named_as_what_they_mean(browser: Browser, run: Path):
    browser.open(review(run), size=WIDE)
    assert bounds(browser, ".bar")["height"] < 60
    tops = {
        bounds(browser, f"#{name}")["top"]
        for name in ("pass", "fail", "skip", "undo", "previous", "unanswered")
    }
    assert len(tops) == 1
    assert [browser.one(f"#{name}").text for name in ("pass", "fail", "skip")] == [
        "1 pass",
        "0 fail",
        "? cannot tell",
    ]


def test_output_and_opinions_are_side_by_side_on_the_first_screen(
    browser: Browser, demo: Path, tmp_path: Path
):
    page = tmp_path / "page.html"
    done = fiducial("review", demo, "--of", "disagreements", "--out", page)
    assert done.code == 0, done.err
    browser.open(page, size=WIDE)
    output, opinions = (bounds(browser, selector) for selector in (".got pre", "#opinions"))
    assert output["right"] < opinions["left"]
    assert max(output["top"], opinions["top"]) < bounds(browser, ".bar")["top"]


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_question_and_buttons_are_on_the_first_screen(browser: Browser, run: Path, size: tuple[int, int]):
    browser.open(review(run), size=size)
    for selector in ("#pass", "#fail", "#skip", "#question"):
        place = bounds(browser, selector)
        assert 0 <= place["top"] < place["bottom"] <= size[1], selector
    assert browser.run("return document.documentElement.scrollWidth") <= size[0]


def test_what_judges_say_is_shown_only_after_an_answer(browser: Browser, run: Path):
    browser.open(review(run))
    assert not browser.one("#verdicts").is_displayed()
    browser.press("p", ARROW_LEFT, "v")
    browser.until("return document.querySelector('#said').textContent.includes('Produced by')")


def test_an_answer_stays_to_be_looked_at_and_can_be_taken_back(browser: Browser, run: Path):
    browser.open(review(run))
    browser.run("document.querySelector('#onward').click()")
    first = browser.one("#place").text
    browser.press("p")
    assert (browser.one("#place").text, browser.one("#given").text) == (first, "Your answer: pass")
    browser.press("f", "z")
    assert browser.one("#given").text == "Your answer: pass"
    browser.press("j", "z")
    assert (browser.one("#place").text, browser.one("#given").text) == (first, "Not answered yet")
    assert count(browser).startswith("0 of 12")


def test_the_rate_of_a_random_sample_is_shown_once_all_is_answered(browser: Browser, run: Path):
    browser.open(review(run))
    browser.press(*"p" * 11)
    assert browser.one("#live").text == ""
    browser.press("p")
    assert browser.one("#live").text.startswith("answered: 1.00 pass [0.76, 1.00] of 12")


def test_two_people_on_one_page_have_answers_of_their_own(browser: Browser, run: Path):
    done = fiducial("review", run, "--n", "3")
    assert done.code == 0, done.err
    browser.open(run / "review.html")
    browser.press("p")  # before anybody is named, so it is the first who says a name

    def sits_down(name: str) -> str:
        browser.run(
            "const who = document.querySelector('#name'); who.value = arguments[0]; who.dispatchEvent(new Event('change'))",
            name,
        )
        return count(browser)

    assert [sits_down(name)[:1] for name in ("ann", "bob", "ann")] == ["1", "0", "1"]


def test_decisions_between_label_and_judge_are_taken_in(browser: Browser, demo: Path, tmp_path: Path):
    run = tmp_path / "run"
    shutil.copytree(demo, run)
    done = fiducial("review", run, "--of", "disagreements", "--by", "ann", "--n", "4", "--agreements", "2")
    assert done.code == 0, done.err
    browser.open(run / "review-disagreements-ann.html")
    opinions = [element.text for element in browser.all("#opinions pre")]
    assert len(opinions) == 2
    assert all(opinion.startswith(("The output is right.", "The output is wrong.")) for opinion in opinions)
    shown = int(count(browser).split()[2])
    for _ in range(shown):
        browser.run(
            "const fault = document.querySelector('#fault'); fault.value = 'format'; fault.dispatchEvent(new Event('change'))"
        )
        browser.press("p", "j")
    browser.press("d")
    decided = browser.downloaded("labels-disagreements-ann.jsonl")
    added = fiducial("review", run, "--add", decided)
    assert (added.code, f"{shown} added" in added.out) == (0, True), added.err
    assert f"format {shown}" in fiducial("calibrate", run, "-v").out
    assert browser.console() == []


@pytest.mark.attack("terminal and report")
def test_hostile_texts_stay_texts(browser: Browser, hostile: Path):
    page = review(hostile)
    browser.open(page)
    browser.press("p", ARROW_LEFT, "v")
    assert browser.run("return window.broken") is None
    foreign = "img, iframe, object, embed, a, [onclick], [onerror]"
    assert [element.get_attribute("outerHTML") for element in browser.all(foreign)] == []
    assert "<script>window.broken = 1</script>" in browser.run("return document.body.innerText")
    assert browser.console() == []
    assert browser.requested() == {page.as_uri()}


@pytest.mark.parametrize("screen", [(WIDE, False), (NARROW, True)], ids=["wide-light", "narrow-dark"])
def test_axe_finds_nothing_wrong_where_label_and_judge_are_decided_between(
    browser: Browser, demo: Path, axe: Path, tmp_path: Path, screen: tuple[tuple[int, int], bool]
):
    page = tmp_path / "page.html"
    done = fiducial("review", demo, "--of", "disagreements", "--agreements", "30", "--out", page)
    assert done.code == 0, done.err
    browser.open(page, size=screen[0], dark=screen[1])
    while not browser.run("return document.querySelector('#compared').childElementCount"):
        browser.press("j")
    browser.press("p", "v")
    assert browser.violations(axe) == []


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (NARROW, True)], ids=["wide-light", "narrow-dark"])
def test_axe_finds_nothing_wrong_with_contrast_roles_and_names(
    browser: Browser, run: Path, axe: Path, size: tuple[int, int], dark: bool
):
    browser.open(review(run), size=size, dark=dark)
    browser.press("p", ARROW_LEFT, "v")
    assert browser.violations(axe) == []
