"""Judges are identified by typed ids; prompts of one name are two judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Result, fiducial, verdicts_in
from provider_server import ProviderServer, Status

from fiducial.records import Case, Output, write_records

pytestmark = pytest.mark.usefixtures("few_draws")

PROMPT = """---
name: Mine
description: Own.
inputs:
  query: {type: string}
template: {format: {kind: jinja2}, parser: {kind: prompty}}
scale: {minimum: 0, maximum: 1, step: 1}
parse: {mode: tags, score: S2}
%s---
user:
%s {{query}} Answer with <S2>0</S2> or <S2>1</S2>.
"""


def write_prompt(path: str, says: str, keys: str = "") -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(PROMPT % (keys, says))
    return path


@pytest.fixture
def kinds(tmp_path: Path) -> tuple[Path, Path]:
    """A case of every second kind, with an output that no checker decides."""
    wanted: list[dict[str, Any]] = [
        {"kind": "grounded_answer", "context": [{"id": "1", "content": "It rains."}]},
        {"kind": "open_answer", "reference": {"criterion": "polite"}},
        {"kind": "memory_answer", "reference": {"answers": ["Rome"]}},
    ]
    asked = [{"role": "user", "content": "?"}]
    cases = [Case(id=each["kind"], messages=[*asked], **each) for each in wanted]
    outputs = [Output(case_id=case.id, system="agent", text="Somewhere it rains.") for case in cases]
    write_records(tmp_path / "k.jsonl", cases)
    write_records(tmp_path / "ko.jsonl", outputs)
    return tmp_path / "k.jsonl", tmp_path / "ko.jsonl"


def judge(inputs: tuple[Path, Path], server: ProviderServer, *more: str, model: str = "m") -> Result:
    endpoint = ("--model", model, "--base-url", server.base_url)
    return fiducial("judge", "-v", inputs[0], "--outputs", inputs[1], *more, *endpoint, "--out", "run")


def manifest() -> dict[str, Any]:
    return json.loads(Path("run/run.json").read_text())


def test_two_prompts_of_one_name_are_two_judges_that_are_both_asked(
    server: ProviderServer, inputs: tuple[Path, Path]
):
    a, b = write_prompt("a/mine.prompty", "Ay"), write_prompt("b/mine.prompty", "Bee")
    result = judge(inputs, server, "--judge", a, "--judge", b)
    asked = [seen.messages[-1]["content"].split()[0] for seen in server.seen]
    assert (result.code, asked.count("Ay"), asked.count("Bee")) == (0, 20, 20)
    assert {row.by for row in verdicts_in()} == {"a/mine@m", "b/mine@m"}
    by_name = {row.by: row.judge for row in verdicts_in()}
    assert len({id_.fingerprint for id_ in by_name.values() if id_}) == 2
    assert {use["name"]: use["fingerprint"] for use in manifest()["judges"]} == {
        name: each.fingerprint for name, each in by_name.items() if each
    }
    assert {entry["by"]: Path(entry["prompt"]).parent.name for entry in manifest()["roster"]} == {
        "a/mine@m": "a",
        "b/mine@m": "b",
    }
    for name in by_name:
        assert name in result.out


def test_names_stay_what_they_were_when_a_run_goes_on_with_another_judge(
    server: ProviderServer, inputs: tuple[Path, Path]
):
    a, b = write_prompt("a/mine.prompty", "Ay"), write_prompt("b/mine.prompty", "Bee")
    judge(inputs, server, "--judge", a)
    assert {row.by for row in verdicts_in()} == {"mine/custom@m"}
    judge(inputs, server, "--judge", a, "--judge", b)
    judge(inputs, server, "--judge", b)
    assert len(server.seen) == 40
    assert {row.by for row in verdicts_in()} == {"mine/custom@m", "b/mine@m"}


def test_a_prompt_that_changed_is_refused_whatever_it_is_called(
    server: ProviderServer, inputs: tuple[Path, Path]
):
    a, b = write_prompt("a/mine.prompty", "Ay"), write_prompt("b/mine.prompty", "Bee")
    judge(inputs, server, "--judge", a, "--judge", b)
    write_prompt("a/mine.prompty", "Aye")
    result = judge(inputs, server, "--judge", a, "--judge", b)
    assert (result.code, "made by a run that differs in judge a/mine@m" in result.err) == (2, True)
    assert len(server.seen) == 40


@pytest.mark.parametrize("stem", ["groundedness", "rubric", "jury", "statements", "lexical"])
def test_a_prompt_of_ones_own_is_asked_about_every_kind_whatever_it_is_called(
    server: ProviderServer, kinds: tuple[Path, Path], stem: str
):
    result = judge(kinds, server, "--judge", write_prompt(f"{stem}.prompty", "Hm"))
    assert (result.code, {row.case_id for row in verdicts_in()}) == (
        0,
        {"grounded_answer", "open_answer", "memory_answer"},
    )
    assert {row.judge.kind for row in verdicts_in() if row.judge} == {"own"}


def test_a_prompt_of_ones_own_may_say_which_kinds_it_judges(server: ProviderServer, kinds: tuple[Path, Path]):
    prompt = write_prompt("mine.prompty", "Hm", "kinds: [open_answer, artifact]\n")
    judge(kinds, server, "--judge", prompt)
    assert {row.case_id for row in verdicts_in()} == {"open_answer"}


def test_a_kind_that_does_not_exist_is_refused(server: ProviderServer, kinds: tuple[Path, Path]):
    prompt = write_prompt("mine.prompty", "Hm", "kinds: [open_answers]\n")
    result = judge(kinds, server, "--judge", prompt)
    assert (
        result.code,
        "mine.prompty:9: kinds: unknown kind 'open_answers' (did you mean 'open_answer'?)" in result.err,
    ) == (2, True)


@pytest.mark.parametrize("stem", ["jury", "share", "split", "statements"])
def test_calls_that_fail_are_told_by_the_exit_code_whatever_the_judge_is_called(
    server: ProviderServer, inputs: tuple[Path, Path], stem: str
):
    server.script = lambda seen: Status(401)
    assert judge(inputs, server, "--judge", write_prompt(f"{stem}.prompty", "Hm")).code == 3


def test_a_judge_that_is_named_twice_is_refused(server: ProviderServer, inputs: tuple[Path, Path]):
    result = judge(inputs, server, "--judge", "rubric", "--judge", "rubric/reasons")
    assert (result.code, "--judge rubric/reasons@m is named twice" in result.err, server.seen) == (
        2,
        True,
        [],
    )
    assert not Path("run").exists()


def test_two_files_with_the_same_prompt_are_one_judge_and_refused(
    server: ProviderServer, inputs: tuple[Path, Path]
):
    a, b = write_prompt("a/mine.prompty", "Ay"), write_prompt("b/mine.prompty", "Ay")
    result = judge(inputs, server, "--judge", a, "--judge", b)
    assert (result.code, server.seen) == (2, [])
    assert "a/mine.prompty and " in result.err
    assert "b/mine.prompty are the same" in result.err


@pytest.mark.parametrize("spec", ["rubric/reason", "rubrik", "statements/split"])
def test_the_baseline_stands_in_for_judges_that_there_are(kinds: tuple[Path, Path], spec: str):
    result = fiducial("judge", kinds[0], outputs=kinds[1], judge=spec, model="baseline", out="run")
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert "rubric" in result.err
    assert not Path("run").exists()


def test_the_same_names_come_out_everywhere(server: ProviderServer, inputs: tuple[Path, Path]):
    a, b = write_prompt("a/mine.prompty", "Ay"), write_prompt("b/mine.prompty", "Bee")
    endpoint = ("--model", "m", "--base-url", server.base_url)
    gate = ("--fail-under", "accuracy=2")
    both = ("--judge", a, b, "--judge-on", "all", *endpoint, *gate, "--out", "run")
    result = fiducial("run", "-v", inputs[0], "--outputs", inputs[1], *both)
    assert result.code == 1
    for name in ("a/mine@m", "b/mine@m"):
        assert f"gate failed: {name}: accuracy" in result.out
        assert name in Path("run/report.html").read_text()
    assert set(json.loads(Path("run/calibration.json").read_text())["judges"]) == {"a/mine@m", "b/mine@m"}
    shown = fiducial("calibrate", "run", "--json", "-")
    assert set(json.loads(shown.out)["judges"]) == {"a/mine@m", "b/mine@m"}


def test_one_name_in_two_runs_is_two_judges_where_their_prompts_differ(
    server: ProviderServer, inputs: tuple[Path, Path]
):
    endpoint = ("--judge-on", "all", "--model", "m", "--base-url", server.base_url)
    for out, says in (("first", "Ay"), ("second", "Bee"), ("third", "Ay")):
        prompt = write_prompt("mine.prompty", says)
        trial = ("--judge", prompt, *endpoint, "--out", out)
        fiducial("run", "-v", inputs[0], "--outputs", inputs[1], *trial)
    both = json.loads(fiducial("calibrate", "first", "second", "--json", "-").out)["judges"]
    one, other = both
    assert (one, other.startswith("mine/custom@m#"), [each["n"] for each in both.values()]) == (
        "mine/custom@m",
        True,
        [20, 20],
    )
    again = fiducial("calibrate", "first", "third", "--json", "-")
    assert (again.code, "a second row of" in again.err) == (2, True)


def test_verdicts_without_an_id_are_still_read(tmp_path: Path):
    old = {"case_id": "c", "system": "s", "by": "rubric/direct@m", "source": "judge", "outcome": "graded"}
    label = {"case_id": "c", "system": "s", "by": "ada", "source": "human", "outcome": "graded", "score": 1}
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "verdicts.jsonl").write_text(json.dumps(old | {"score": 1}) + "\n")
    (tmp_path / "old" / "labels.jsonl").write_text(json.dumps(label) + "\n")
    result = fiducial("calibrate", "old", "--json", "-")
    assert (result.code, list(json.loads(result.out)["judges"])) == (0, ["rubric/direct@m"])
