"""Questions of a reader of a messy run: answered within one click, without scrolling."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import Browser
from messy_run import messy_run
from reader_questions import QUESTIONS, Question, effort

import fiducial as fd


@pytest.fixture(scope="module")
def messy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages of a messy run, and of it beside one that is worse."""
    folder = tmp_path_factory.mktemp("messy")
    before, after = messy_run(folder / "before", 60), messy_run(folder / "after", 60, worse=True)
    return {
        "report": before.report(folder / "report.html"),
        "two-runs": fd.diff(before, after).report(folder / "two-runs.html"),
    }


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.text)
def test_a_question_is_answered_within_one_click_and_without_scrolling(
    browser: Browser, messy: dict[str, Path], question: Question
):
    found = effort(browser, messy[question.page], question)
    assert found.found
    assert (found.clicks <= 1, found.pixels) == (True, 0), found
