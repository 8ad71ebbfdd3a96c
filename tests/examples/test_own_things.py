"""Examples of docs/extending.md: files as shown, found by decorator and by entry point."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from command import fiducial
from each_row import each_row
from installed_plugins import Install

import fiducial as fd
from fiducial.errors import ConfigurationError, InputError
from fiducial.formats.custom_format import read_custom
from fiducial.plugins import OPERATORS, STATISTICS, load_module

OWN = Path(__file__).parent / "own"
PAGE = Path(__file__).parents[2] / "docs" / "extending.md"

Added: TypeAlias = Callable[[str, str, str], list[str]]
"""Group, name and value; gives what a command line needs beside."""


@pytest.fixture(autouse=True)
def forgotten_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every calibration of this process would estimate a statistic that stays registered."""
    monkeypatch.setattr(STATISTICS, "_registered", {})
    monkeypatch.setattr(OPERATORS, "_registered", {})


@pytest.fixture(params=["decorator", "entry point"])
def added(request: pytest.FixtureRequest, install: Install, monkeypatch: pytest.MonkeyPatch) -> Added:
    """Make one of the examples known, in one way or the other."""

    def add(group: str, name: str, value: str) -> list[str]:
        module = value.partition(":")[0]
        if request.param == "decorator":
            return ["--plugin", str(OWN / f"{module}.py")]
        monkeypatch.setattr(sys, "path", [str(OWN), *sys.path])
        install(group, name, value)
        return []

    return add


def in_python(options: list[str]) -> None:
    for path in options[1:]:
        load_module(path)


def write(path: Path, records: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


@each_row("path", sorted(OWN.glob("*.py")))
def test_every_example_stands_on_the_page_as_it_is_run_or_is_linked(path: Path):
    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert path.read_text(encoding="utf-8") in blocks or f"](../tests/examples/own/{path.name})" in page


def test_cases_of_a_kind_of_ones_own_are_decided_by_its_checker(
    added: Added, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    options = added("checkers", "sql", "own_checker:same_rows")
    town = "CREATE TABLE town (name TEXT, people INT); INSERT INTO town VALUES ('Rome', 2750000), ('Pisa', 90000);"
    reference = {"tables": town, "query": "SELECT name FROM town WHERE people > 1000000"}
    case = {"id": "towns", "kind": "sql", "reference": reference}
    texts = {
        "right": "SELECT name FROM town WHERE people >= 1000000",
        "wrong": "SELECT name FROM town",
        "broken": "SELECT name FRM town",
        "hostile": "ATTACH DATABASE 'stolen.db' AS other",
    }
    produced = [{"case_id": "towns", "system": system, "text": text} for system, text in texts.items()]
    cases, outputs = write(tmp_path / "c.jsonl", [case]), write(tmp_path / "o.jsonl", produced)
    done = fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "v.jsonl", *options)
    rows = [json.loads(line) for line in (tmp_path / "v.jsonl").read_text().splitlines()]
    assert (done.code, [(row["by"], row["score"], row.get("error_type")) for row in rows]) == (
        0,
        [
            ("sql/own", 1.0, None),
            ("sql/own", 0.0, "sql:wrong"),
            ("sql/own", 0.0, "sql:broken"),
            ("sql/own", 0.0, "sql:broken"),
        ],
    )
    assert not (tmp_path / "stolen.db").exists()
    assert fd.check(case, produced[0]).score == 1.0


def test_an_agent_is_called_by_its_name(added: Added):
    in_python(added("agents", "echo", "own_agent:echo"))
    case = {"id": "a", "kind": "any_call", "messages": [{"role": "user", "content": "Hello?"}]}
    (output,) = fd.generate([case], "echo")
    assert (output.system, "Hello?" in str(output.text)) == ("echo", True)
    with pytest.raises(ConfigurationError, match=r"no agent is called 'parrot' \(registered are: echo\)"):
        fd.generate([case], "parrot")


def test_a_statistic_of_ones_own_stands_beside_ours_with_its_interval(added: Added, tmp_path: Path):
    options = added("statistics", "overpraise", "own_statistic:overpraise")
    rows: list[dict[str, Any]] = [
        {
            "item_id": f"{n}",
            "judge": "j",
            "label": float(n % 2),
            "score": 1.0 if n % 2 else (n % 5) / 4,
            "cluster": f"{n % 15}",
        }
        for n in range(60)
    ]
    table = write(tmp_path / "t.jsonl", rows)
    done = fiducial("calibrate", table, "--json", tmp_path / "c.json", *options)
    assert done.code == 0
    (found,) = [
        panel["statistics"]["overpraise"]
        for panel in json.loads((tmp_path / "c.json").read_text())["judges"].values()
    ]
    wrong = [row["score"] for row in rows if row["label"] == 0.0]
    assert found["value"] == pytest.approx(sum(wrong) / len(wrong))
    assert found["low"] < found["value"] < found["high"]
    assert "overpraise" in done.out
    assert fd.calibrate(rows)["j"].statistics["overpraise"].value == pytest.approx(found["value"])


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("broken", "1 / 0", r"statistics: 'broken' failed: ZeroDivisionError"),
        ("worded", "'a text'", r"statistics: 'worded' failed: ValueError"),
        ("accuracy", "1.0", r"statistics: 'accuracy' is the name of a statistic that comes with fiducial"),
    ],
)
def test_a_statistic_that_cannot_be_used_is_one_line(tmp_path: Path, name: str, body: str, said: str):
    plugin = tmp_path / "own_numbers.py"
    plugin.write_text(
        f"import fiducial as fd\n@fd.statistic({name!r})\ndef mine(labels, scores, weights):\n    return {body}\n"
    )
    table = write(tmp_path / "t.jsonl", [{"item_id": "1", "judge": "j", "label": 1, "score": 1}])
    result = fiducial("calibrate", table, "--plugin", plugin)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert re.search(said, result.err)


