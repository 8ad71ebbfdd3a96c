from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import pytest
from command import Command, Result, fiducial, typed
from packed_items import texts_of
from review_page import ReviewPage, label_lines

from fiducial.records import Case, Output, Verdict, read_records, write_records

pytestmark = pytest.mark.usefixtures("few_draws")


def run_at(inputs: Path, out: Path) -> Command:
    """Run two systems' answers to 60 open and 20 decided questions.

    A third of the answers quotes the criterion.
    """
    cases, outputs = inputs / "cases.jsonl", inputs / "outputs.jsonl"
    if not cases.exists():
        write_records(cases, (make_case(number) for number in range(80)))
        made = (make_output(number, system) for system in ("calm", "rash") for number in range(80))
        write_records(outputs, made)
    judges = typed(judge=("rubric", "tool_call_accuracy"), model="baseline")
    return partial(fiducial, *typed("run", "-v", cases, *judges, outputs=outputs, out=out))


@pytest.fixture
def run(tmp_path: Path) -> Command:
    """Return the command that runs them into ``run``."""
    return run_at(tmp_path, tmp_path / "run")


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the command was typed."""
    folder = tmp_path_factory.mktemp("once")
    assert run_at(folder, folder / "run")().code == 0
    return folder


@pytest.fixture
def again(run_once: Path, tmp_path: Path) -> Command:
    """Return the command where it was typed before: ``run`` is there."""
    shutil.copytree(run_once / "run", tmp_path / "run")
    return run_at(run_once, tmp_path / "run")


def make_case(number: int) -> Case:
    if number < 60:
        criterion = f"It names river{number} and lake{number}"
        return Case(id=f"q{number}", kind="open_answer", reference={"criterion": criterion})
    return Case(id=f"q{number}", kind="no_call", messages=[{"role": "user", "content": "Hello"}])


def make_output(number: int, system: str) -> Output:
    if number >= 60:
        return Output(case_id=f"q{number}", system=system, text="Hello!")
    named = f"It names river{number} and lake{number}" if number % 3 == 0 else "Nothing of the kind"
    return Output(case_id=f"q{number}", system=system, text=named)


def answered(page: Path, name: str, file: Path) -> Path:
    """Label a page's items with its own script: right where the case's number is even."""
    items = ReviewPage(page.read_text()).data["items"]
    answers = {index: float(int(item["case_id"][1:]) % 2 == 0) for index, item in enumerate(items)}
    file.write_text(label_lines(page, dict(answers), name))
    return file


def page_of(result: Result) -> Path:
    (line,) = [line for line in result.out.splitlines() if line.startswith("page: ")]
    return Path(line.removeprefix("page: "))


def test_labels_made_on_the_page_correct_the_rates_of_the_run(run: Command, tmp_path: Path):
    first = run()
    assert (first.code, "corrected with labels" in first.out) == (0, False)
    made = fiducial("review", tmp_path / "run", "--by", "ann", "--n", "60")
    assert (made.code, made.err) == (0, "")
    assert "60 of 120 undecided outputs, drawn at random (seed 0)\n" in made.out
    labels = answered(page_of(made), "ann", tmp_path / "labels-ann.jsonl")
    added = fiducial("review", tmp_path / "run", "--add", labels)
    assert (added.code, "60 added, 0 already there; ann 60" in added.out) == (0, True)
    second = run()
    assert (second.code, "corrected with labels" in second.out) == (0, True)
    given = list(read_records(labels, Verdict))
    for system in ("calm", "rash"):
        mine = sum(label.system == system for label in given)
        assert f"n {mine} of 60 ({60 - mine} not labelled)" in second.out


def test_labels_are_taken_as_they_are_by_every_command_that_takes_labels(again: Command, tmp_path: Path):
    folder = tmp_path / "run"
    labels = answered(page_of(fiducial("review", folder, "--n", "40")), "ann", tmp_path / "l.jsonl")
    judge = "rubric/lexical@baseline"
    estimated = fiducial("estimate", folder, "--labels", labels, "--judge", judge, "--json", "-")
    assert (estimated.code, json.loads(estimated.out)["all"]["n_labelled"]) == (0, 40)
    calibrated = fiducial("calibrate", folder, "--labels", labels, "--json", "-")
    assert (calibrated.code, json.loads(calibrated.out)["judges"][judge]["n"]) == (0, 40)
    taken = again("--labels", labels)
    assert (taken.code, "corrected with labels" in taken.out) == (0, True)


@pytest.mark.usefixtures("again")
def test_two_people_get_the_same_outputs_and_their_agreement_is_measured(tmp_path: Path):
    folder = tmp_path / "run"
    files: list[Path] = []
    for name in ("ann", "bob"):
        page = page_of(fiducial("review", folder, "--by", name, "--n", "30"))
        files.append(answered(page, name, tmp_path / f"labels-{name}.jsonl"))
    assert fiducial("review", folder, "--add", *files).code == 0
    result = json.loads(fiducial("calibrate", folder, "--json", "-").out)
    alpha = result["people"]["krippendorff_alpha"]["nominal"]
    assert (result["people"]["names"], alpha["value"]) == (["ann", "bob"], 1.0)


@pytest.mark.usefixtures("again")
def test_a_page_goes_on_where_a_person_stopped(tmp_path: Path):
    folder = tmp_path / "run"
    ask = ("review", folder, "--by", "ann", "--json")
    first = json.loads(fiducial(*ask, "--n", "10").out)
    fiducial("review", folder, "--add", answered(Path(first["page"]), "ann", tmp_path / "l.jsonl"))
    more = json.loads(fiducial(*ask, "--n", "15").out)
    assert (more["n"], more["labelled_before"], set(more["items"]) & set(first["items"])) == (5, 10, set())
    done = fiducial("review", folder, "--by", "ann", "--n", "10")
    assert (done.code, "ann has labelled all of them; a larger --n adds more" in done.out) == (0, True)
    assert json.loads(fiducial("review", folder, "--by", "bob", "--n", "10", "--json").out)["n"] == 10


@pytest.mark.usefixtures("again")
def test_an_audit_of_the_checker_is_drawn_from_what_it_decided(tmp_path: Path):
    folder = tmp_path / "run"
    made = fiducial("review", folder, "--by", "ann", "--sample", "decided", "--n", "20")
    assert "not for correcting rates" in made.out
    assert f"fiducial calibrate {folder} --label-audit labels-decided-ann.jsonl" in made.out
    labels = answered(page_of(made), "ann", tmp_path / "audit.jsonl")
    assert fiducial("calibrate", folder, "--label-audit", labels).code == 0
    refused = fiducial("review", folder, "--add", labels)
    assert (refused.code, f"{labels}:1: evidence.review.sample: " in refused.err) == (2, True)


def test_labels_drawn_by_doubt_are_weighed_by_their_chances(again: Command, tmp_path: Path):
    folder = tmp_path / "run"
    ask = ("review", folder, "--sample", "doubt", "--judge", "rubric/lexical@baseline", "--n", "40", "--json")
    made = json.loads(fiducial(*ask).out)
    labels = answered(Path(made["page"]), "ann", tmp_path / "l.jsonl")
    estimated = fiducial("estimate", made["table"], "--labels", labels, "--json", "-")
    result = json.loads(estimated.out)["all"]
    assert (result["n_labelled"], result["n_unlabelled"]) == (made["n"], 120 - made["n"])
    assert result["estimates"]["active"]["value"] is not None
    assert result["estimates"]["ppi_plus_plus"]["value"] is None
    refused = again("--labels", labels)
    assert (refused.code, "drawn by doubt" in refused.err) == (2, True)


@pytest.mark.usefixtures("again")
def test_json_says_where_the_page_is_and_what_is_on_it(tmp_path: Path):
    result = json.loads(fiducial("review", tmp_path / "run", "--n", "3", "--seed", "9", "--json").out)
    assert list(result) == [
        "page",
        "table",
        "sample",
        "seed",
        "of",
        "judge",
        "by",
        "n",
        "labelled_before",
        "items",
    ]
    page = ReviewPage(Path(result["page"]).read_text())
    shown = [f"{item['case_id']}|{item['system']}|{item['trial']}" for item in page.data["items"]]
    assert (result["items"], result["seed"], result["of"], result["table"]) == (shown, 9, 120, None)


@pytest.mark.usefixtures("again")
def test_pages_of_samples_and_people_have_files_of_their_own(tmp_path: Path):
    folder = tmp_path / "run"
    ask = ("review", folder, "--n", "1")
    names = [
        page_of(fiducial(*ask, *more)).name
        for more in ((), ("--by", "Ann B/../c"), ("--by", "ann", "--sample", "decided"))
    ]
    assert names == ["review.html", "review-Ann-B-..-c.html", "review-decided-ann.html"]
    fiducial(*ask, "--out", tmp_path / "elsewhere" / "page.html")
    assert (tmp_path / "elsewhere" / "page.html").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("nowhere",), "no such folder: 'nowhere'"),
        (("run", "--judge", "nobody"), "--judge nobody: no such judge in run; there are: "),
        (("run", "--n", "0"), "--n"),
        (("run", "--add", "missing.jsonl"), "no such file: 'missing.jsonl'"),
        (("run", "--sample", "suspected"), "no label is contradicted"),
    ],
)
@pytest.mark.usefixtures("again")
def test_what_cannot_be_done_is_exit_code_2_and_one_line(args: tuple[str, ...], message: str):
    result = fiducial("review", *args)
    assert (result.code, message in result.err, "Traceback" in result.err) == (2, True, False)


@pytest.mark.usefixtures("again")
def test_what_one_person_could_not_tell_does_not_hide_what_another_said(tmp_path: Path):
    folder = tmp_path / "run"
    page = page_of(fiducial("review", folder, "--n", "1"))
    for name, score in (("ann", 1.0), ("bob", None)):
        file = tmp_path / f"{name}.jsonl"
        file.write_text(label_lines(page, {0: score}, name))
        assert fiducial("review", folder, "--add", file).code == 0
    fiducial("report", folder)
    items = texts_of((folder / "report.html").read_text())
    assert sum("label" in item and "ann" in item for item in items) == 1


def test_outputs_that_are_gone_or_no_longer_what_was_judged_are_not_shown(run: Command, tmp_path: Path):
    run()
    with (tmp_path / "outputs.jsonl").open("a") as file:
        file.write("\n")
    for page in ("review", "report"):
        result = fiducial(page, tmp_path / "run")
        assert (result.code, "outputs.jsonl has changed since" in result.err) == (2, True), page
    (tmp_path / "outputs.jsonl").unlink()
    result = fiducial("review", tmp_path / "run")
    assert (result.code, "is missing; restore it" in result.err) == (2, True)
    assert not (tmp_path / "run" / "review.html").exists()


def test_the_files_of_a_workspace_are_shown(tmp_path: Path):
    ground = {"answer": "Three steps.", "files": [".txt"], "eval": {"type": "llm", "template": "rubric"}}
    reference = {"name": "Plan", "task": "Plan.", "ground": ground}
    write_records(tmp_path / "cases.jsonl", [Case(id="plan", kind="artifact", reference=reference)])
    write_records(tmp_path / "outputs.jsonl", [Output(case_id="plan", system="s", workspace="work")])
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "plan.txt").write_text("First, second, third.")
    inputs = (tmp_path / "cases.jsonl", "--outputs", tmp_path / "outputs.jsonl")
    assert fiducial("run", "-v", *inputs, "--out", tmp_path / "run").code == 0
    page = page_of(fiducial("review", tmp_path / "run"))
    (item,) = ReviewPage(page.read_text()).data["items"]
    shown = {block["title"]: block["text"] for block in dict(item["sections"])["Output"]}
    assert shown == {"Text": "First, second, third.", "Folder of files": str(tmp_path / "work")}
    assert dict(item["sections"])["Request"] == [{"title": "task", "text": "Plan.", "hidden": 0}]


@pytest.mark.usefixtures("run")
def test_a_run_without_checkers_is_corrected_by_estimate(tmp_path: Path):
    folder, outputs = tmp_path / "judged", tmp_path / "outputs.jsonl"
    judge = ("--judge", "rubric", "--model", "baseline", "--out", folder)
    assert fiducial("judge", "-v", tmp_path / "cases.jsonl", "--outputs", outputs, *judge).code == 0
    made = fiducial("review", folder, "--judge", "rubric/lexical@baseline", "--n", "30")
    assert f"  fiducial estimate {folder}" in made.out
    assert "30 of 120 undecided outputs graded by rubric/lexical@baseline, drawn" in made.out
    fiducial("review", folder, "--add", answered(page_of(made), "ann", tmp_path / "l.jsonl"))
    estimated = json.loads(fiducial("estimate", folder, "--json", "-").out)["all"]
    assert estimated["n_labelled"] == 30


def test_an_audit_without_a_judge_says_what_it_waits_for(tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", [make_case(60)])
    write_records(tmp_path / "outputs.jsonl", [make_output(60, "calm")])
    inputs = (tmp_path / "cases.jsonl", "--outputs", tmp_path / "outputs.jsonl")
    assert fiducial("run", "-v", *inputs, "--out", tmp_path / "run").code == 0
    made = fiducial("review", tmp_path / "run", "--sample", "decided")
    assert (made.code, "once a judge was asked:\n  fiducial calibrate" in made.out) == (0, True)
