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


TABLE = "item_id,judge,score,label\n1,a,1,1\n2,a,0,0\n3,a,1,0\n4,a,0,1\n"


@pytest.mark.parametrize(
    ("command", "hints"),
    [
        ("check case.jsonl --outputs outputs.jsonl --out v", ["no such file: 'case.jsonl' (did you mean 'cases.jsonl'?)"]),
        ("check table.csv --outputs outputs.jsonl --out v", ["`fiducial import table.csv --out imported` makes cases"]),
        ("run cases.jsonl --outputs table.csv --out r", ["`fiducial import table.csv --out imported` makes cases"]),
        ("run cases.jsonl", ["Missing option '--out'", "`fiducial run cases.jsonl --outputs outputs.jsonl --out run`"]),
        ("improve", ["Missing argument", "`fiducial improve run --prompt rubric@gpt-4.1-mini --model gpt-4.1 --out better`"]),
        ("report rum", ["no such folder: 'rum'"]),
        ("report table.csv", ["'table.csv' is a file; expected a folder"]),
        ("check cases.jsonl --outputs outputs.jsonl --out .", ["'.' is a folder; expected a file"]),
        ("calibrate table.cvs", ["did you mean 'table.csv'?"]),
        ("calibrate cases.jsonl", ["cases.jsonl: this file holds cases", "`fiducial run cases.jsonl --outputs FILE`"]),
        ("calibrate outputs.jsonl", ["this file holds outputs", "`fiducial run CASES --outputs outputs.jsonl`"]),
        ("calibrate table.csv --column label=gold", ["no row has the column 'gold' of --map label=gold"]),
        ("calibrate table.csv --column label", ["--map expects FIELD=COLUMN (such as label=gold), got 'label'"]),
        ("calibrate table.csv --threshold-for kappa", ["did you mean 'cohen_kappa'?"]),
        ("calibrate table.csv --label-pass-at nan", ["--label-pass-at"]),
        ("calibrate table.csv --fail-under mcc=0.1 --fail-under mcc=0.2", ["mcc has a value already"]),
        ("compare table.csv", ["only one judge", "name a second table"]),
        ("audit certify . --claim accuracy=0.1 --claim accuracy=0.9 --out c", ["accuracy has a value already"]),
        ("audit mutate cases.jsonl --only dropped_cal --out p", ["no such operator (did you mean 'dropped_call'?)"]),
        ("audit mutate cases.jsonl --only claim_stale --out p", ["--only claim_stale", "--lifelike 10"]),
        ("audit mutate --only off_by_one --lifelike 2 --out p", ["--lifelike 2: no operator of --only"]),
        ("audit mutate --outputs outputs.jsonl --lifelike 2 --out p", ["outputs need their cases"]),
        ("audit export . --to inspect --out e", ["not a folder of probes", "`fiducial audit mutate CASES --out PROBES`"]),
        ("review . --add table.csv", ["`fiducial labels add . table.csv` adds it"]),
        ("export . --to otlp", ["--to otlp needs --out FILE, or --endpoint URL"]),
        ("import promptfo table.csv --out i", ["promptfo: neither a source nor a file (did you mean 'promptfoo'?)"]),
        ("import chats.csv --map reply=respons --out i", ["'respons' is not a field (did you mean 'response'?)"]),
        ("prompts render rubric --cases cases.jsonl --outputs outputs.jsonl --id oo", ["no case 'oo' (did you mean 'o'?)"]),
        ("prompts render rubric --cases cases.jsonl --outputs outputs.jsonl --id o --system c", ["systems: a, b"]),
        ("plugins --plugin nothing.py", ["fiducial: nothing.py: no such file"]),
        ("generate cases.jsonl --out o", ["name what generates the outputs: a model (--model NAME"]),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("answers")
def test_a_wrong_use_is_answered_with_what_to_type(command: str, hints: list[str]):
    Path("table.csv").write_text(TABLE)
    Path("chats.csv").write_text("question,reply\nq,a\n")
    refused(fiducial(*command.split()), *hints)


def test_an_option_may_be_joined_to_the_first_of_several_values(answers: tuple[Path, Path]):
    write_records("more.jsonl", [Output(case_id="o", system="c", text="t")])
    result = fiducial("check", answers[0], f"--outputs={answers[1]}", "more.jsonl", "--out", "v.jsonl")
    assert (result.code, Path("v.jsonl").read_text().count("\n")) == (0, 3)


def test_json_and_markdown_are_not_printed_together(answers: tuple[Path, Path]):
    fiducial("run", answers[0], "--outputs", answers[1], "--out", "run")
    refused(fiducial("history", ".", "--markdown", "--json"), "name a file with --json FILE, or drop one")


@pytest.mark.parametrize("command", ["history .", "report run run"])
def test_json_is_written_beside_markdown(answers: tuple[Path, Path], command: str):
    fiducial("run", answers[0], "--outputs", answers[1], "--out", "run")
    result = fiducial(*command.split(), "--markdown", "--json", "result.json")
    assert (result.code, result.out[:1] in {"", "{"}) == (0, False)
    assert json.loads(Path("result.json").read_text())
