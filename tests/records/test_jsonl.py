from __future__ import annotations

import fcntl
import json
import os
import subprocess
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

from fiducial.errors import InputError, RecordError
from fiducial.records import (
    MAX_LINE_BYTES,
    Case,
    Output,
    ToolCall,
    Verdict,
    decode_record,
    read_records,
    write_records,
)

OUTPUT = {"case_id": "c", "system": "s"}
CALL = ToolCall(name="get_weather", arguments={"city": "Haifa"})


def read(**fields: Any) -> Output:
    return decode_record(json.dumps({**OUTPUT, **fields}).encode(), Output)


def test_calls_may_be_written_as_a_name_with_arguments():
    assert read(tool_calls=[{"get_weather": {"city": "Haifa"}}]).tool_calls == [CALL]
    turns = [[[{"get_weather": {"city": "Haifa"}}], "Sunny."], [[{"name": "get_weather"}]]]
    assert read(turns=turns).turns == [[[CALL], "Sunny."], [[ToolCall(name="get_weather")]]]


@each_row("calls", [[{"a": {}, "b": {}}], [{"a": 1}], [{"nam": "a"}], {"a": {}}, [{"function": {}}]])
def test_other_calls_are_refused_as_before(calls: Any):
    with pytest.raises(RecordError, match="tool_calls"):
        read(tool_calls=calls)


GOOD = '{"case_id": "a", "system": "s", "text": "hi"}'


def write(path: Path, *lines: str | bytes) -> Path:
    path.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines))
    return path


UNKNOWN = (
    "unknown field 'txet'; an output has: case_id, system, trial, text, tool_calls, turns, workspace, error, asked "
    "(did you mean 'text'?)"
)


@each_row(
    ("line", "message"),
    [
        ('{"case_id": 1, "system": "s"}', "case_id: Expected `str`, got `int`"),
        ('{"case_id": "a"}', "Object missing required field `system`"),
        ('{"case_id": "a", "system": "s", "txet": "hi"}', UNKNOWN),
        (
            '{"case_id": "a", "system": "s", "tool_calls": [{"name": 3}]}',
            "tool_calls[0].name: Expected `str`, got `int`",
        ),
        (
            '["a"]',
            "Expected `object`, got `array`; expected JSON Lines, one object a line",
        ),
        (
            "{",
            "not JSON: Expecting property name enclosed in double quotes at column 2; expected JSON Lines, one object a line (`jq -c . FILE` writes it so, `jq -c '.[]' FILE` a list)",
        ),
        ("case_id: a", "not JSON: Expecting value at column 1; expected JSON Lines, one object a line"),
        (
            '{"id": "a", "kind": "open_answer"}',
            "unknown field 'id'; an output has: case_id, system, trial, text, tool_calls, turns, workspace, error, asked; these look like cases, where outputs are expected",
        ),
        (
            '{"timestamp": "a", "request": {}}',
            "unknown field 'timestamp'; an output has: case_id, system, trial, text, tool_calls, turns, workspace, error, asked; `fiducial import FILE --out FOLDER` reads other tools' files",
        ),
        ('{"case_id": "a"', "not JSON: Expecting ',' delimiter at column 16"),
        ('{"case_id": "a", "system": "s", "trial": NaN}', "not JSON: NaN is not a JSON number"),
        (b'{"case_id": "\xff"}', "not UTF-8: byte 0xff; save it as UTF-8"),
        (b"\xff\xfe{\0", "not UTF-8: byte 0xff; save it as UTF-8 (it is UTF-16)"),
        (
            '{"case_id": "a", "tool_calls": [{"name": "f", "arguments": {"a": ' + "[" * 20_000,
            "the JSON is nested too deeply",
        ),
    ],
)
def test_a_bad_line_is_one_error_that_names_file_line_and_field(
    tmp_path: Path, line: str | bytes, message: str
):
    path = write(tmp_path / "outputs.jsonl", GOOD, line)
    with pytest.raises(RecordError) as caught:
        list(read_records(path, Output))
    assert str(caught.value) == f"{path}:2: {message}"


def test_a_file_with_a_bad_line_is_closed_while_the_error_is_still_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = write(tmp_path / "outputs.jsonl", GOOD, "{")
    opened: list[Any] = []
    plain_open: Any = Path.open

    def noted(self: Path, *args: Any) -> Any:
        opened.append(plain_open(self, *args))
        return opened[-1]

    monkeypatch.setattr(Path, "open", noted)
    with pytest.raises(RecordError) as caught:
        list(read_records(path, Output))
    assert ([file.closed for file in opened], caught.value.line) == ([True], 2)


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_file_is_an_error(tmp_path: Path, content: bytes):
    path = tmp_path / "empty.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="empty"):
        list(read_records(path, Output))


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path):
    with pytest.raises(InputError, match=r"nowhere\.jsonl: cannot be read: No such file"):
        list(read_records(tmp_path / "nowhere.jsonl", Output))


