"""Ladders in text and figures, with foreign text escaped."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
from command import fiducial
from each_row import each_row
from html_page import Page
from ladders import BEFORE, BEYOND, ON, ladder

from fiducial.calibration.statistic import Statistic
from fiducial.evaluation.audit.ladder.ladder_results import LadderThreshold, LevelCounts
from fiducial.report.document import as_html, as_lines
from fiducial.report.figures.ladder import ladder_curve
from fiducial.report.text.ladder_text import ladder_pieces


@each_row(
    ("threshold", "said"),
    [
        (ON, "at 4 [3, 5.2]"),
        (msgspec.structs.replace(ON, may_be_harder=True), "at 4 [3, beyond 8]"),
        (BEYOND, "not reached up to 8"),
        (msgspec.structs.replace(BEYOND, low=6.5), "not reached up to 8 [6.5, beyond 8]"),
        (BEFORE, "before 1 [below 1, 1.4]"),
        (LadderThreshold(where="not known"), "not known: nothing was graded"),
    ],
)
def test_where_a_judge_breaks_is_said_as_far_as_it_is_known(threshold: LadderThreshold, said: str):
    assert ladder(threshold).breaks == said


def test_steps_are_called_by_their_names():
    levels = [
        LevelCounts(level=n, step=name, caught=0, faulty=0, failed=0, right=0)
        for n, name in enumerate(("named", "implied", "converted"), start=1)
    ]
    found = msgspec.structs.replace(ON, level=2.4, low=2.0, high=2.9)
    assert ladder(found, levels=levels).breaks == "at 2.4 (implied) [2, 2.9]"


def test_a_terminal_has_a_line_a_dial_and_no_drawing():
    lines = list(as_lines(ladder_pieces([ladder(ON)])))
    assert any("calls" in line and "at 4 [3, 5.2]" in line for line in lines)
    assert not any("<" in line for line in lines)


def test_what_a_reader_has_to_know_stands_beside():
    fails = Statistic(value=0.9, low=0.7, high=0.97, n=10, method="Wilson")
    found = ladder(ON, flat=True, misfit_p=0.0004, failed_right=fails, ungraded={"failed": 3})
    text = "\n".join(as_lines(ladder_pieces([found])))
    for note in (
        "flat: no fall is found, 0.950 at most",
        "no smooth fall (p 0.0004)",
        "fails right outputs, too",
        "3 failed",
    ):
        assert note in text


def test_a_page_draws_the_curve_with_its_table_behind_it():
    page = str(as_html(ladder_pieces([ladder(ON)])))
    assert page.count("<svg") == 1
    assert page.count('class="seen"') == 4
    assert "<title>4: 8 of 10</title>" in page
    assert 'class="whisker"' in page
    assert "<summary>Numbers</summary>" in page
    assert 'class="whisker"' not in str(ladder_curve(ladder(BEYOND)))


def test_a_hostile_unit_is_text_in_the_drawing():
    drawn = str(ladder_curve(ladder(ON, unit="</text><script>alert(1)</script>")))
    assert "<script" not in drawn
    assert "&lt;script&gt;" in drawn


def test_the_report_of_an_audit_draws_its_ladders_and_runs_nothing(tmp_path: Path):
    out = tmp_path / "out"
    asked = (
        "--ladder",
        "--only",
        "inference",
        "--calls",
        "30",
        "--judge",
        "groundedness",
        "--model",
        "baseline",
    )
    assert fiducial("audit", "run", *asked, "--out", out).code == 0
    first = (out / "report.html").read_bytes()
    again = fiducial("report", out, "--html", tmp_path / "again.html")
    assert (again.code, again.out.strip()) == (0, f"report: {tmp_path / 'again.html'}")
    assert hashlib.sha256((tmp_path / "again.html").read_bytes()).digest() == hashlib.sha256(first).digest()
    assert b"<script" not in first
    assert b'class="ladder"' in first
    assert not Page(first.decode()).of("script")


def test_a_damaged_audit_is_one_line(tmp_path: Path):
    (tmp_path / "audit.json").write_text("{")
    done = fiducial("report", tmp_path)
    assert done.code == 2
    assert "audit.json: not an audit" in done.err


def test_a_dip_is_said_with_its_level():
    told = "\n".join(as_lines(ladder_pieces([ladder(ON, dip="2", misfit_p=0.0004)])))
    assert "dips: 2 is caught less often than a harder level" in told
    assert "no smooth fall" not in told
