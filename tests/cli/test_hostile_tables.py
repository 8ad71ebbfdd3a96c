"""Tables by others, given to every command that reads one: a clear error, or right rows."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import fiducial

import fiducial as fd
from fiducial.errors import FiducialError
from fiducial.records import Case, Output, Verdict, encode_record, read_records

pytestmark = pytest.mark.attack("tables")

HUGE = "9" * 5000
HEADERS = {
    "labels": "id,label",
    "trials": "item_id,system,trial,score",
    "scores": "item_id,judge,score,label",
    "rubric": "item,criterion,points",
    "criteria": "item,criterion,met",
}
GOOD = {
    "labels": "q1,1",
    "trials": "q1,s,0,1",
    "scores": "q1,j,1,1",
    "rubric": "q1,polite,1",
    "criteria": "q1,polite,1",
}

CONTENTS: dict[str, Callable[[str, str], str | bytes]] = {
    "nothing": lambda head, row: "",
    "a header alone": lambda head, row: head + "\n",
    "blank lines": lambda head, row: head + "\n" * 100_000,
    "a column twice": lambda head, row: f"{head},{head.split(',')[1]}\n{row},0\n",
    "fewer fields": lambda head, row: f"{head}\n{row}\nq2\n",
    "more fields": lambda head, row: f"{head}\n{row}\n{row},{row}\n",
    "a huge number": lambda head, row: f"{head}\n{row}\n{row[:-1]}{HUGE}\n",
    "infinity": lambda head, row: f"{head}\n{row}\n{row[:-1]}inf\n",
    "not a number": lambda head, row: f"{head}\n{row}\n{row[:-1]}nan\n",
    "a hexadecimal number": lambda head, row: f"{head}\n{row}\n{row[:-1]}0x1\n",
    "digits of other alphabets": lambda head, row: f"{head}\n{row}\n{row[:-1]}\u0661\n",
    "underscores": lambda head, row: f"{head}\n{row}\n{row[:-1]}1_0\n",
    "a formula": lambda head, row: f"{head}\n{row}\n{row[:-1]}=1+1\n",
    "a control sequence": lambda head, row: f"{head}\n{row}\n{row[:-1]}\x1b]0;x\x07\n",
    "a control sequence as an id": lambda head, row: f"{head}\n{row}\n\x1b[2J{row}\n",
    "order of reading": lambda head, row: f"{head}\u202e\n{row}\n",
    "an id that is a path": lambda head, row: f"{head}\n../../etc/passwd{row[2:]}\n",
    "an id of a megabyte": lambda head, row: f"{head}\n{'x' * 1_000_000}{row[2:]}\n",
    "an id with bars": lambda head, row: f"{head}\nq1|s|0|x{row[2:]}\n",
    "an empty id": lambda head, row: f"{head}\n{row[2:]}\n",
    "an unknown id": lambda head, row: f"{head}\nnobody{row[2:]}\n",
    "null bytes": lambda head, row: f"{head}\n{row}\n\0\0{row}\n",
    "no UTF-8": lambda head, row: f"{head}\n{row}\n".encode() + b"\xff\xfe,\xff\n",
    "UTF-16": lambda head, row: f"{head}\n{row}\n".encode("utf-16"),
    "an open quote": lambda head, row: f'{head}\n"{row}\n' + f"{row}\n" * 1000,
    "100,000 times the same": lambda head, row: f"{head}\n" + f"{row}\n" * 100_000,
    "50,000 columns": lambda head, row: f"{head},{','.join(map(str, range(50_000)))}\n{row}{',' * 50_000}\n",
    "1,000 times the same": lambda head, row: f"{head}\n" + f"{row}\n" * 1000,
    "500 columns": lambda head, row: f"{head},{','.join(map(str, range(500)))}\n{row}{',' * 500}\n",
    "JSON": lambda head, row: json.dumps([{"id": "q1", "label": 1}]),
    "brackets": lambda head, row: "[" * 200_000,
    "a binary file": lambda head, row: bytes(range(256)) * 1000,
}  # fmt: skip

LARGE = {"100,000 times the same", "50,000 columns", "blank lines", "an id of a megabyte"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An import of two cases, one with a rubric, and a run of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "imported").mkdir()
    criteria = [{"text": "polite", "points": 1.0}]
    asked: Any = [{"role": "user", "content": "?"}]
    cases = [
        Case(id=name, kind="open_answer", messages=asked, reference={"criteria": criteria})
        for name in ("q1", "q2")
    ]
    outputs = [Output(case_id=case.id, system="s", text="a") for case in cases]
    (tmp_path / "imported" / "cases.jsonl").write_bytes(b"".join(map(encode_record, cases)))
    (tmp_path / "imported" / "outputs.jsonl").write_bytes(b"".join(map(encode_record, outputs)))
    return tmp_path


COMMANDS: dict[str, tuple[str, ...]] = {
    "labels": ("labels", "add", "imported", "TABLE"),
    "trials": ("trials", "TABLE", "--k", "1,2,8"),
    "scores": ("calibrate", "TABLE"),
    "rubric": ("import", "rubric", "TABLE", "--out", "new"),
}


@pytest.mark.parametrize(
    "content", [pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE)) for name in CONTENTS]
)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_is_read_or_refused_in_a_line(command: str, content: str, folder: Path):
    table = folder / "theirs.csv"
    made = CONTENTS[content](HEADERS[command], GOOD[command])
    table.write_bytes(made if isinstance(made, bytes) else made.encode())
    before = {path.name for path in folder.rglob("*") if path.is_file()}
    words = ["theirs.csv" if word == "TABLE" else word for word in COMMANDS[command]]
    ended = fiducial(*words)
    assert ended.code in {0, 1, 2}
    assert "Traceback" not in ended.err
    if ended.code == 2:
        problems = [line for line in ended.err.splitlines() if not line.startswith("note: ")]
        assert (ended.out, len(problems)) == ("", 1)
        assert "theirs.csv" in ended.err
        assert len(ended.err) < 5000
        assert {path.name for path in folder.rglob("*") if path.is_file()} == before
    assert not {"\x1b", "\x07", "\u202e", "\0"} & {*ended.out, *ended.err}
    labels = folder / "imported" / "labels.jsonl"
    for label in read_records(labels, Verdict) if labels.exists() else ():
        assert label.case_id in {"q1", "q2"}
        assert label.score in {0.0, 1.0}


@pytest.mark.parametrize("value", [1e308, -1e308, math.nan, math.inf, "9" * 5000, None, [], {"score": {}}, {"score": 1, "other": 0}, b"1", object(), "yes; no", -0.0, 2, True])  # fmt: skip
def test_whatever_another_tool_s_metric_returns_is_a_score_in_bounds_or_none(value: Any):
    def metric(output: str) -> Any:
        del output
        return value

    try:
        verdict = fd.judge_from(metric)(query="a", response="b")
    except FiducialError as error:
        assert "\n" not in str(error)  # noqa: PT017 - one that is raised is as good as a verdict without a score
        return
    assert verdict.score is None or 0.0 <= verdict.score <= 1.0
    assert verdict.outcome == "graded" or verdict.reason


@pytest.mark.parametrize("raised", [ValueError("\x1b[2J\nx"), RecursionError(), MemoryError(), AttributeError("x" * 10**6), AssertionError(), StopIteration(), SystemExit(1)])  # fmt: skip
def test_whatever_another_tool_s_metric_raises_fails_this_verdict_alone(raised: BaseException):
    def metric(output: str) -> Any:
        if output == "b":
            raise raised
        return 1

    judge = fd.judge_from(metric)
    verdict = judge(query="a", response="b")
    assert (verdict.outcome, verdict.score) == ("failed", None)
    assert judge(query="a", response="c").score == 1.0


@pytest.mark.slow
def test_trials_by_the_thousand_have_a_rate_and_take_no_square_of_memory(folder: Path):
    rows = [f"q0,s,{n},{n % 2}" for n in range(5000)] + [f"q{n},s,0,1" for n in range(1, 5000)]
    (folder / "theirs.csv").write_text("\n".join([HEADERS["trials"], *rows, ""]))
    ended = fiducial("trials", "theirs.csv", "--k", "8,1000", "--json")
    assert ended.code == 0, ended.err
    rates = json.dumps(json.loads(ended.out))
    assert "NaN" not in rates
    assert "Infinity" not in rates
