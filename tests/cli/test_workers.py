from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import demo_suite
import pytest
from command import Result, fiducial, typed

from fiducial.errors import WorkerError
from fiducial.evaluation import inputs as evaluation_inputs
from fiducial.evaluation.checking import checks
from fiducial.evaluation.engines.worker_processes import map_ordered
from fiducial.records import Output, write_records

pytestmark = pytest.mark.usefixtures("few_draws")


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch):
    """Pieces of a line or two, so that every worker has many."""
    monkeypatch.setattr(evaluation_inputs, "_PIECE_BYTES", 500)


class Suite(NamedTuple):
    """A part of the demo's suite with every kind of case."""

    cases: Path
    outputs: Path

    def do(self, command: str, out: Path, *args: str | Path) -> Result:
        return fiducial(command, self.cases, "--outputs", self.outputs, "--out", out, *args)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("suite")
    chosen = list(demo_suite.cases().values())[::6]
    ids = {case.id for case in chosen}
    write_records(folder / "cases.jsonl", chosen)
    write_records(
        folder / "outputs.jsonl",
        (output for output in demo_suite.outputs().values() if output.case_id in ids),
    )
    return Suite(folder / "cases.jsonl", folder / "outputs.jsonl")


@pytest.mark.usefixtures("small_pieces")
def test_verdicts_and_numbers_are_byte_for_byte_those_of_one_worker(suite: Suite, tmp_path: Path):
    said = {
        workers: suite.do("check", tmp_path / workers, "--workers", workers, "--json").out
        for workers in ("1", "2", "3")
    }
    for workers in ("2", "3"):
        assert (tmp_path / "1").read_bytes() == (tmp_path / workers).read_bytes()
        assert said["1"].replace("/1", "/out") == said[workers].replace(f"/{workers}", "/out")


@pytest.mark.usefixtures("small_pieces")
def test_a_run_keeps_the_same_journal_and_the_same_results(suite: Suite, tmp_path: Path):
    judge = ("--judge", "tool_call_accuracy@baseline", "--judge-on", "all")
    for workers in ("1", "2"):
        suite.do("run", tmp_path / workers, *judge, "--workers", workers)
    one, two = tmp_path / "1", tmp_path / "2"
    for name in ("verdicts.jsonl", "calibration.json", "clusters.json"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
    found = [json.loads((folder / "run.json").read_text()) for folder in (one, two)]
    assert found[0]["results"] == found[1]["results"]
    assert found[0]["journals"] == found[1]["journals"]


@pytest.mark.usefixtures("small_pieces")
def test_lone_surrogates_and_blank_lines_come_through(inputs: tuple[Path, Path], tmp_path: Path):
    cases, outputs = inputs
    lines = outputs.read_text().splitlines()
    row = json.dumps({"case_id": "case-1", "system": "other", "text": "[weather.now(city='\ud800')]"})
    outputs.write_text("\ufeff" + "\n\n".join([*lines, row]), "utf-8")
    for workers in ("1", "2"):
        out = tmp_path / f"{workers}.jsonl"
        assert not fiducial("check", cases, "--outputs", outputs, "--out", out, "--workers", workers).code
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


@pytest.mark.usefixtures("small_pieces")
def test_many_outputs_are_checked_in_several_processes_where_no_custom_code_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    used: list[int] = []

    def counted(work: Any, parts: int, workers: int, *rest: Any) -> Iterator[bytes]:
        used.append(workers)
        return map_ordered(work, parts, workers, *rest)

    monkeypatch.setattr(checks, "cores", lambda: 2)
    monkeypatch.setattr(checks, "map_ordered", counted)
    cases, outputs = tmp_path / "cases.jsonl", tmp_path / "outputs.jsonl"
    write_records(cases, [{"id": "c", "kind": "no_call", "messages": []}])
    rows = ({"case_id": "c", "system": "s", "trial": number, "text": "no " * 50} for number in range(60))
    write_records(outputs, rows)
    assert not fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "verdicts.jsonl").code
    assert used == [2]


def test_a_small_file_is_checked_in_one_process(
    inputs: tuple[Path, Path], tmp_path: Path, refuse_forks: None
):
    cases, outputs = inputs
    assert fiducial("check", cases, "--outputs", outputs, "--out", tmp_path / "out.jsonl").code == 0


@pytest.fixture
def refuse_forks(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: Any) -> Iterator[bytes]:
        raise AssertionError("no process was to be started")

    monkeypatch.setattr(checks, "map_ordered", refuse)


@pytest.mark.usefixtures("small_pieces")
def test_a_killed_worker_is_one_line_and_the_same_command_goes_on(
    inputs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    cases, outputs = inputs
    command = ("run", cases, "--outputs", outputs, "--out", tmp_path / "run", "--workers", "2")

    def killed(*given: Any) -> Iterator[bytes]:
        yield from islice(map_ordered(*given), 2)
        raise WorkerError("a worker process was ended by SIGKILL before its work was done")

    with monkeypatch.context() as patched:
        patched.setattr(checks, "map_ordered", killed)
        result = fiducial(*command)
    assert (result.code, result.err.count("\n")) == (2, 2)  # what is being done, and what became of it
    kept = (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    assert kept.count(b"\n") > 1
    assert fiducial(*command).code == 0
    whole = (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    assert (whole.startswith(kept), whole.count(b"\n")) == (True, 20)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_ended_by_a_signal_it_leaves_no_process_and_loses_nothing(
    inputs: tuple[Path, Path], tmp_path: Path, sign: signal.Signals
):
    cases, outputs = inputs
    rows = [f"case-{number % 20}" for number in range(20_000)]
    write_records(
        outputs,
        (
            Output(
                case_id=case,
                system="agent",
                trial=number // 20,
                text='[weather.now(city="City1")]' + " " * 200,
            )
            for number, case in enumerate(rows)
        ),
    )
    folder = tmp_path / "run"
    command = typed(sys.executable, "-m", "fiducial", "run", str(cases), outputs=str(outputs), workers="2")
    command += ["--out", str(folder)]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        journal = folder / "verdicts.jsonl"
        while not (journal.exists() and journal.stat().st_size):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(sign)
        process.wait(60)
        group = process.pid
    while others := in_session(group):
        assert others  # a worker ends at its next result
        time.sleep(0.05)
    kept = journal.read_bytes()
    assert 0 < kept.count(b"\n") < 20_000
    subprocess.run(command, check=True, capture_output=True)
    whole = journal.read_bytes()
    assert (whole.startswith(kept[: kept.rindex(b"\n") + 1]), whole.count(b"\n")) == (True, 20_000)


def in_session(group: int) -> list[str]:
    """The processes that a command left behind."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if fields[3] == str(group) and fields[0] != "Z":
            found.append(path.parent.name)
    return found