def test_a_line_of_50_megabytes_is_refused_without_being_read_whole(tmp_path: Path):
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(b'{"case_id": "a", "system": "s", "text": "')
        for _ in range(50):
            file.write(b"x" * 1024 * 1024)
        file.write(b'"}')
    tracemalloc.start()
    with pytest.raises(RecordError, match=r"long\.jsonl:1: the line is longer than 32 MiB"):
        list(read_records(path, Output))
    assert tracemalloc.get_traced_memory()[1] < 2.5 * MAX_LINE_BYTES
    tracemalloc.stop()


def test_reading_does_not_hold_the_file_in_memory(tmp_path: Path):
    path = tmp_path / "many.jsonl"
    line = json.dumps({"case_id": "a", "system": "s", "text": "x" * 1000}) + "\n"
    path.write_text(line * 5_000)
    tracemalloc.start()
    assert sum(1 for _ in read_records(path, Output)) == 5_000
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path: Path):
    path = write(tmp_path / "bom.jsonl", b"\xef\xbb\xbf" + GOOD.encode(), "", GOOD, "")
    assert len(list(read_records(path, Output))) == 2


def test_lone_surrogates_survive_a_round_trip(tmp_path: Path):
    path = tmp_path / "surrogate.jsonl"
    output = Output(case_id="a", system="s", text="broken \ud800 text")
    write_records(path, [output])
    assert list(read_records(path, Output)) == [output]


def test_a_writer_that_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    def records():
        yield Output(case_id="a", system="s")
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError):
        write_records(path, records())
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]
    assert path.read_text() == "old"


def test_defaults_are_left_out_of_what_is_written(tmp_path: Path):
    path = tmp_path / "case.jsonl"
    write_records(path, [Case(id="a", kind="no_call")])
    assert path.read_text() == '{"id":"a","kind":"no_call"}\n'


@pytest.mark.parametrize(
    ("outcome", "score", "message"),
    [
        ("graded", None, "score: a graded verdict needs a score in [0, 1], got None"),
        ("graded", 1.5, "score: a graded verdict needs a score in [0, 1], got 1.5"),
        ("failed", 0, "score: only graded verdicts carry a score; this one is 'failed' with 0.0"),
    ],
)
def test_only_graded_verdicts_carry_a_score(tmp_path: Path, outcome: str, score: float | None, message: str):
    record = {"case_id": "a", "system": "s", "by": "j", "source": "judge", "outcome": outcome, "score": score}
    path = write(tmp_path / "verdicts.jsonl", json.dumps(record))
    with pytest.raises(RecordError) as caught:
        list(read_records(path, Verdict))
    assert str(caught.value) == f"{path}:1: {message}"


def test_a_path_may_be_a_text(tmp_path: Path):
    place = f"{tmp_path}/cases.jsonl"
    assert write_records(place, [Case(id="a", kind="no_call")]) == 1
    assert [case.id for case in read_records(place, Case)] == ["a"]


def test_what_killed_writers_left_beside_a_file_is_taken_away_and_nothing_else(tmp_path: Path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    left = tmp_path / f".a.jsonl.{gone.pid}.tmp"
    at_work = tmp_path / f".a.jsonl.{os.getppid()}.tmp"
    others = [tmp_path / f".b.jsonl.{gone.pid}.tmp", tmp_path / ".a.jsonl.mine.tmp", tmp_path / ".tmp"]
    for path in (left, at_work, *others):
        path.write_text("half")
    write_records(tmp_path / "a.jsonl", [{"a": 1}])
    assert {*tmp_path.iterdir()} == {tmp_path / "a.jsonl", at_work, *others}


@pytest.mark.attack("adversity")
def test_a_pipe_or_a_link_under_such_a_name_is_left_alone(tmp_path: Path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    pipe = tmp_path / f".a.jsonl.0{gone.pid}.tmp"
    os.mkfifo(pipe)
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("years of work")
    link = tmp_path / f".a.jsonl.00{gone.pid}.tmp"
    link.symlink_to(thesis)
    write_records(tmp_path / "a.jsonl", [{"a": 1}])
    assert pipe.exists()
    assert link.is_symlink()
    assert thesis.read_text() == "years of work"


def test_a_file_that_somebody_writes_where_processes_have_other_numbers_is_left(tmp_path: Path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    part = tmp_path / f".a.jsonl.{gone.pid}.tmp"
    with part.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_records(tmp_path / "a.jsonl", [{"a": 1}])
        assert part.exists()
    write_records(tmp_path / "a.jsonl", [{"a": 1}])
    assert not part.exists()
