from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from command import Result, fiducial
from html_page import Page

import fiducial as fd
from fiducial.api.demo import COMPARED, JUDGES, NOTE
from fiducial.data import demo_path
from fiducial.judges.catalogue import DEFAULT_VARIANTS


class Demo(NamedTuple):
    folder: Path
    result: Result


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo, with all that it prints."""
    folder = tmp_path_factory.mktemp("once") / "demo"
    return Demo(folder, fiducial("demo", "-v", "--out", folder))


def test_the_demo_goes_the_whole_way_offline(demo: Demo):
    result = demo.result
    assert result.code == 0
    provenance = result.out.splitlines()[0]
    assert "recorded replies of one Claude model (November 2026)" in provenance
    assert "calls are not independent" in provenance
    assert "word overlap baseline" in provenance
    assert f"report: {demo.folder / 'report.html'}" in result.out
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


def test_the_demo_fits_a_screen_with_its_answer_tables_and_next_command(tmp_path: Path):
    result = fiducial("demo", "--out", tmp_path / "demo")
    lines = result.out.splitlines()
    named = {line.replace(str(tmp_path), "") for line in lines}
    assert len(lines) <= 24
    assert all(len(line) <= 80 for line in named)
    assert result.err == ""
    for begins in (
        "careful is best: 0.86 [0.79, 0.90] of 176 outputs pass, 0.36 [0.27, 0.45] more",
        "3 of 8 judges are proven; 5 have too few labels to tell.",
        "Next: Most judges contradict 1 label.",
        "careful  |",
        "Commonest failures of careful:",
        "  4  wrong state after the calls",
        "judge (claude) ",
        "report: ",
    ):
        assert any(line.startswith(begins) for line in lines)


def test_the_demo_asks_every_judge_and_each_finds_something_to_judge(demo: Demo):
    result = demo.result
    assert set(JUDGES) == set(DEFAULT_VARIANTS)
    changed = len(json.loads(demo_path("replies/unanswered.json").read_bytes()))
    assert (
        f"{changed} outputs were changed after the replies were recorded, and are not judged." in result.out
    )
    for judge in JUDGES:
        for name in (f"{judge}/reasons@claude", f"{judge}/lexical@baseline"):
            (graded,) = re.findall(rf"^  {name}: (\d+) graded\b", result.out, re.MULTILINE)
            assert int(graded) >= 55


def test_the_demo_compares_three_prompts_on_the_same_outputs(demo: Demo):
    _, _, compared = demo.result.out.partition("3 prompts on the same outputs")
    assert {name for name in COMPARED if f"{name}@claude" in compared} == set(COMPARED)
    assert "memory_answer" not in compared


def test_estimating_on_the_run_corrects_the_open_part_alone_as_the_run_itself_does(demo: Demo):
    result = fiducial("estimate", demo.folder, judge="memory_answer/lexical@baseline", json="-")
    careful = json.loads(result.out)["careful"]
    assert (careful["n_labelled"], careful["n_unlabelled"]) == (12, 0)
    rate = careful["estimates"]["labels_only"]
    assert f"| {rate['value']:.2f} [{rate['low']:.2f}, {rate['high']:.2f}], n 12 of 12\n" in demo.result.out


def test_the_report_can_be_made_again_with_what_a_reader_must_see_first(demo: Demo, tmp_path: Path):
    result = fiducial("report", demo.folder, "--html", tmp_path / "again.html")
    again = (tmp_path / "again.html").read_text()
    assert result.code == 0
    assert NOTE in again
    assert "careful, hasty, sloppy</h1>" in again


def test_a_report_on_something_else_is_one_line(tmp_path: Path):
    result = fiducial("report", tmp_path)
    line = f"fiducial: {tmp_path}: not a run folder (run.json: No such file or directory)\n"
    assert (result.code, result.err) == (2, line)


def test_what_limits_the_numbers_is_said_in_the_same_words_on_a_terminal_in_the_report_and_as_json(
    demo: Demo,
):
    page = Page((demo.folder / "report.html").read_text("utf-8")).text()
    sentences = fd.load_run(demo.folder).calibration.to_dict()["warnings"]
    assert len(sentences) > 3
    for sentence in sentences:
        assert demo.result.out.count(f"note: {sentence}\n") == 1
        assert sentence in page


def test_the_report_stays_light(demo: Demo):
    assert (demo.folder / "report.html").stat().st_size <= 400_000


def test_a_certificate_beside_the_run_stands_under_its_judges(demo: Demo, tmp_path: Path):
    run = Path(shutil.copytree(demo.folder, tmp_path / "demo"))
    judge = "tool_call_accuracy/reasons@claude"
    fiducial("audit", "certify", run, by=judge, claim="accuracy=0.8", out=run / "certificate.json")
    (run / "certificate-of-nobody.json").write_text("{}")
    page = tmp_path / "page.html"
    assert fiducial("report", run, "--html", page).code == 0
    text = Page(page.read_text("utf-8")).text()
    assert re.search(
        rf"{judge}: certified [-\d]+ [\d:]+ UTC: accuracy at least 0.8 holds \(certificate.json\)", text
    )
    assert "certificate-of-nobody.json: cannot be read as a certificate" in text
