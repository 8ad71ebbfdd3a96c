from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from command import fiducial
from html_page import Page

import fiducial as fd
from fiducial.api.demo import COMPARED, JUDGES, NOTE
from fiducial.cli.spelled_options import option_of
from fiducial.data import demo_path
from fiducial.judges.catalogue import DEFAULT_VARIANTS
from fiducial.spelling import spelled_as_options

PRINTED = Path(__file__).parent / "printed" / "demo-in-full.txt"


class Demo(NamedTuple):
    folder: Path
    out: str


@pytest.fixture
def demo(demo_runs: Path) -> Demo:
    """The demo, and all that it prints, which test_what_is_printed.py holds."""
    return Demo(demo_runs / "demo", PRINTED.read_text("utf-8"))


def test_the_demo_goes_the_whole_way_offline(demo: Demo):
    provenance = demo.out.splitlines()[0]
    assert "recorded replies of one Claude model (November 2026)" in provenance
    assert "calls are not independent" in provenance
    assert "word overlap baseline" in provenance
    assert "report: demo/report.html" in demo.out
    assert sorted(file.name for file in demo.folder.iterdir() if not file.name.startswith(".")) == [
        "calibration.json",
        "clusters.json",
        "comparison.json",
        "labels.jsonl",
        "report.html",
        "run.json",
        "verdicts.jsonl",
    ]
    assert provenance in (demo.folder / "report.html").read_text()


def test_the_demo_asks_every_judge_and_each_finds_something_to_judge(demo: Demo):
    assert set(JUDGES) == set(DEFAULT_VARIANTS)
    changed = len(json.loads(demo_path("replies/unanswered.json").read_bytes()))
    assert f"{changed} outputs were changed after the replies were recorded, and are not judged." in demo.out
    for judge in JUDGES:
        for name in (f"{judge}/reasons@claude", f"{judge}/lexical@baseline"):
            (graded,) = re.findall(rf"^  {name}: (\d+) graded\b", demo.out, re.MULTILINE)
            assert int(graded) >= 55


def test_the_demo_compares_three_prompts_on_the_same_outputs(demo: Demo):
    _, _, compared = demo.out.partition("3 prompts on the same outputs")
    assert {name for name in COMPARED if f"{name}@claude" in compared} == set(COMPARED)
    assert "memory_answer" not in compared


def test_estimating_on_the_run_corrects_the_open_part_alone_as_the_run_itself_does(demo: Demo):
    result = fiducial("estimate", demo.folder, judge="memory_answer/lexical@baseline", json="-")
    careful = json.loads(result.out)["careful"]
    assert (careful["n_labelled"], careful["n_unlabelled"]) == (12, 0)
    rate = careful["estimates"]["labels_only"]
    assert f"| {rate['value']:.2f} [{rate['low']:.2f}, {rate['high']:.2f}], n 12 of 12\n" in demo.out


def test_a_report_on_something_else_is_one_line(tmp_path: Path):
    result = fiducial("report", tmp_path)
    line = f"fiducial: {tmp_path}: not a run folder (run.json: No such file or directory)\n"
    assert (result.code, result.err) == (2, line)


def test_what_limits_the_numbers_is_said_in_the_same_words_on_a_terminal_in_the_report_and_as_json(
    demo: Demo,
):
    page = Page((demo.folder / "report.html").read_text("utf-8")).text()
    with spelled_as_options(option_of):
        sentences = fd.load_run(demo.folder).calibration.to_dict()["warnings"]
    assert len(sentences) > 3
    for sentence in sentences:
        assert demo.out.count(f"note: {sentence}\n") == 1
        assert sentence in page


def test_the_report_stays_light(demo: Demo):
    assert (demo.folder / "report.html").stat().st_size <= 400_000


def test_the_report_can_be_made_again_with_what_a_reader_must_see_first_and_certificates(
    demo: Demo, tmp_path: Path
):
    run = Path(shutil.copytree(demo.folder, tmp_path / "demo"))
    judge = "tool_call_accuracy/reasons@claude"
    fiducial("audit", "certify", run, by=judge, claim="accuracy=0.8", out=run / "certificate.json")
    (run / "certificate-of-nobody.json").write_text("{}")
    page = tmp_path / "page.html"
    assert fiducial("report", run, "--html", page).code == 0
    again = page.read_text("utf-8")
    assert NOTE.partition("{}")[0] in again
    assert "careful, hasty, sloppy</h1>" in again
    text = Page(again).text()
    assert re.search(
        rf"{judge}: certified [-\d]+ [\d:]+ UTC: accuracy at least 0.8 holds \(certificate.json\)", text
    )
    assert "certificate-of-nobody.json: cannot be read as a certificate" in text
