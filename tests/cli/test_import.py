"""``fiducial import`` as a user types it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from command import fiducial, verdicts_in
from provider_server import Answer, ProviderServer

import fiducial as fd
from fiducial.records import Case, Output, Verdict, read_records

SAMPLES = Path(__file__).parents[1] / "formats" / "samples"


def test_a_log_becomes_a_folder_and_the_next_command_is_said(tmp_path: Path):
    out = tmp_path / "shop"
    result = fiducial("import", "inspect", SAMPLES / "inspect/toolcalls_includes.eval", "--out", out)
    assert result.code == 0, result.err
    assert result.out.splitlines()[:3] == [
        f"read as inspect: 3 cases, 3 outputs of 1 system, 3 verdicts of 1 judge, in {out}",
        "  3 memory_answer: the file has accepted answers; judge: memory_answer",
        "  includes: 3 graded",
    ]
    assert (
        f"next: fiducial run {out}/cases.jsonl --outputs {out}/outputs.jsonl --judge memory_answer"
        in result.out
    )
    assert len(list(read_records(out / "cases.jsonl", Case))) == 3
    assert len(list(read_records(out / "outputs.jsonl", Output))) == 3
    assert {verdict.by for verdict in verdicts_in(out)} == {"includes"}
    assert (out / "skipped.jsonl").read_bytes() == b""


def test_what_is_said_to_come_next_works(tmp_path: Path):
    out = tmp_path / "shop"
    fiducial("import", SAMPLES / "promptfoo/results.json", "--out", out)
    cases, outputs, labels = out / "cases.jsonl", out / "outputs.jsonl", out / "labels.jsonl"
    judges = ("--judge", "memory_answer", "rubric", "--model", "baseline")
    run = fiducial("run", "-v", cases, "--outputs", outputs, *judges, "--out", out / "run")
    assert run.code == 0, run.err
    assert fiducial("check", cases, "--outputs", outputs, "--out", labels).code == 0
    calibrated = fiducial("calibrate", out, "--json", "-")
    assert calibrated.code == 0, calibrated.err
    judges_of = json.loads(calibrated.out)["judges"]
    assert judges_of.keys() == {"exact", "contains", "short", "promptfoo"}
    assert judges_of["exact"]["tp"] == 1


def test_where_no_checker_decides_outputs_are_drawn_to_label(tmp_path: Path):
    out = tmp_path / "shop"
    told = fiducial("import", SAMPLES / "phoenix/evaluate_dataframe.jsonl", "--out", out).out
    assert "fiducial check" not in told
    assert f"fiducial plan {out} --next 50" in told
    assert f"fiducial calibrate {out} --labels LABELS.csv" in told
    (tmp_path / "labels.csv").write_text("id,system,label\nrow-000001,logged,pass\n")
    assert "Label these 2 next" in fiducial("plan", out, "--next", "50").out
    told = fiducial("calibrate", out, "--labels", tmp_path / "labels.csv")
    assert told.code == 0, told.err
    assert "Estimate without labels" not in told.out


def test_the_format_is_found_and_said(tmp_path: Path):
    result = fiducial("import", SAMPLES / "otel", "--out", tmp_path / "out")
    assert result.out.startswith("read as otlp: 1 case, 1 output of 1 system, 1 verdict of 1 judge")


def test_columns_of_a_table_are_told_in_either_direction(tmp_path: Path):
    table = tmp_path / "answers.csv"
    table.write_text("id,question,what they said\n001,Where?,Rome\n")
    for told in ("response=what they said", "what they said=response"):
        result = fiducial("import", "csv", table, "--map", told, "--out", tmp_path / "out")
        assert result.code == 0, result.err
        [output] = read_records(tmp_path / "out" / "outputs.jsonl", Output)
        assert (output.case_id, output.text) == ("001", "Rome")


def test_what_is_skipped_is_counted_by_reason_with_an_example(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    log.write_text('{"messages": [{"role": "user", "content": "a"}]}\n{"messages": 3}\n{"mess\n')
    result = fiducial("import", "openai", log, "--out", tmp_path / "out")
    assert result.code == 0
    listed = tmp_path / "out" / "skipped.jsonl"
    assert f"skipped: 2, listed in {listed}\n  1 expected a list of messages, got a number ({log}:2: messages)\n  1 not JSON ({log}:3)\n" in result.out  # fmt: skip
    assert [json.loads(line)["line"] for line in listed.read_text().splitlines()] == [2, 3]


SHEET = (
    "Ticket #,User asks:,Bot reply ,Correct answer,Which bot,ok?\n"
    "T-1,How long?,30 days,30 days,a 1,yes\n"
    "T-1,How long?,no idea,30 days,b 2,No\n"
    "T-2,Who ships?,,Post Nord,a 1,n/a\n"
)


def test_columns_without_a_known_name_are_listed_with_what_to_type(tmp_path: Path):
    table = tmp_path / "sheet.csv"
    table.write_text(SHEET)
    told = fiducial("import", table, "--out", tmp_path / "out").out
    assert "judges do not see it; name it: --map 'query=User asks:'" in told
    assert "  3 columns read as tags: 'Ticket #', 'User asks:', 'Which bot'\n" in told
    [command] = re.findall(r"next: fiducial (import .*?)   \(", told)
    assert command.endswith(" --map 'query=User asks:' --map 'id=Ticket #' --map 'system=Which bot'")
    assert "2 cases, 3 outputs of 2 systems" in fiducial(*shlex.split(command)).out
    named = ("--map", "query=User asks:", "--map", "system=Which bot")
    told = fiducial("import", table, *named, "--out", tmp_path / "out").out
    assert "no case was answered by two systems" in told
    assert "--map 'id=Ticket #' pairs them" in told
    told = fiducial("import", table, *named, "--map", "id=Ticket #", "--out", tmp_path / "out").out
    assert told.startswith("read as csv: 2 cases, 3 outputs of 2 systems, 2 labels of 1 person")


def test_a_question_may_be_the_id_and_is_still_asked(tmp_path: Path):
    table = tmp_path / "rows.csv"
    table.write_text("question,answer\nWhere?,Rome\n")
    assert fiducial("import", table, "--map", "id=question", "--out", tmp_path / "out").code == 0
    [case] = read_records(tmp_path / "out" / "cases.jsonl", Case)
    assert (case.id, len(case.messages)) == ("Where?", 1)


def test_a_column_is_named_without_its_spaces_and_signs(tmp_path: Path):
    table = tmp_path / "sheet.csv"
    table.write_text(SHEET)
    result = fiducial(
        "import", table, "--map", "query=user asks", "--map", "response=Bot reply", "--out", tmp_path / "out"
    )
    assert result.code == 0, result.err


def test_a_row_with_an_empty_answer_names_the_column_of_its_question(tmp_path: Path):
    table = tmp_path / "sheet.csv"
    table.write_text("User asks,reply\nHow long?,30 days\nWho ships?,\n")
    told = fiducial("import", table, "--criterion", "It is polite.", "--out", tmp_path / "out").out
    assert "sheet.csv:3: the answer is empty, and no column is known to hold the question" in told
    assert "name it: --map 'query=User asks'" in told


REFUSED: list[tuple[tuple[str, ...], str]] = [
    (("nothing.json",), "nothing.json: there is no such file or folder"),
    (("sprite.json", "--as", "promptfo"), "no format is called 'promptfo' (did you mean 'promptfoo'?)"),
    (("empty.jsonl",), "empty.jsonl: the file is empty"),
    (("sprite.json",), "sprite.json: cannot tell the format from 'sprite'; name it: inspect, "),
    (("scores.jsonl",), "scores without texts need no import: `fiducial calibrate` reads them"),
    (("single.jsonl",), "single.jsonl:1: not JSON: Expecting property name"),
    (("blank.jsonl",), "blank.jsonl: the file holds no records"),
    (
        ("notes.txt",),
        "notes.txt: not JSON: Expecting value at column 1; a table needs the ending .csv or .tsv",
    ),
    (("inspect", "sprite.json"), "sprite.json: eval: missing; expected a log of Inspect"),
    (
        ("openai", "sprite.json"),
        "no record in it can be read as openai: missing; expected a list of messages",
    ),
    (("csv", "a.csv", "--map", "colour"), "--map expects FIELD=COLUMN (such as label=gold), got 'colour'"),
    (("csv", "a.csv", "--map", "colour=shape"), "colour=shape: neither is a field"),
    (
        ("csv", "a.csv", "--map", "response=shape"),
        "response=shape: there is no such column; there are 'a', 'question'",
    ),
    (
        ("csv", "a.csv", "--map", "question=b"),
        "question=b: there is no column 'b'; there are 'a', 'question'",
    ),
]


@pytest.mark.parametrize(("arguments", "told"), REFUSED)
def test_what_cannot_be_read_is_told_in_one_line_and_leaves_nothing(
    arguments: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("sprite.json").write_text('{"sprite": 1}')
    Path("empty.jsonl").touch()
    Path("scores.jsonl").write_text('{"item_id": "a", "judge": "j", "score": 1}\n')
    Path("single.jsonl").write_text("{'id': 1, 'question': 'Why?'}\n")
    Path("blank.jsonl").write_text("\n[]\n")
    Path("notes.txt").write_text("question,answer")
    Path("a.csv").write_text("question,a\nWhy?,b\n")
    result = fiducial("import", *arguments, "--out", "out")
    assert result.code == 2
    assert told in result.err
    assert result.err.count("\n") == 1
    assert not list(Path().glob("out/*"))


def test_a_run_is_not_written_over(tmp_path: Path):
    (tmp_path / "run.json").write_text("{}")
    result = fiducial("import", SAMPLES / "otel", "--out", tmp_path)
    assert (result.code, "holds a run; name another folder" in result.err) == (2, True)


def test_a_format_of_ones_own_is_a_source(tmp_path: Path):
    (tmp_path / "quiz.py").write_text(
        "import fiducial as fd\n"
        "@fd.file_format('quiz')\n"
        "def quiz(path):\n"
        "    yield {'id': 'a', 'kind': 'memory_answer', 'reference': {'answers': ['b']}}\n"
        "    yield {'case_id': 'a', 'system': 's', 'text': 'b'}\n"
        "    yield {'case_id': 'a', 'system': 's', 'by': 'me', 'source': 'human', 'outcome': 'graded', 'score': 1}\n"
    )
    (tmp_path / "quiz.txt").write_text("")
    arguments = ("quiz", tmp_path / "quiz.txt", "--plugin", tmp_path / "quiz.py", "--out", tmp_path / "out")
    result = fiducial("import", *arguments)
    assert result.code == 0, result.err
    assert "1 case, 1 output of 1 system, 1 label of 1 person" in result.out


TRACK = {
    "type": "function",
    "function": {
        "name": "track",
        "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
    },
}


def session(number: int, *after: dict[str, Any]) -> str:
    """A chat that asks for a parcel, with the call for it and what came after."""
    call = {"id": "a", "type": "function", "function": {"name": "track", "arguments": f'{{"id": {number}}}'}}
    asked = {"role": "user", "content": f"Where is my parcel {number}?"}
    called = {"role": "assistant", "content": None, "tool_calls": [call]}
    return json.dumps({"messages": [asked, called, *after], "tools": [TRACK]}) + "\n"


RESULT = {"role": "tool", "tool_call_id": "a", "content": "in transit"}
ANSWER = {"role": "assistant", "content": "It has been delivered."}


def test_agent_logs_are_judged_with_the_answer_that_follows_the_calls(tmp_path: Path, server: ProviderServer):
    log, out = tmp_path / "log.jsonl", tmp_path / "shop"
    log.write_text(session(7, RESULT, ANSWER))
    imported = fiducial("import", log, "--out", out)
    assert "--judge task_completion --model gpt-4.1-mini" in imported.out
    cases, outputs = out / "cases.jsonl", out / "outputs.jsonl"
    judged = (
        "--judge",
        "task_completion",
        "--model",
        "m",
        "--base-url",
        server.base_url,
        "--out",
        out / "run",
    )
    server.script = lambda _: Answer("<S1>It is in transit.</S1><S2>0</S2>")
    run = fiducial("run", cases, "--outputs", outputs, *judged)
    assert run.code == 0, run.err
    said = [verdict for verdict in verdicts_in(out / "run") if verdict.source == "judge"]
    assert [(verdict.outcome, verdict.score) for verdict in said] == [("graded", 0.0)]
    (asked,) = server.seen
    shown = asked.text
    assert '"result": "in transit"' in shown
    assert '"agent": "It has been delivered."' in shown


def test_calls_that_nothing_follows_are_left_to_the_judge_of_calls(tmp_path: Path):
    log, out = tmp_path / "log.jsonl", tmp_path / "shop"
    log.write_text(session(7, RESULT, ANSWER) + session(8))
    imported = fiducial("import", log, "--out", out)
    assert "judge: task_completion, tool_call_accuracy" in imported.out
    judges = ("--judge", "task_completion", "tool_call_accuracy", "--model", "baseline")
    cases, outputs = out / "cases.jsonl", out / "outputs.jsonl"
    run = fiducial("run", cases, "--outputs", outputs, *judges, "--out", out / "run")
    assert run.code == 0, run.err
    by = [verdict.by for verdict in verdicts_in(out / "run") if verdict.source == "judge"]
    assert sorted(by) == [
        "task_completion/lexical@baseline",
        "tool_call_accuracy/lexical@baseline",
        "tool_call_accuracy/lexical@baseline",
    ]
    results = json.loads((out / "run" / "run.json").read_bytes())["results"][0]["strata"]
    strata = {rate.get("by"): rate["of"] for rate in results}
    assert strata["task_completion/lexical@baseline"] == 1
    assert strata["tool_call_accuracy/lexical@baseline"] == 2


def test_columns_named_by_who_speaks_are_question_and_answer(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    log.write_text(
        '{"user": "Who?", "assistant": "She.", "tool_calls": [], "rating": "up"}\n{"user": "u-17"}\n'
        '{"user": "When?", "assistant": "Now.", "tool_calls": null, "rating": "down"}\n'
    )
    result = fiducial("import", log, "--out", tmp_path / "out")
    assert result.code == 0, result.err
    cases = [*read_records(tmp_path / "out" / "cases.jsonl", Case)]
    assert [case.turns[0][0]["content"] for case in cases] == ["Who?", "When?"]
    assert [record.text for record in read_records(tmp_path / "out" / "outputs.jsonl", Output)] == [
        "She.",
        "Now.",
    ]
    labels = [*read_records(tmp_path / "out" / "labels.jsonl", Verdict)]
    assert [(label.by, label.score) for label in labels] == [("rating", 1.0), ("rating", 0.0)]


def refusal_of(path: Path, text: str) -> str:
    """Write a file, and return the message that refuses to import it."""
    path.write_text(text)
    result = fiducial("import", path, "--out", path.parent / "out")
    assert result.code == 2
    assert not (path.parent / "out").exists()
    return result.err


def test_a_joined_table_of_which_nothing_is_known_names_its_columns_and_the_option(tmp_path: Path):
    log, table = tmp_path / "log.jsonl", tmp_path / "expected.csv"
    log.write_text('{"id": "a", "prompt": "Book Rome.", "completion": "Done."}\n')
    table.write_text('id,wanted\na,"book(city=""Rome"")"\n')
    told = fiducial("import", log, "--join", table, "--out", tmp_path / "out").out
    assert (
        f"1 column read as a tag: 'wanted'\nnext: fiducial import {log} --join {table} --out {tmp_path}/out --map expected_calls=wanted   ("
        in told
    )
    mapped = fiducial(
        "import", log, "--join", table, "--map", "expected_calls=wanted", "--out", tmp_path / "out"
    )
    assert "1 tool_call: the expected calls are known" in mapped.out


def test_grades_of_logged_calls_are_not_dropped_in_silence_and_the_proposed_command_adds_them(tmp_path: Path):
    log, out = tmp_path / "log.jsonl", tmp_path / "out"
    rows = [
        {"session": f"s{n}", "prompt": f"Say {n}.", "completion": "Said.", "thumbs": "up"} for n in range(3)
    ]
    log.write_text("".join(f"{json.dumps(row)}\n" for row in [*rows, rows[0] | {"thumbs": "down"}]))
    told = fiducial("import", log, "--out", out).out
    assert "not read, though it looks like grades: 'thumbs'" in told
    [command] = [line.split() for line in told.splitlines() if "labels add" in line]
    added = fiducial(*command[1:])
    assert added.code == 0, added.err
    assert f"labels: {out}/labels.jsonl (3 added, 0 already there)" in added.out
    assert "1 earlier row superseded" in added.out
    labels = read_records(out / "labels.jsonl", Verdict)
    assert {label.case_id: label.score for label in labels} == {"s0": 0.0, "s1": 1.0, "s2": 1.0}
    again = fiducial(*command[1:])
    assert "(0 added, 3 already there)" in again.out


def test_the_proposed_command_names_the_column_of_the_cases_ids_and_skips_what_the_import_skipped(
    tmp_path: Path,
):
    log, out = tmp_path / "log.jsonl", tmp_path / "out"
    rows = [
        {"id": f"r{n}", "session_id": f"s{n}", "prompt": f"Say {n}.", "completion": "Said.", "thumbs": thumbs}
        for n, thumbs in enumerate(["up", "down", ""])
    ]
    log.write_text("".join(f"{json.dumps(row)}\n" for row in rows) + 'no JSON\n{"foo": 1}\n')
    told = fiducial("import", log, "--out", out).out
    assert "if rows have an id" not in told
    [command] = [line.split() for line in told.splitlines() if "labels add" in line]
    assert command[-1] == "id=session_id"
    added = fiducial(*command[1:])
    assert "(2 added, 0 already there)" in added.out
    assert f"2 rows skipped, the first: {log}:4: not JSON" in added.out
    assert "no output" not in added.out


def test_folders_made_by_fiducial_are_skipped_and_counted(tmp_path: Path):
    logs = tmp_path / "logs"
    logs.mkdir()
    row = {"id": "a", "messages": [{"role": "user", "content": "Where?"}], "response": "Rome"}
    (logs / "log.jsonl").write_text(json.dumps(row))
    fiducial("import", logs / "log.jsonl", "--out", logs / "earlier")
    (logs / "other").mkdir()
    (logs / "other" / "run.json").write_text(json.dumps(row | {"id": "b"}))
    inputs = logs / "earlier" / "cases.jsonl", "--outputs", logs / "earlier" / "outputs.jsonl"
    fiducial("run", *inputs, "--judge", "rubric", "--model", "baseline", "--out", logs / "run")
    told = fiducial("import", logs, "--out", tmp_path / "out").out
    assert told.startswith("read as openai: 2 cases, 2 outputs of 1 system, ")
    assert "  skipped 2 folders made by fiducial" in told
    assert "read as tags" not in told
    assert "skipped 2 folders made by fiducial" in repr(fd.read(logs))


@pytest.mark.parametrize("expected", ["Rome", ["Rome", "Roma"]])
def test_references_of_logged_calls_are_named_with_the_command_that_adds_them(tmp_path: Path, expected: Any):
    log, out = tmp_path / "log.jsonl", tmp_path / "out"
    row = {
        "id": "a",
        "messages": [{"role": "user", "content": "Where?"}],
        "response": "Rome",
        "ideal": expected,
    }
    log.write_text(json.dumps(row))
    told = fiducial("import", log, "--out", out).out
    assert "not read, though it looks like references: 'ideal'" in told
    [command] = [line.split() for line in told.splitlines() if "labels add" in line]
    assert "1 added" in fiducial(*command[1:]).out
    [case] = read_records(out / "cases.jsonl", Case)
    assert case.reference["answers"][0] == "Rome"


def test_skipped_values_of_one_reason_and_field_are_counted_together(tmp_path: Path):
    log, table = tmp_path / "log.jsonl", tmp_path / "expected.csv"
    rows = [
        {"id": f"c{n}", "messages": [{"role": "user", "content": "Go"}], "response": "Gone"} for n in range(4)
    ]
    log.write_text("".join(f"{json.dumps(row)}\n" for row in [*rows, {"messages": 3}]))
    table.write_text("id,expected_calls\n" + "".join(f"c{n},f({n})\n" for n in range(4)))
    told = fiducial("import", log, "--join", table, "--out", tmp_path / "out").out
    assert f"skipped: 5, listed in {tmp_path}/out/skipped.jsonl\n  4 cannot be read as calls" in told
    assert f" (first: {table}:2: expected_calls)\n" in told
    assert f"  1 expected a list of messages, got a number ({log}:5: messages)\n" in told


def test_the_proposed_estimate_names_one_of_several_judges(tmp_path: Path):
    table, out = tmp_path / "answers.csv", tmp_path / "out"
    rows = "".join(f"q{n},Say {n}.,x,{n % 2},{n % 3 % 2},1\n" for n in range(6))
    table.write_text(f"id,question,answer,judge_a,judge_b,human_grade\n{rows}")
    told = fiducial("import", table, "--out", out).out
    (tmp_path / "labels.csv").write_text("id,human_grade\nq0,0\n")
    added = fiducial("labels", "add", out, tmp_path / "labels.csv").out
    for text in (told, added):
        [command] = [
            line.split("   ")[0].split()
            for line in text.splitlines()
            if "fiducial estimate" in line
            for line in [line.strip()]
        ]
        result = fiducial(*command[1:])
        assert (command[3:], result.code) == (["--judge", "judge_a"], 0), result.err


@pytest.mark.parametrize(
    ("row", "example"),
    [
        ("Wo?,In Rom,1", "query=Frage --map response=Antwort"),
        ("Wo?,Rom,1", "query=Frage --map response=Antwort"),
    ],
)
def test_the_columns_of_an_example_differ(row: str, example: str, tmp_path: Path):
    refused = refusal_of(tmp_path / "sheet.csv", f"Frage,Antwort,Note\n{row}\n")
    assert "name them, for example `fiducial import " in refused
    assert refused.endswith(f" --map {example}`\n")


def test_a_log_without_grades_names_none(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    row = {"session": "s", "prompt": "Say it.", "completion": "", "latency": 3, "human": "x" * 40}
    log.write_text(f"{json.dumps(row)}\n")
    told = fiducial("import", log, "--out", tmp_path / "out").out
    assert "not read" not in told
    assert "1 output without an answer, graded 0: 1 empty\n" in told


def test_an_unknown_table_is_told_with_columns_to_map_and_the_map_is_enough(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    refused = refusal_of(log, '{"nr": 1, "frage": "Wer war das?", "antwort": "Sie war es."}\n')
    assert "the columns are 'nr', 'frage', 'antwort'" in refused
    told = re.findall(r"--map ([^\s`]+)", refused)
    assert told == ["query=frage", "response=antwort", "id=nr"]
    assert f"`fiducial import {log} --out {tmp_path}/out --map query=frage" in refused
    named = fiducial(
        "import", log, *(word for each in told for word in ("--map", each)), "--out", tmp_path / "out"
    )
    assert named.code == 0, named.err
    assert "read as json: 1 case, 1 output" in named.out


FORMS: list[tuple[str, str, str]] = [
    (
        "log.jsonl",
        '{"conversations": [{"from": "human", "value": "Who?"}, {"from": "gpt", "value": "She."}]}\n',
        "Who?",
    ),
    ("log.json", '[{"instruction": "Translate.", "input": "Wer?", "output": "She."}]', "Translate.\n\nWer?"),
    ("log.tsv", "\ufeffQuestion\tModel Answer\nWho?\tShe.\n", "Who?"),
]


@pytest.mark.parametrize(("name", "text", "asked"), FORMS, ids=["ShareGPT", "Alpaca", "spreadsheet"])
def test_forms_of_chats_and_headers_as_people_write_them(name: str, text: str, asked: str, tmp_path: Path):
    (tmp_path / name).write_text(text, "utf-8")
    result = fiducial("import", tmp_path / name, "--out", tmp_path / "out")
    assert result.code == 0, result.err
    [case] = read_records(tmp_path / "out" / "cases.jsonl", Case)
    [output] = read_records(tmp_path / "out" / "outputs.jsonl", Output)
    assert (case.turns[0], output.text) == ([{"role": "user", "content": asked}], "She.")


def test_a_table_without_known_answers_says_how_to_name_their_column(tmp_path: Path):
    table = tmp_path / "wide.csv"
    table.write_text("question,answer_a,answer_b,gold\nWhere?,Rome,Milan,Rome\n,,,\n")
    said = fiducial("import", table, "--out", tmp_path / "out").out
    assert f"next: fiducial run {tmp_path}/out/cases.jsonl --agent" in said
    assert "--map response=COLUMN" in said
    assert "skipped" not in said
    named = fiducial("import", table, "--map", "response=answer_a", "--out", tmp_path / "named").out
    assert "1 case, 1 output of 1 system" in named


def test_a_configuration_of_promptfoo_says_that_its_results_are_imported(tmp_path: Path):
    config = "prompts: ['{{question}}']\nproviders: [openai:gpt-4.1]\ntests: []\n"
    refused = refusal_of(tmp_path / "promptfooconfig.yaml", config)
    assert "for promptfoo, import its results (promptfoo eval -o results.json)" in refused


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        ("answer_correctness", "(its judges against these labels)"),
        (
            "answer_correctness,faithfulness",
            "(its judges against these labels, which say nothing about faithfulness)",
        ),
    ],
)
def test_checks_are_proposed_as_labels_of_correctness_alone(metrics: str, said: str, tmp_path: Path):
    result = _imported_metrics(metrics, tmp_path)
    assert "(labels, if a checker decides)" in result
    assert said in result


def test_a_metric_of_another_question_needs_labels_of_its_own(tmp_path: Path):
    result = _imported_metrics("faithfulness", tmp_path)
    assert "fiducial check" not in result
    assert "--next 50   (draws outputs to label, to measure its judges)" in result


def _imported_metrics(metrics: str, folder: Path) -> str:
    scores = ",0.5" * len(metrics.split(","))
    rows = "".join(f"What is {n}?,Paris,Paris{scores}\n" for n in range(3))
    table = folder / "scores.csv"
    table.write_text(f"question,answer,ground_truth,{metrics}\n{rows}")
    return fiducial("import", table, "--out", folder / "imported").out


TICKETS = (
    "Ticket No,Customer Asks,Model Used,Bot Reply,Was OK?\n"
    "T-1,Where is it?,v1,On its way.,yes\n"
    "T-2,Can I return it?,v2,Within 30 days.,no\n"
    "T-3,Do you ship to Spain?,v1,Yes we do.,yes\n"
)


@pytest.mark.parametrize("answers", ["Bot Reply", "Expected"], ids=["answers alone", "references alone"])
def test_a_table_without_a_question_is_refused_with_the_command_that_reads_it(answers: str, tmp_path: Path):
    refused = refusal_of(tmp_path / "tickets.csv", TICKETS.replace("Bot Reply", answers))
    assert "no question column found; " in refused
    [command] = re.findall(r"name it: `fiducial (.*)`\n", refused)
    assert shlex.split(command)[-8:] == [
        *("--map", "query=Customer Asks", "--map", "id=Ticket No"),
        *("--map", "label=Was OK?", "--map", "system=Model Used"),
    ]
    assert fiducial(*shlex.split(command)).code == 0
    cases = read_records(tmp_path / "out" / "cases.jsonl", Case)
    assert [(case.id, len(case.messages)) for case in cases] == [("T-1", 1), ("T-2", 1), ("T-3", 1)]


def test_no_question_is_proposed_as_the_id_if_it_pairs_no_rows(tmp_path: Path):
    table = tmp_path / "tickets.csv"
    table.write_text(TICKETS)
    named = ("--map", "query=Customer Asks", "--map", "system=Model Used", "--map", "label=Was OK?")
    told = fiducial("import", table, *named, "--out", tmp_path / "out").out
    assert "pairs them" not in told
    assert "--map 'id=Ticket No'   (" in told


def test_the_same_id_is_proposed_for_a_table_of_labels(tmp_path: Path):
    table, out = tmp_path / "tickets.csv", tmp_path / "out"
    table.write_text("Customer Asks,Ticket No,label\nWhere is it?,T-1,yes\nCan I return it?,T-2,no\n")
    (tmp_path / "log.csv").write_text("id,question,answer\nT-1,Where?,There.\n")
    assert fiducial("import", tmp_path / "log.csv", "--out", out).code == 0
    run = ("run", out / "cases.jsonl", "--outputs", out / "outputs.jsonl", "--out", tmp_path / "run")
    assert fiducial(*run, "--labels", table).err.endswith(" --map 'id=Ticket No'`\n")
    joined = fiducial("import", tmp_path / "log.csv", "--join", table, "--out", out)
    assert "--map 'id=Ticket No' names it" in joined.err


def test_each_reason_to_skip_is_counted_with_an_example(tmp_path: Path):
    log, grades = tmp_path / "log.jsonl", tmp_path / "grades.csv"
    lines = [
        json.dumps({"id": f"c{n}", "messages": [{"role": "user", "content": "Go"}], "response": "Gone"})
        for n in (0, 1, 0)
    ]
    log.write_text("\n".join([*lines, "{", ""]))
    grades.write_text("id,label\nc0,good\nc1,\nc1,bad\nc0,bad\nc9,bad\n")
    told = fiducial("import", log, "--join", grades, "--out", tmp_path / "out").out
    assert (
        f"""
  1 repeated ({log}:3)
  1 not JSON ({log}:4)
  1 a second row has the id 'c0', and another grade than line 2 ({grades}:5: id)
  1 no case has the id 'c9' ({grades}:6: id)
