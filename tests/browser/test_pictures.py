"""Pictures of pages for the documentation, by `make pictures`, checked for being current."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from chromium import NARROW, WIDE, Browser
from command import fiducial

from fiducial.data import demo_path

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SHOWN = "shown.json"
"""File of what each picture shows: a hash of the page's text."""

TEXT = """
const sections = [...document.querySelectorAll('main > section')].filter((each) => !['provenance', 'judges'].includes(each.id));
return (sections.length > 0 ? sections : [document.querySelector('main') || document.body]).map((each) => each.innerText).join(' ');
"""

Take = Callable[[str], None]


def current(folder: Path) -> dict[str, str]:
    file = folder / SHOWN
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


@pytest.fixture
def take(browser: Browser, tmp_path: Path) -> Take:
    """Make a picture of the open page, and compare what it shows with the documentation's.

    Pictures are replaced if FIDUCIAL_PICTURES names their folder.
    """

    def taken(name: str) -> None:
        given = os.environ.get("FIDUCIAL_PICTURES")
        folder = Path(given) if given else tmp_path
        text = " ".join(re.sub(r"\S*/\S+", "", browser.run(TEXT)).split())  # without addresses of the machine
        digest = sha256(text.encode()).hexdigest()[:16]
        browser.picture(folder / f"{name}.png")
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        if given:
            shown = current(folder) | {name: digest}
            (folder / SHOWN).write_text(json.dumps(shown, indent=2, sort_keys=True) + "\n", "utf-8")
        assert current(IMAGES).get(name) == digest, f"{name}.png shows what the page was: make pictures"

    return taken


@pytest.mark.parametrize(("name", "size"), [("report", WIDE), ("report-narrow", NARROW)])
def test_the_first_screen_of_the_report(
    browser: Browser, demo: Path, take: Take, name: str, size: tuple[int, int]
):
    browser.open(demo / "report.html", size=size, dark=size == NARROW)
    take(name)


def test_an_item_of_the_report(browser: Browser, demo: Path, take: Take):
    browser.open(demo / "report.html", place="#calendar-02/careful?status=fails")
    browser.until("return document.querySelector('#item .detail')?.textContent.includes('duration_minutes')")
    take("report-item")
    assert browser.run("return document.querySelector('#item h3').getBoundingClientRect().top < innerHeight")


def test_a_real_fault_that_a_real_judge_passes(browser: Browser, tmp_path: Path, take: Take):
    files = [demo_path("cases.jsonl"), "--outputs", demo_path("outputs.jsonl")]
    replies = ["--model", "claude", "--replay", demo_path("replies/suite.jsonl"), "--judge-on", "all"]
    labels = ["--labels", demo_path("labels.jsonl")]
    done = fiducial("run", *files, "--judge", "task_completion/decomposed", *replies, *labels, "--out", tmp_path / "run")  # fmt: skip
    assert done.code == 0, done.err
    browser.open(
        tmp_path / "run" / "report.html", place="#task-14/careful?status=disagreement", size=(1280, 620)
    )
    browser.until(
        "return document.querySelector('#item .detail')?.textContent.includes('All four doors were locked')"
    )
    take("missed")


def test_an_output_on_the_review_page(browser: Browser, unlabelled: Path, take: Take):
    done = fiducial("review", unlabelled, "--by", "ann")
    assert done.code == 0, done.err
    browser.open(unlabelled / "review-ann.html", size=WIDE)
    take("review")
    assert browser.all("#pass")


def test_the_calibration_of_the_report(browser: Browser, demo: Path, take: Take):
    browser.open(demo / "report.html", size=WIDE)
    browser.run("document.querySelector('#calibration').scrollIntoView()")
    take("calibration")


@pytest.mark.parametrize("name", ["judges", "audit"])
def test_the_first_screen_of_a_comparison_and_an_audit(browser: Browser, pages: Path, take: Take, name: str):
    browser.open(pages / f"{name}.html", size=WIDE)
    take(name)
    assert browser.all("#document figure")
