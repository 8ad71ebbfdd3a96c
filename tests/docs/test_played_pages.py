"""Pages that lead through a session: files written, commands typed, output compared."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from each_row import each_row
from played_page import ROOT, Typed, agrees, play, rewrite

PAGES = {
    "calibration": "# ",
    "comparing": "# ",
    "estimating": "# ",
    "planning": "# ",
    "first-steps": "# ",
    "report": "# ",
    "scale": "## When not to judge everything",
    "walkthrough": "# ",
    "testing": "## A rate that must not fall",
}
"""Each with where on it the session begins."""

MAKE_TABLES = "$ python make_verdicts.py"
CUT_TABLE = "$ cut -d, -f1-3,5 verdicts.csv > judged.csv"
COMES_FIRST = {
    "comparing": (MAKE_TABLES,),
    "estimating": (MAKE_TABLES,),
    "planning": (MAKE_TABLES, CUT_TABLE),
}
"""What is typed before the session of a page that uses another page's tables."""


LONG = {"walkthrough", "report", "comparing"}
MARKED_PAGES = [pytest.param(page, marks=[pytest.mark.slow] if page in LONG else []) for page in PAGES]


@pytest.mark.parametrize("page", MARKED_PAGES)
def test_a_page_prints_what_it_shows_and_what_it_quotes(page: str, tmp_path: Path):
    path = ROOT / "docs" / f"{page}.md"
    _, heading, after = path.read_text("utf-8").partition(PAGES[page])
    more = f"\n```console\n{QUOTED[page]}\n```\n" if page in QUOTED else ""
    played = after_the_first(page, heading + after + more, tmp_path)
    assert played
    printed = " ".join(" ".join(text for _, text in played).lower().split())
    assert [each for each in quoted_on(page) if each not in printed] == []
    played = played[: -more.count("$ ")] if more else played
    if os.environ.get("FIDUCIAL_PRINT_ANEW"):
        rewrite(path, played)
        return
    for command, printed in played:
        assert agrees(command.shown, printed), f"$ {command.command}\n{printed}"


def after_the_first(page: str, text: str, folder: Path) -> list[tuple[Typed, str]]:
    """Play what comes first, then the text; return what that printed."""
    commands = COMES_FIRST.get(page, ())
    if not commands:
        return play(text, folder)
    (program,) = re.findall(
        r"`make_verdicts.py`:\n\n```python\n.*?```\n", page_text("calibration"), re.DOTALL
    )
    first = f"{program}\n```console\n{chr(10).join(commands)}\n```\n\n"
    return play(first + text, folder)[len(commands) :]


def page_text(page: str) -> str:
    return (ROOT / "docs" / f"{page}.md").read_text("utf-8")


def quoted_on(page: str) -> list[str]:
    """Return what the prose of a page quotes of what its commands print."""
    prose = re.sub(r"```.*?```", "", page_text(page), flags=re.DOTALL)
    return [found_text.lower() for found_text in re.findall(r'"([^"]+)"', prose)] if page in QUOTED else []


QUOTED = {
    "comparing": "$ fiducial compare verdicts.csv -v",
    "estimating": f"{CUT_TABLE}\n$ fiducial estimate judged.csv --labels labels.csv --judge lenient -v",
}
"""Pages that quote what their commands print, and commands that print it at greater length."""


def test_pages_that_quote_have_quotations():
    assert all(quoted_on(page) for page in QUOTED)


@each_row(
    ("printed", "rounding", "same"),
    [
        ("a 0.45, 1.50\n", False, True),
        ("a 0.44, 1.50\n", False, False),
        ("a 0.44, 1.51\n", True, True),
        ("a 0.43, 1.50\n", True, False),
        ("a 0.450, 1.50\n", True, False),
        ("b 0.45, 1.50\n", True, False),
    ],
)
def test_a_page_may_differ_by_the_last_digit_where_a_model_computes(
    printed: str, *, rounding: bool, same: bool
):
    assert agrees("...\na 0.45, 1.50\n", f"x 2.5\n{printed}", rounding=rounding) is same