"""
        in told
    )
    labels = read_records(tmp_path / "out" / "labels.jsonl", Verdict)
    assert {label.case_id: label.score for label in labels} == {"c0": 1.0, "c1": 0.0}


def test_the_help_lists_every_file_that_is_written(tmp_path: Path):
    table, out = tmp_path / "rows.csv", tmp_path / "out"
    table.write_text("id,question,answer,label,group\na,Where?,Rome,good,x\n")
    assert fiducial("import", table, "--out", out).code == 0
    told = fiducial("import", "--help").out
    assert [path.name for path in out.iterdir() if path.name not in told] == []


def _grades(folder: Path) -> list[tuple[object, ...]]:
    verdicts = read_records(folder / "verdicts.jsonl", Verdict)
    return [(verdict.case_id, verdict.by, verdict.source, verdict.score) for verdict in verdicts]


def test_an_import_is_explained_by_the_command_that_names_its_columns(tmp_path: Path):
    table, out = tmp_path / "rows.csv", tmp_path / "out"
    table.write_text(
        "Nr,question,answer,HumanLabel,GPT Score\n"
        + "".join(
            f"{n},Why is it {n}?,So {n} is.,{'good' if n % 2 else 'meh'},{1 + n % 5}\n" for n in range(6)
        )
    )
    typed = ("--map-label", "meh=0", "--score-scale", "GPT Score=1:5", "--map", "id=Nr")
    assert fiducial("import", table, "--out", out, *typed).code == 0
    first = _grades(out)
    (line,) = fiducial("import", "--explain", out).out.splitlines()
    words = shlex.split(line)[1:]
    assert [word for word in words if word.startswith(("label=", "score="))] == [
        "label=HumanLabel",
        "score=GPT Score",
    ]
    assert fiducial(*words).code == 0
    assert _grades(out) == first
    (out / "import.json").unlink()
    earlier = fiducial("import", "--explain", out).out
    assert "before columns were recorded" in earlier
    assert "--map label=HumanLabel" in earlier
    assert fiducial("import", "--explain", tmp_path / "none").code == 2


def test_results_that_only_a_checker_graded_are_gated_next(tmp_path: Path):
    out = tmp_path / "tests"
    told = fiducial("import", SAMPLES / "junit/pytest.xml", "--out", out).out
    (proposed,) = [line for line in told.splitlines() if line.startswith("next: ")]
    assert proposed.startswith(f"next: fiducial gate {out} ")
    assert told.endswith(f"{proposed}\n")
    answer = fiducial(*proposed.removeprefix("next: fiducial ").partition("  ")[0].split(), "--json", "-")
    assert answer.code in {0, 1, 4}, answer.err
    assert json.loads(answer.out)["answer"] in {"passes", "fails", "cannot tell"}


def test_repeated_questions_name_a_column_only_where_a_file_has_columns(tmp_path: Path):
    table = tmp_path / "answers.csv"
    table.write_text("id,question,answer\n1,Where?,Rome\n1,Where?,Bari\n")
    cases = Path(__file__).parent.parent / "formats" / "samples" / "deepeval"
    told = [fiducial("import", path, "--out", tmp_path / path.stem).out for path in (table, cases)]
    counted = "  1 further answer to questions answered before, counted as trials"
    assert f"{counted}; name who answered with --map system=COLUMN\n" in told[0]
    assert f"{counted}\n" in told[1]