def test_files_of_ones_own_become_cases_and_outputs(added: Added, tmp_path: Path):
    options = added("formats", "quiz", "own_format:read_quiz")
    quiz = tmp_path / "quiz.csv"
    quiz.write_text("question,accepted,answer\nCapital of Italy?,Rome|Roma,Rome\nOf France?,Paris,Lyon\n")
    cases, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    done = fiducial("cases", "quiz", quiz, "--out", cases, "--outputs-out", outputs, *options)
    assert (done.code, done.out) == (0, f"2 cases in {cases}\n2 outputs in {outputs}\n")
    assert fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "v.jsonl").code == 0


def test_calls_are_executed_in_a_world_of_ones_own(added: Added, tmp_path: Path):
    options = added("worlds", "Garden", "own_world:Garden")
    reference: dict[str, Any] = {
        "classes": ["Garden"],
        "initial_config": {"Garden": {}},
        "calls": [["plant(bed='a', seed='leek')"]],
    }
    case: dict[str, Any] = {
        "id": "g",
        "kind": "multi_turn",
        "messages": [[{"role": "user", "content": "Leek in a."}]],
        "reference": reference,
    }
    calls: list[dict[str, Any]] = [
        {"name": "plant", "arguments": {"bed": bed, "seed": "leek"}} for bed in "ab"
    ]
    produced = [{"case_id": "g", "system": call["arguments"]["bed"], "turns": [[[call]]]} for call in calls]
    cases, outputs = write(tmp_path / "c.jsonl", [case]), write(tmp_path / "o.jsonl", produced)
    done = fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "v.jsonl", *options)
    scores = [json.loads(line)["score"] for line in (tmp_path / "v.jsonl").read_text().splitlines()]
    assert (done.code, scores) == (0, [1.0, 0.0])
    assert fd.check(case, produced[0]).score == 1.0


