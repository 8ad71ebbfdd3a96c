"""Questions of a reader, and the clicks, pixels and seconds to their answers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from chromium import WIDE, Browser


class Answer(NamedTuple):
    """Elements of which one has to begin in the window, and the expression in what it says."""

    selector: str
    says: str


class Question(NamedTuple):
    """Question, the page that answers it, what is clicked in turn, and all parts of the answer."""

    text: str
    page: str
    clicks: Sequence[str]
    answer: Sequence[Answer]


_ROW = "#list [role=option]"
_SYSTEM = r"mistral-\S+"

QUESTIONS = (
    Question(
        "which is best",
        "report",
        (),
        (
            Answer(
                "#better", r"(is best|significant difference between) [^]*\d\.\d\d \[-?\d\.\d\d, \d\.\d\d\]"
            ),
        ),
    ),
    Question(
        "why does it fail",
        "report",
        (),
        (
            Answer(".chips a", r"^[\d,]+ there is no final answer$"),
            Answer(".chips a", r"^[\d,]+ failed by memory_answer/lexical@baseline"),
            Answer(".chips a", r"^all [\d,]+ failures$"),
        ),
    ),
    Question(
        "show me one",
        "report",
        (".chips a", _ROW),
        (
            Answer("#item h3", rf"^0\S+ · {_SYSTEM}"),
            Answer("#item .detail table", r"answer/strict\s+fail\s+there is no final answer"),
            Answer("#item .block.agent", r"^Output\s+\(empty\)"),
        ),
    ),
    Question(
        "what was not graded",
        "report",
        ("#answers a[href*='group=ungraded']", _ROW),
        (
            Answer("#item h3", rf"^0\S+ · {_SYSTEM}"),
            Answer("#item .detail", rf"{_SYSTEM} has no output for this case"),
        ),
    ),
    Question(
        "can I trust the judge",
        "report",
        ("#trusted a",),
        (
            Answer("#trusted p", r"^The judge (needs more labels|passes \d+ points more than labels do)"),
            Answer("#trusted table", r"memory_answer/lexical\s+[\d,]+ of [\d,]+\s+[\d,]+ of [\d,]+\s+\d+ %"),
        ),
    ),
    Question(
        "what does it miss",
        "report",
        ("#trusted a[href*='group=']", _ROW),
        (
            Answer("#item h3", rf"^0\S+ · {_SYSTEM}"),
            Answer(
                "#item .detail table",
                r"ann\s+wrong[^]*judge\s+memory_answer/lexical@baseline\s+pass\s+1\.00 of",
            ),
            Answer("#item .block.agent", r"^Output[^]*do not have \d+ days"),
        ),
    ),
    Question("did it get worse", "two-runs", (), (Answer("#better", rf"\d worse \({_SYSTEM}"),)),
    Question(
        "and why",
        "two-runs",
        ("nav a[href='#section-1']", "#section-1 details > summary"),
        (
            Answer("#section-1 details .block", r"^Before \(pass\)\s+\d+"),
            Answer("#section-1 details .block", r"^After \(fail\)\s"),
        ),
    ),
)

_IN_SIGHT = """
const anywhere = arguments[1];
return arguments[0].every(([selector, says]) => [...document.querySelectorAll(selector)].some((each) => {
  const box = each.getBoundingClientRect();
  return new RegExp(says).test(each.innerText.trim()) && box.height > 0
    && (anywhere || (box.top >= -1 && box.top < innerHeight - 10)); }));
"""
_FAR = """
const tops = arguments[0].map((selector) => [...document.querySelectorAll(selector)].filter((each) => each.innerText.trim() && each.offsetHeight)
  .map((each) => each.getBoundingClientRect().top)).filter((each) => each.length).map((each) => Math.min(...each.map(Math.abs)));
return Math.max(0, ...tops.map((top) => top - innerHeight + 40));
"""


class Effort(NamedTuple):
    """Clicks, pixels scrolled and seconds to an answer; ``found`` if all of it is there."""

    clicks: int
    pixels: int
    seconds: float
    found: bool


def effort(browser: Browser, page: Path, question: Question) -> Effort:
    """Open a page and find an answer, with as few clicks as it takes."""
    browser.open(page, size=WIDE)
    began = time.monotonic()
    if question.page == "report":
        browser.until("return !document.querySelector('#browser').hidden")
    clicks = pixels = 0
    for selector in (*question.clicks, None):
        if _seen(browser, question.answer, patience=1.0 if clicks else 0.0):
            break
        if selector is None or not browser.all(selector):
            pixels += int(browser.run(_FAR, [answer.selector for answer in question.answer]))
            break
        pixels += int(browser.run(_FAR, [selector]))
        browser.run("document.querySelector(arguments[0]).scrollIntoView({block: 'nearest'})", selector)
        browser.one(selector).click()
        clicks += 1
    seconds = time.monotonic() - began
    return Effort(clicks, pixels, seconds, browser.run(_IN_SIGHT, list(question.answer), True))


def _seen(browser: Browser, answer: Sequence[Answer], *, patience: float) -> bool:
    end = time.monotonic() + patience
    while not browser.run(_IN_SIGHT, list(answer), False):
        if time.monotonic() >= end:
            return False
        time.sleep(0.02)
    return True


def efforts(browser: Browser, pages: Mapping[str, Path]) -> dict[str, Effort]:
    """Return the effort of each question."""
    return {question.text: effort(browser, pages[question.page], question) for question in QUESTIONS}
