"""Pages on paper and results in a notebook, laid out by a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import WIDE, Browser

import fiducial as fd
from fiducial.api.display import Displayed

FOLDED = """
return [...document.querySelectorAll('details > *')]
  .filter((each) => each.offsetHeight === 0 && !each.closest('#browser')).length
"""  # items one by one are for the screen alone
CUT = """
return [...document.querySelectorAll('.wide, pre, summary')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== 'visible' && each.offsetParent)
  .concat([...document.querySelectorAll('table, pre')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && each.offsetParent))
  .map((each) => each.textContent.slice(0, 80))
"""
LIGHT = "return getComputedStyle(document.documentElement).getPropertyValue('--paper') + getComputedStyle(document.querySelector('.note') ?? document.body).backgroundColor"

NOTEBOOK = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A notebook</title><style>
body {{ background: {paper}; color: {ink}; font: 14px sans-serif; }}
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th {{ text-align: right; white-space: normal; }}
.jp-RenderedHTMLCommon table {{ table-layout: fixed; margin: 0 auto; }}
</style></head><body><main><h1>A notebook</h1><div class="jp-RenderedHTMLCommon">{cell}</div></main></body></html>"""
"""What JupyterLab puts around a cell, of the styles that matter."""


@pytest.fixture(params=["report", "two-runs", "compare"])
def page(request: pytest.FixtureRequest, demo: Path, unlabelled: Path, tmp_path: Path) -> Path:
    if request.param == "report":
        return demo / "report.html"
    found = fd.diff(unlabelled, demo) if request.param == "two-runs" else fd.compare(demo)
    return found.report(tmp_path / "page.html")


def test_on_paper_nothing_is_folded_cut_or_dark(browser: Browser, page: Path):
    browser.open(page, dark=True)
    browser.on_paper()
    assert browser.run(FOLDED) == 0
    assert browser.run(CUT) == []
    assert set(browser.run(LIGHT).replace(" ", "").replace("#fff", "").split("rgb(255,255,255)")) <= {
        "",
        "rgba(0,0,0,0)",
    }


def test_no_name_breaks_on_paper(browser: Browser, page: Path):
    browser.open(page)
    browser.on_paper()
    broken = browser.run(
        "return [...document.querySelectorAll('tbody th')].filter((each) => {"
        "  const range = document.createRange(); range.selectNodeContents(each.firstChild || each);"
        "  return each.offsetParent && !/[\\s\\u2010-\\u2015-]/.test(each.textContent) && range.getClientRects().length > 1;"
        "}).map((each) => each.textContent)"
    )
    assert broken == []


@pytest.mark.parametrize("colours", [("#fff", "#212121"), ("#111", "#e0e0e0")], ids=["light", "dark"])
def test_a_notebooks_cell_is_legible_in_its_colours(
    browser: Browser, demo: Path, axe: Path, tmp_path: Path, colours: tuple[str, str]
):
    paper, ink = colours
    shown: list[Displayed] = [fd.load_run(demo), fd.compare(demo, by="system"), fd.calibrate(demo)]
    for number, found in enumerate(shown):
        cell = found._repr_html_()  # pyright: ignore[reportPrivateUsage] - a notebook's name
        page = tmp_path / f"{number}.html"
        page.write_text(NOTEBOOK.format(paper=paper, ink=ink, cell=cell), "utf-8")
        browser.open(page, size=WIDE)
        assert browser.violations(axe) == []
        assert browser.run("return getComputedStyle(document.querySelector('tbody th')).textAlign") == "left"
        assert browser.run("return getComputedStyle(document.querySelector('p')).color") == browser.run(
            "return getComputedStyle(document.body).color"
        )
