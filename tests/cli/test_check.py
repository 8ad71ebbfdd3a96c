from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from command import fiducial, verdicts_in

from fiducial.evaluation.checking import checks
from fiducial.evaluation.checking.checks import JournalLine, check_all
from fiducial.records import Case, Output, Verdict, read_records, write_records


def test_verdicts_come_in_the_order_of_the_outputs(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    result = fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "verdicts.jsonl")
    rows = verdicts_in(tmp_path)
    assert result.code == 0
    assert [row.case_id for row in rows] == [f"case-{number}" for number in range(20)]
    assert (rows[0].by, rows[0].score, rows[0].error_type) == ("ast/strict", 0.0, "value_error:string")
    assert "checked: 0.75 [0.50, 0.90], n 20 of 20" in result.out


def test_bad_input_leaves_the_old_verdicts_alone(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    (tmp_path / "verdicts.jsonl").write_text("old")
    outputs.write_text("{}\n")
    result = fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "verdicts.jsonl")
    assert (result.code, (tmp_path / "verdicts.jsonl").read_text()) == (2, "old")
    assert result.err == f"fiducial: {outputs}:1: Object missing required field `case_id`\n"


def test_underscored_names_are_noticed_by_system(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    outputs.write_text(outputs.read_text().replace("weather.now", "weather_now"))
    command = ("check", cases, "--outputs", outputs, "--rules", "bfcl")
    fiducial(*command, "--out", tmp_path / "auto.jsonl")
    fiducial(*command, "--names", "dotted", "--out", tmp_path / "dotted.jsonl")
    scores = [
        sum(row.score or 0 for row in read_records(tmp_path / name, Verdict))
        for name in ("auto.jsonl", "dotted.jsonl")
    ]
    assert scores == [15, 0]


def test_the_summary_can_be_had_as_json(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    result = fiducial("check", cases, outputs=outputs, out=tmp_path / "verdicts.jsonl", json="-")
    (system,) = json.loads(result.out)["systems"]
    assert (system["system"], system["strata"][0]["value"], system["strata"][0]["n"]) == ("agent", 0.75, 20)


def test_interrupted_it_keeps_the_verdicts_so_far_beside_the_old_ones(
    inputs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*given: Any, **options: Any) -> Iterator[JournalLine]:
        yield from islice(check_all(*given, **options), 5)
        raise KeyboardInterrupt

    monkeypatch.setattr(checks, "check_all", interrupted)
    (tmp_path / "verdicts.jsonl").write_text("old")
    cases, outputs = inputs
    result = fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "verdicts.jsonl")
    so_far = list(read_records(tmp_path / "verdicts.jsonl.partial", Verdict))
    assert (result.code, len(so_far), (tmp_path / "verdicts.jsonl").read_text()) == (130, 5, "old")
    assert f"verdicts so far: {tmp_path / 'verdicts.jsonl.partial'}" in result.err


def test_a_guess_among_others_passes_only_where_bfcls_rules_are_asked_for(tmp_path: Path):
    case = Case(id="q", kind="memory_answer", reference={"answers": ["Acme"]})
    write_records(tmp_path / "cases.jsonl", [case])
    write_records(
        tmp_path / "outputs.jsonl", [Output(case_id="q", system="s", text="Maybe Acme, or Globex.")]
    )
    command = ("check", tmp_path / "cases.jsonl", "--outputs", tmp_path / "outputs.jsonl", "--out")
    fiducial(*command, tmp_path / "mine.jsonl")
    fiducial(*command, tmp_path / "bfcl.jsonl", "--rules", "bfcl")
    (mine,) = read_records(tmp_path / "mine.jsonl", Verdict)
    (bfcl,) = read_records(tmp_path / "bfcl.jsonl", Verdict)
    assert (mine.outcome, mine.by) == ("undecided", "answer/strict")
    assert (bfcl.score, bfcl.by) == (1.0, "answer/bfcl")


def unmeetable(tmp_path: Path) -> tuple[Path, Path]:
    """Return inputs where the second case's reference names an argument that its tool lacks."""
    tool = {
        "name": "book",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
    calls = [{"name": "book", "arguments": {"city": "Rome"}}, {"name": "book", "arguments": {"town": "Rome"}}]
    cases = [
        Case(id=f"trip-{number}", kind="tool_call", tools=[tool], reference={"calls": [call]})
        for number, call in enumerate(calls, start=1)
    ]
    write_records(tmp_path / "cases.jsonl", cases)
    write_records(
        tmp_path / "outputs.jsonl", [Output(case_id="trip-1", system="s", text="[book(city='Rome')]")]
    )
    return tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"


@pytest.mark.parametrize("command", ["check", "run", "run --judge tool_call_accuracy --model m --dry-run"])
def test_a_reference_that_the_tools_cannot_produce_is_refused_before_anything_is_done(
    tmp_path: Path, command: str
):
    cases, outputs = unmeetable(tmp_path)
    name, *options = command.split()
    result = fiducial(name, cases, "--outputs", outputs, *options, "--out", tmp_path / "out")
    assert (result.code, (tmp_path / "out").exists()) == (2, False)
    assert result.err == (
        f"fiducial: {cases}:2: reference.calls[0].arguments.town: case 'trip-2': book has no argument 'town'; "
        "it takes city\n"
    )
