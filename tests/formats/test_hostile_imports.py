"""Small files that would exhaust memory or time, and values out of Python's bounds."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.api.reading import import_files
from fiducial.errors import InputError
from fiducial.records import MAX_LINE_BYTES

pytestmark = pytest.mark.attack("imports")

SECONDS = 60
"""Of processor time, which says nothing of who else is at work; ten are promised on a quiet machine."""
KILOBYTES = 1_000_000
ADDRESSES = 8 << 30


_LAUNCHER = """
import os, resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]),) * 2)
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
running = subprocess.Popen(sys.argv[4:])
_, status, used = os.wait4(running.pid, 0)
running.returncode = os.waitstatus_to_exitcode(status)
with open(sys.argv[3], "w") as measured:
    print(running.returncode, used.ru_maxrss, file=measured)
"""
"""Between the test's process and the command: a child's peak of memory is at least that of whoever starts it."""


def imported(path: Path, *more: str) -> tuple[int, str]:
    """Import a file within limits: the exit code, and what was said."""
    command = [sys.executable, "-m", "fiducial", "import", *more, str(path), "--out", f"{path}.out"]
    measured = path.parent / "measured"
    launcher = [sys.executable, "-c", _LAUNCHER, str(SECONDS), str(ADDRESSES), str(measured)]
    text = subprocess.run(
        [*launcher, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True
    ).stdout.decode()
    code, kilobytes = map(int, measured.read_text().split())
    assert kilobytes < KILOBYTES
    assert "Traceback" not in text
    return code, text


def skipped(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(f"{path}.out", "skipped.jsonl").read_text("utf-8").splitlines()]


def parquet(path: Path, columns: dict[str, Any], **options: Any) -> None:
    arrow = pytest.importorskip("pyarrow")
    tables: Any = pytest.importorskip("pyarrow.parquet")
    tables.write_table(arrow.table(columns), path, **options)


def said_often(path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    answers = arrow.DictionaryArray.from_arrays(arrow.array([0] * 100_000), arrow.array(["x" * 100_000]))
    parquet(path, {"question": answers}, compression="zstd")


def said_often_in_a_row(path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    texts = arrow.DictionaryArray.from_arrays(arrow.array([0] * 50_000), arrow.array(["x" * 100_000]))
    parquet(path, {"context": arrow.ListArray.from_arrays([0, 50_000], texts)}, compression="zstd")


def many_rows(path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet(path, {"question": arrow.nulls(20_000_000, arrow.int8())})


SAMPLE: dict[str, Any] = {
    "id": "a",
    "epoch": 1,
    "input": "?",
    "target": "",
    "messages": [],
    "output": {"completion": "b"},
    "scores": {},
}


def log(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m"}}))
        for name, content in members.items():
            archive.writestr(name, content)


def attached_often(path: Path) -> None:
    messages = [{"role": "user", "content": "attachment://x"}] * 3000
    sample = {**SAMPLE, "input": messages, "attachments": {"x": "x" * 2_000_000}}
    log(path, {"samples/a.json": json.dumps(sample).encode()})


def many_objects(path: Path) -> None:
    log(path, {"samples/a.json": b'{"id":"a","input":[' + b"{}," * 50_000_000 + b"{}]}"})


def members_that_overlap(path: Path) -> None:
    log(path, {"samples/0.json": json.dumps({**SAMPLE, "input": "x" * 30_000_000}).encode()})
    raw = path.read_bytes()
    begin = raw.index(b"PK\x01\x02", raw.index(b"PK\x01\x02") + 1)
    end = raw.rindex(b"PK\x05\x06")
    entry = raw[begin:end]
    copies = b"".join(entry.replace(b"samples/0.json", b"samples/%c.json" % (65 + n)) for n in range(26))
    directory = raw[raw.index(b"PK\x01\x02") : end] + copies
    tail = bytearray(raw[end:])
    tail[8:12] = (28).to_bytes(2, "little") * 2
    tail[12:16] = len(directory).to_bytes(4, "little")
    path.write_bytes(raw[: raw.index(b"PK\x01\x02")] + directory + bytes(tail))


def laughs(path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    path.write_text("\n".join([*lines, "cases: [{name: a, inputs: *a29}]"]))


def unknown_texts(path: Path) -> None:
    reply = {"role": "assistant", **{str(number): "x" for number in range(100_000)}}
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "?"}, reply]}))


BOMBS: dict[str, tuple[str, Callable[[Path], object], int]] = {
    "a text said in every row": ("bomb.parquet", said_often, 2),
    "a text said again and again in one row": ("bomb.parquet", said_often_in_a_row, 2),
    "rows of nothing": ("bomb.parquet", many_rows, 2),
    "an attachment of many messages": ("bomb.eval", attached_often, 0),
    "a member of small objects": ("bomb.eval", many_objects, 0),
    "members that overlap": ("bomb.eval", members_that_overlap, 0),
    "aliases of aliases": ("bomb.yaml", laughs, 2),
    "an alias in itself": ("bomb.yaml", lambda path: path.write_text("cases: &a [*a]\n"), 2),
    "a list as a key": ("bomb.yaml", lambda path: path.write_text("cases: [{? [1] : 2}]\n"), 2),
    "brackets": ("bomb.yaml", lambda path: path.write_text("cases: " + "[" * 2000), 2),
    "dashes": ("bomb.yaml", lambda path: path.write_text("cases:\n" + "- " * 20_000), 2),
    "a date that is none": ("bomb.yaml", lambda path: path.write_text("cases: [{inputs: 2001-99-99}]\n"), 2),
    "many keys": ("bomb.yaml", lambda path: path.write_text("cases: [" + "{}," * 60_000 + "]"), 2),
    "a message of unknown texts": ("bomb.jsonl", unknown_texts, 2),
    "columns": (
        "bomb.csv",
        lambda path: path.write_text(",".join(["question", *map(str, range(40_000))]) + "\n" + "," * 40_000),
        0,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_takes_neither_all_memory_nor_time_without_end(name: str, tmp_path: Path):
    file, make, code = BOMBS[name]
    path = tmp_path / file
    make(path)
    assert path.stat().st_size < 2_000_000
    ended, text = imported(path)
    assert ended in {code, 2}, text
    assert text.count("\n") < 10


@each_row("device", ["/dev/zero", "/dev/urandom"])
@each_row("suffix", ["", ".json", ".csv", ".parquet", ".yaml"])
def test_a_device_is_refused_by_any_name(device: str, suffix: str, tmp_path: Path):
    path = tmp_path / f"endless{suffix}"
    path.symlink_to(device)
    with pytest.raises(InputError, match="is a device"):
        fd.read(path)


HUGE = "9" * 5000


GOOD = '{"question": "a", "answer": "b"}'


@each_row(
    ("bad", "reason"),
    [
        (f'{{"question": "a", "answer": "b", "trial": {HUGE}}}', "digits"),
        (f'{{"question": "a", "answer": "b", "trial": "{HUGE}"}}', "digits"),
        ('{"question": "a", "answer": "b", "trial": 1000000000000000000000000000000}', "trial"),
        ('{"question": "a", "answer": "b", "score": 0, "score": 1}', "the key 'score' stands twice"),
        ('{"question": "a", "answer": "b", "about": [{"x": {"y": 1, "y": 2}}]}', "the key 'y' stands twice"),
    ],
)
@each_row("lines", [True, False])
def test_a_row_that_cannot_be_read_is_listed_and_the_others_are_read(
    bad: str, reason: str, lines: bool, tmp_path: Path
):
    path = tmp_path / ("rows.jsonl" if lines else "rows.json")
    path.write_text("\n".join([GOOD, bad, GOOD] if lines else [f"[{GOOD},", f"{bad},", f"{GOOD}]"]) + "\n")
    if not lines and "digits" in reason and f": {HUGE}" in bad:
        with pytest.raises(InputError, match="digits"):  # a number that is none spoils the document
            fd.read(path)
        return
    found = fd.read(path)
    assert len(found.outputs) == 2
    assert [reason in f"{each.field} {each.reason}" for each in found.skipped] == [True]


def test_indices_beyond_bounds_in_names_of_attributes_are_listed(tmp_path: Path):
    span = {
        "context": {"trace_id": "1" * 32, "span_id": "2" * 16},
        "name": "llm",
        "attributes": {
            "openinference.span.kind": "LLM",
            f"llm.input_messages.{HUGE}.message.content": "x",
            "llm.input_messages.0.message.content": "y",
        },
    }
    (tmp_path / "spans.jsonl").write_text(json.dumps(span) + "\n")
    with pytest.raises(InputError, match=r"spans.jsonl:1: .*4300 digits"):
        fd.read(tmp_path / "spans.jsonl", as_="otlp")


def test_an_epoch_beyond_bounds_is_listed(tmp_path: Path):
    log(
        tmp_path / "log.eval",
        {
            "samples/a.json": json.dumps({**SAMPLE, "epoch": 10**30}).encode(),
            "samples/b.json": json.dumps({**SAMPLE, "id": "b"}).encode(),
        },
    )
    found = fd.read(tmp_path / "log.eval")
    assert ([output.case_id for output in found.outputs], len(found.skipped)) == (["b"], 1)


@pytest.mark.parametrize("kind", ["date", "duration", "zone", "text"])
def test_values_of_parquet_that_python_cannot_hold_are_listed_with_their_column(kind: str, tmp_path: Path):
    arrow = pytest.importorskip("pyarrow")
    far = {
        "date": lambda: arrow.array([0, 2**30], arrow.date32()),
        "duration": lambda: arrow.array([0, 2**62], arrow.duration("s")),
        "zone": lambda: arrow.array([0, 0], arrow.timestamp("s", "Nowhere/Nothing")),
        "text": lambda: arrow.Array.from_buffers(
            arrow.string(),
            2,
            [None, arrow.py_buffer(b"\0\0\0\0\1\0\0\0\3\0\0\0"), arrow.py_buffer(b"a\xff\xfe")],
        ),
    }[kind]()
    path = tmp_path / "rows.parquet"
    parquet(path, {"question": ["a", "b"], "answer": ["c", "d"], "when": far})
    if kind == "zone":  # of every row
        with pytest.raises(InputError, match=r"row 1\.when: no record in it"):
            fd.read(path)
        return
    found = fd.read(path)
    assert (len(found.outputs), [each.field for each in found.skipped]) == (1, ["row 2.when"])


def test_a_parquet_column_that_stands_twice_is_refused(tmp_path: Path):
    arrow = pytest.importorskip("pyarrow")
    tables: Any = pytest.importorskip("pyarrow.parquet")
    table = arrow.Table.from_arrays(
        [arrow.array(["a"]), arrow.array([0.0]), arrow.array([1.0])], ["question", "score", "score"]
    )
    tables.write_table(table, tmp_path / "rows.parquet")
    with pytest.raises(InputError, match="twice"):
        fd.read(tmp_path / "rows.parquet")


def test_a_record_too_large_to_be_read_again_is_listed_with_what_is_of_its_case(tmp_path: Path):
    large = {"input": "x" * (MAX_LINE_BYTES - 100_000), "metadata": {"more": "y" * 100_000}}
    samples = [{**SAMPLE, **large, "id": "a"}, {**SAMPLE, "id": "b"}]
    (tmp_path / "log.json").write_text(
        json.dumps({"status": "success", "eval": {"model": "m"}, "samples": samples})
    )
    found = fd.read(tmp_path / "log.json")
    assert [output.case_id for output in found.outputs] == ["b"]
    reasons = [each.reason for each in found.skipped]
    assert reasons[0] == "the case is larger than 32 MiB"
    assert set(reasons[1:]) == {"the output is of a case or output that is larger than 32 MiB"}
    found.save(tmp_path / "out")


@pytest.mark.parametrize("header", ["5", "{", '{"eval": 5}', "[]"])
def test_what_is_wrong_with_a_log_s_header_names_the_file(header: str, tmp_path: Path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", header)
    with pytest.raises(InputError) as error:
        fd.read(path)
    assert str(error.value).startswith(str(path))


def test_a_file_in_which_nothing_is_names_itself(tmp_path: Path):
    (tmp_path / "empty.csv").touch()
    ended, text = imported(tmp_path / "empty.csv", "csv")
    assert (ended, "empty.csv: it has no records to read as csv" in text) == (2, True), text


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("output", "1"),
        ("question", "a"),
        ("question,answer", "a,"),
        ("question,answer", "a,b"),
        ("score", "1"),
        ("item,criterion,met", "a,b,1"),
    ],
)
def test_the_shortest_rows_take_few_calls_each(header: str, row: str, tmp_path: Path):
    """Half a million rows are below 1 MB.

    Calls are counted, since seconds depend on load.
    """
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    def calls_of(rows: int) -> int:
        nonlocal calls
        path = tmp_path / f"{rows}.csv"
        path.write_text("\n".join([header, *[row] * rows, ""]))
        calls = 0
        sys.setprofile(count)
        try:
            with suppress(InputError):  # of a file in which nothing can be read
                import_files([path], tmp_path / "out")
        finally:
            sys.setprofile(None)
        return calls

    calls_of(10)
    more = calls_of(1100) - calls_of(1000)
    assert more < 100 * 110