def test_right_outputs_are_changed_by_an_operator_of_ones_own(added: Added, tmp_path: Path):
    options = added("operators", "shouted", "own_operator:shout")
    case: dict[str, Any] = {
        "id": "q",
        "kind": "memory_answer",
        "messages": [{"role": "user", "content": "Capital of Italy?"}],
        "reference": {"answers": ["Rome"]},
    }
    done = fiducial(
        "audit",
        "mutate",
        write(tmp_path / "c.jsonl", [case]),
        "--only",
        "shouted",
        "--out",
        tmp_path / "probes",
        *options,
    )
    assert (done.code, "shouted" in done.out) == (0, True), done.err
    assert "ROME" in "".join(path.read_text() for path in (tmp_path / "probes").glob("outputs*"))


def test_outputs_are_judged_by_a_function_of_ones_own(added: Added, tmp_path: Path):
    options = added("judges", "polite", "own_judge:polite")
    case: dict[str, Any] = {
        "id": "a",
        "kind": "open_answer",
        "messages": [],
        "reference": {"criterion": "It is polite."},
    }
    produced = [{"case_id": "a", "system": text[0], "text": text} for text in ("Thank you.", "No.")]
    cases, outputs = write(tmp_path / "c.jsonl", [case]), write(tmp_path / "o.jsonl", produced)
    asked = (
        "judge",
        cases,
        "--outputs",
        outputs,
        "--judge",
        "polite",
        "--repeats",
        "2",
        "--out",
        tmp_path / "run",
    )
    done = fiducial(*asked, *options)
    rows = list(fd.read_records(tmp_path / "run" / "verdicts.jsonl", fd.Verdict))
    assert (done.code, len(rows), {row.by for row in rows}) == (0, 4, {"polite/function"}), done.err
    assert sorted({(row.system, row.score, row.reason) for row in rows}) == [
        ("N", 0.0, "kind words: none"),
        ("T", 1.0, "kind words: thank"),
    ]
    assert fiducial(*asked, *options).code == 0
    judge = fd.judge("polite")
    assert judge(response="So sorry.").score == 1.0
    (run,) = [fd.evaluate([case], produced, judges=[judge], rules=None)]
    assert run.systems["T"].open["polite/function"].value == 1.0


def test_what_a_function_of_the_users_does_wrong_is_told_with_the_place(install: Install, tmp_path: Path):
    def failing(path: Path) -> list[Any]:
        return [1 / 0]

    def odd(path: Path) -> list[Any]:
        return [{"id": "a", "kind": "any_call"}, {"id": "b", "kind": "odd"}]

    def empty(path: Path) -> list[Any]:
        return [3]

    for name, read in (("broken", failing), ("odd", odd), ("empty", empty)):
        fd.file_format(name)(read)
    with pytest.raises(InputError, match=r"data: the format 'broken' cannot read this: ZeroDivisionError"):
        list(read_custom("broken", tmp_path / "data"))
    with pytest.raises(InputError, match=r"data read by odd:2: kind: .*'odd'"):
        list(read_custom("odd", tmp_path / "data"))
    with pytest.raises(InputError, match=r"data read by empty:1: expected a record or a mapping, got int"):
        list(read_custom("empty", tmp_path / "data"))
    done = fiducial("cases", "frobnicate", tmp_path / "data", "--out", tmp_path / "c.jsonl")
    assert (done.code, "No such command 'frobnicate'" in done.err) == (2, True)


def test_a_dial_of_ones_own_is_climbed(added: Added, tmp_path: Path):
    options = added("operators", "recipients", "own_dial:recipients")
    asked = [
        "--ladder",
        "--only",
        "recipients",
        "--calls",
        "40",
        "--judge",
        "tool_call_accuracy",
        "--model",
        "baseline",
    ]
    done = fiducial("audit", "run", *asked, "--out", tmp_path / "ladder", *options)
    assert done.code == 0
    assert "recipients " in done.out
    found = json.loads((tmp_path / "ladder" / "audit.json").read_bytes())
    (ladder,) = found["judges"][0]["ladders"]
    assert [level["level"] for level in ladder["levels"]] == [1, 2, 4, 8, 16]
    assert sum(level["faulty"] for level in ladder["levels"]) == 36
