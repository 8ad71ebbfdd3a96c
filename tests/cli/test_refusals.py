"""Refused input: exit code 2, one line, and no files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Result, fiducial, typed
from provider_server import ProviderServer

from fiducial.records import Case, Output, write_records


def refused(result: Result, *words: str) -> None:
    assert (result.code, len(result.err.splitlines())) == (2, 1), result.err
    for word in words:
        assert word in result.err


@pytest.fixture
def answers(tmp_path: Path) -> tuple[Path, Path]:
    cases, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    write_records(cases, [Case(id="o", kind="open_answer", reference={"criterion": "c"})])
    write_records(outputs, [Output(case_id="o", system=system, text="t") for system in "ab"])
    return cases, outputs


@pytest.mark.parametrize("command", ["run", "judge"])
@pytest.mark.parametrize(("name", "content"), [("thesis.txt", ""), ("run.json", "{")])
def test_a_folder_that_is_no_runs_is_left_as_it_was(
    answers: tuple[Path, Path], command: str, name: str, content: str
):
    Path("other").mkdir()
    Path("other", name).write_text(content)
    judge = ("--judge", "rubric", "--model", "baseline")
    refused(fiducial(command, answers[0], "--outputs", answers[1], *judge, "--out", "other"), "other")
    assert [entry.name for entry in Path("other").iterdir()] == [name]


@pytest.mark.parametrize(
    "wrong",
    [
        ("--judge", "rubric/reason"),
        ("--judge", "rubric/reason", "--model", "baseline"),
        ("--judge", "rubric", "rubric/reasons", "--model", "m"),
        ("--judge", "rubric", "--model", "m", "--split-statements"),
        ("--judge", "rubric", "--model", "m", "--jury", "escalate"),
        ("--labels", "labels.jsonl"),
    ],
)
def test_what_cannot_be_done_makes_no_folder(answers: tuple[Path, Path], wrong: tuple[str, ...]):
    Path("labels.jsonl").write_text('{"case_id": "o"}\n')
    refused(fiducial("run", "-v", answers[0], "--outputs", answers[1], *wrong, "--out", "deep/run"))
    assert not Path("deep").exists()


def test_labels_of_another_run_do_not_change_this_one(answers: tuple[Path, Path]):
    fiducial("run", "-v", answers[0], "--outputs", answers[1], "--out", "run")
    before = {path.name: path.read_bytes() for path in Path("run").iterdir()}
    label = {"case_id": "o", "system": "a", "by": "ann", "source": "human", "outcome": "graded", "score": 1}
    Path("labels.jsonl").write_text(json.dumps(label))
    other = ("--rules", "bfcl", "--labels", "labels.jsonl")
    refused(
        fiducial("run", "-v", answers[0], "--outputs", answers[1], *other, "--out", "run"), "differs in rules"
    )
    assert {path.name: path.read_bytes() for path in Path("run").iterdir()} == before


def test_a_judge_that_changed_does_not_change_the_run(server: ProviderServer, answers: tuple[Path, Path]):
    prompt = "---\ninputs: {criterion: {type: string}}\nscale: {minimum: 0, maximum: 1}\n---\nuser:\n{{criterion}} %s"
    Path("mine.prompty").write_text(prompt % 1)
    judge = ("--judge", "mine.prompty", "--model", "m", "--base-url", server.base_url, "--out", "run")
    assert fiducial("run", "-v", answers[0], "--outputs", answers[1], *judge).code == 0
    before = {path.name: path.read_bytes() for path in Path("run").iterdir()}
    Path("mine.prompty").write_text(prompt % 2)
    refused(
        fiducial("run", "-v", answers[0], "--outputs", answers[1], *judge), "differs in judge mine/custom@m"
    )
    assert {path.name: path.read_bytes() for path in Path("run").iterdir()} == before


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_judges_with_nothing_to_judge_are_told_who_fits(answers: tuple[Path, Path], dry: tuple[str, ...]):
    with answers[0].open("a") as more:
        more.write('{"id": "m", "kind": "memory_answer", "reference": {"answers": ["x"]}}\n')
    with answers[1].open("a") as more:
        more.write('{"case_id": "m", "system": "a", "text": "x"}\n')
    judge = typed(judge=("groundedness", "task_completion"), model="m", base_url="http://127.0.0.1:9/v1")
    result = fiducial("judge", "-v", answers[0], "--outputs", answers[1], *judge, *dry, "--out", "run")
    refused(
        result, "--judge groundedness", "2 of open_answer (judged by rubric), 1 of memory_answer (judged by memory_answer)"
    )  # fmt: skip
    assert not Path("run").exists()


def test_a_judge_that_has_judged_all_of_its_kind_has_nothing_to_be_told(
    server: ProviderServer, answers: tuple[Path, Path]
):
    judge = ("--judge", "rubric", "--model", "m", "--base-url", server.base_url, "--out", "run")
    codes = [fiducial("judge", "-v", answers[0], "--outputs", answers[1], *judge).code for _ in range(2)]
    assert (codes, len(server.seen)) == ([0, 0], 1)  # both systems gave the same answer


@pytest.mark.parametrize("name", ["cases.jsonl", "outputs.jsonl", "labels.jsonl"])
def test_a_key_that_stands_twice_is_named_with_its_line(answers: tuple[Path, Path], name: str):
    label = {"case_id": "o", "system": "a", "by": "ann", "source": "human", "outcome": "graded", "score": 1}
    Path("labels.jsonl").write_text(json.dumps(label) + "\n")
    key = {"cases.jsonl": "criterion", "outputs.jsonl": "text", "labels.jsonl": "score"}[name]
    lines = Path(name).read_text().splitlines()
    twice = lines[-1].replace(f'"{key}":', f'"{key}":"x","{key}":')
    Path(name).write_text("\n".join([*lines[:-1], twice.replace('"x","score"', '0,"score"')]))
    command = ("run", answers[0], "--outputs", answers[1], "--labels", "labels.jsonl", "--out", "run")
    refused(fiducial(*command), f"{name}:{len(lines)}: ", f"the key '{key}' stands twice in one object")
    assert not Path("run").exists()


def test_a_key_that_stands_twice_in_a_table_is_named_with_its_line(tmp_path: Path):
    table = tmp_path / "table.jsonl"
    table.write_text('{"item_id": "1", "judge": "j", "score": 0, "score": 1, "label": 1}\n')
    result = fiducial("calibrate", table)
    assert (result.code, f"{table}:1: the key 'score' stands twice" in result.err) == (2, True)


def test_a_key_that_stands_twice_in_verdicts_is_named_with_its_line(tmp_path: Path):
    verdict = '"system": "a", "source": "judge", "by": "j", "outcome": "graded", "score": 1'
    run = tmp_path / "old"
    run.mkdir()
    (run / "verdicts.jsonl").write_text(
        f'{{"case_id": "o", {verdict}}}\n{{"case_id": "p", "by": "i", {verdict}}}\n'
    )
    result = fiducial("calibrate", run)
    assert (result.code, f"{run / 'verdicts.jsonl'}:2: the key 'by' stands twice" in result.err) == (2, True)
