"""Questions of a reader, and the clicks, pixels and seconds to their answers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from chromium import WIDE, Browser


class Question(NamedTuple):
    """Question, the page that answers it, what is clicked in turn, and where the answer is.

    All elements named in ``answer`` have to have text and begin in the window.
    """

    text: str
    page: str
    clicks: Sequence[str]
    answer: Sequence[str]


_OPENED = ("#item h3", "#item .detail table", "#item .block.agent")
_ROW = "#list [role=option]"

QUESTIONS = (
    Question("which is best", "report", (), ("#better",)),
    Question("why does it fail", "report", (".chips a",), (".chips a",)),
    Question("show me one", "report", (".chips a", _ROW), _OPENED),
    Question(
        "what was not graded",
        "report",
        ("#answers a[href*='group=ungraded']", _ROW),
        ("#item h3", "#item .detail"),
    ),
    Question("can I trust the judge", "report", ("#trusted a",), ("#trusted p", "#trusted table")),
    Question("what does it miss", "report", ("#trusted a[href*='group=']", _ROW), _OPENED),
    Question("did it get worse", "two-runs", (), ("#better",)),
    Question(
        "and why",
        "two-runs",
        ("nav a[href='#section-1']", "#section-1 details > summary"),
        ("#section-1 details .block",),
    ),
)

_IN_SIGHT = """
return arguments[0].every((selector) => [...document.querySelectorAll(selector)].some((each) => {
  const box = each.getBoundingClientRect();
  return each.innerText.trim() && box.height > 0 && box.top >= -1 && box.top < innerHeight - 10; }));
"""
_FAR = """
const tops = arguments[0].map((selector) => [...document.querySelectorAll(selector)].filter((each) => each.innerText.trim() && each.offsetHeight)
  .map((each) => each.getBoundingClientRect().top)).filter((each) => each.length).map((each) => Math.min(...each.map(Math.abs)));
return Math.max(0, ...tops.map((top) => top - innerHeight + 40));
"""


class Effort(NamedTuple):
    """Clicks, pixels scrolled and seconds to an answer; ``found`` is False without one."""

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
            pixels += int(browser.run(_FAR, list(question.answer)))
            break
        pixels += int(browser.run(_FAR, [selector]))
        browser.run("document.querySelector(arguments[0]).scrollIntoView({block: 'nearest'})", selector)
        browser.one(selector).click()
        clicks += 1
    seconds = time.monotonic() - began
    browser.run(
        "(document.querySelector(arguments[0]) || document.body).scrollIntoView({block: 'nearest'})",
        question.answer[-1],
    )
    found = _seen(browser, question.answer[-1:], patience=1.0)
    return Effort(clicks, pixels, seconds, found)


def _seen(browser: Browser, answer: Sequence[str], *, patience: float) -> bool:
    end = time.monotonic() + patience
    while not browser.run(_IN_SIGHT, list(answer)):
        if time.monotonic() >= end:
            return False
        time.sleep(0.02)
    return True


def efforts(browser: Browser, pages: Mapping[str, Path]) -> dict[str, Effort]:
    """Return the effort of each question."""
    return {question.text: effort(browser, pages[question.page], question) for question in QUESTIONS}
