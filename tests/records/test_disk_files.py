from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from late_pipe import read_late, waiting_for

from fiducial.errors import InputError, as_named
from fiducial.records import Case, MemoryFile, Output, disk_files, write_records
from fiducial.records.disk_files import atomic_write, copy_of_pipe, shards_of


def test_a_pipe_is_copied_once_and_called_by_its_name(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a line\n",))
    writer.start()
    copy = copy_of_pipe(pipe)
    writer.join()
    assert copy != pipe
    assert copy_of_pipe(pipe) == copy
    assert copy.read_bytes() == b"a line\n"
    assert as_named(copy) == str(pipe)


def test_a_file_below_a_file_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(InputError, match="file/made: cannot be written"),
        atomic_write(tmp_path / "file" / "made"),
    ):
        pass


@pytest.mark.attack("inputs of others")
def test_a_pipe_that_nobody_writes_to_says_so_and_waits_until_somebody_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(disk_files, "_NOTE_AFTER_MS", 20)
    pipe = tmp_path / "pipe"
    assert read_late(pipe, copy_of_pipe) == (b"late\n", [waiting_for(pipe)])


@pytest.mark.slow
@pytest.mark.attack("inputs of others")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_waits_for_a_pipe_says_so_and_ends_with_ctrl_c(sign: signal.Signals, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "said").touch()
    with (tmp_path / "said").open("r+") as said:
        waiting = subprocess.Popen(
            [sys.executable, "-m", "fiducial", "check", "pipe", "--outputs", "pipe"],
            cwd=tmp_path,
            stdout=said,
            stderr=said,
        )
        while "note: pipe: waiting for something" not in (tmp_path / "said").read_text():
            assert waiting.poll() is None
            time.sleep(0.05)
        waiting.send_signal(sign)
        assert waiting.wait(60) == 130
    assert "Traceback" not in (tmp_path / "said").read_text()


def test_other_paths_stay_as_they_are(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file", tmp_path / "missing"):
        assert copy_of_pipe(path) == path


@pytest.mark.skipif(
    not Path("/dev/fd").exists() or not Path("/bin/bash").exists(), reason="no process substitution"
)
def test_inputs_may_come_from_commands(tmp_path: Path):
    write_records(tmp_path / "cases.jsonl", [Case(id="a", kind="no_call")])
    write_records(tmp_path / "outputs.jsonl", [Output(case_id="a", system="s", text="Hello.")])
    command = f"{sys.executable} -m fiducial check <(cat cases.jsonl) --outputs <(cat outputs.jsonl) --out verdicts.jsonl"
    done = subprocess.run(
        ["/bin/bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, (tmp_path / "verdicts.jsonl").exists()) == (0, True), done.stderr
    broken = f"{sys.executable} -m fiducial check cases.jsonl --outputs <(echo broken) --out other.jsonl"
    done = subprocess.run(
        ["/bin/bash", "-c", broken], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("/dev/fd/")) == (2, 1), done.stderr


def test_a_folder_stands_for_the_files_in_it_by_name(tmp_path: Path):
    for name in ("b.jsonl", "a.jsonl", "notes.txt", ".hidden.jsonl"):
        (tmp_path / name).write_text("{}")
    memory = MemoryFile("m", b"{}")
    assert shards_of([tmp_path, memory]) == ((tmp_path / "a.jsonl", tmp_path / "b.jsonl", memory), True)
    assert shards_of([tmp_path / "a.jsonl"]) == ((tmp_path / "a.jsonl",), False)


def test_a_folder_without_shards_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match=r"holds no file that ends in \.jsonl"):
        shards_of([tmp_path])
