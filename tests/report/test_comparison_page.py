"""Pages of comparisons: rates and differences are drawn, and a table repeats no drawing."""

from __future__ import annotations

from pathlib import Path

from command import fiducial
from html_page import Page

import fiducial as fd
from fiducial.report.items.naming import pair_name

RIGHT = [1, 1, 1, 1, 0, 0, 0, 0] * 5
POOR = [1, 0, 0, 0, 0, 1, 1, 0] * 5


def table(scores: dict[str, list[int]], *, prefix: dict[str, str] | None = None) -> list[dict[str, object]]:
    """Return rows of judges; judges with other prefixes saw other items."""
    return [
        {"item_id": f"{(prefix or {}).get(judge, '')}{n}", "judge": judge, "score": score, "label": RIGHT[n]}
        for judge, row in scores.items()
        for n, score in enumerate(row)
    ]


def test_the_command_names_the_page_it_wrote(tmp_path: Path):
    rows = tmp_path / "rows.csv"
    lines = [
        f"{row['item_id']},{row['judge']},{row['score']},{row['label']}"
        for row in table({"good": RIGHT, "poor": POOR})
    ]
    rows.write_text("\n".join(["item_id,judge,score,label", *lines]))
    done = fiducial("compare", rows, "--html", tmp_path / "page.html")
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1] == f"report: {tmp_path / 'page.html'}"
    page = Page((tmp_path / "page.html").read_text("utf-8"))
    assert "good is best" in page.text()
    assert len(page.of("figure")) == 2
    assert len(page.of("svg")) == 2  # the tables repeat no drawing


def test_judges_without_a_common_item_are_not_ranked():
    rows = table({"a": RIGHT, "b": RIGHT, "c": POOR}, prefix={"b": "other-", "c": "other-"})
    told = "\n".join(map(str, fd.compare(rows).screen()))
    assert "1 of 1 pair differs significantly in balanced accuracy." in told
    assert "2 pairs not compared" in told


def test_a_pair_names_once_what_both_begin_with():
    assert pair_name("rubric/reasons", "rubric/lexical") == "rubric/reasons - lexical"
    assert pair_name("a", "b") == "a - b"
