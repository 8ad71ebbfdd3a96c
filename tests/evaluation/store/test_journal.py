from __future__ import annotations

import itertools
import resource
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from fiducial.errors import InputError, RecordError
from fiducial.evaluation.store.journal import Journal, VerdictJournal
from fiducial.records import MAX_LINE_BYTES, Output, Verdict, encode_record, read_records


def outputs(count: int) -> list[Output]:
    return [Output(case_id=str(number), system="s", text="ü" * number) for number in range(count)]


def test_what_was_appended_is_there_when_opened_again(tmp_path: Path):
    path = tmp_path / "journal.jsonl"
    for output in outputs(3):
        with Journal(path, Output) as journal:
            journal.append(output)
    with Journal(path, Output) as journal:
        assert list(journal) == outputs(3)


def test_a_kill_at_any_byte_loses_at_most_the_torn_line(tmp_path: Path):
    whole = b"".join(encode_record(output) for output in outputs(4))
    for length in range(len(whole) + 1):
        path = tmp_path / f"{length}.jsonl"
        path.write_bytes(whole[:length])
        complete = whole[:length].count(b"\n")
        with Journal(path, Output) as journal:
            assert list(journal) == outputs(4)[:complete]
            journal.append(outputs(4)[complete % 4])
            assert len(list(journal)) == complete + 1


def test_a_torn_line_longer_than_the_first_look_is_cut_whole(tmp_path: Path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(encode_record(outputs(1)[0]) + b"x" * 200_000)
    with Journal(path, Output) as journal:
        assert list(journal) == outputs(1)


def test_a_bad_line_in_the_middle_is_an_error_not_a_loss(tmp_path: Path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"{}\n" + encode_record(outputs(1)[0]))
    with pytest.raises(RecordError, match=r"journal\.jsonl:1"):
        Journal(path, Output)
    assert path.read_bytes().startswith(b"{}\n")


def test_a_file_that_can_grow_no_more_is_named_and_goes_on_when_it_can(tmp_path: Path):
    path = tmp_path / "journal.jsonl"
    long = Output(case_id="long", system="s", text="x" * 5000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Journal(path, Output) as journal:
        journal.append(outputs(1)[0])
        journal.flush()
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            journal.append(long)
            with pytest.raises(InputError, match=r"journal\.jsonl: cannot be written: File too large"):
                journal.flush()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with Journal(path, Output) as journal:
        assert list(journal) == [*outputs(1), long]


def test_an_interruption_between_any_two_steps_does_not_look_like_a_change_by_hand(tmp_path: Path):
    verdicts = [
        Verdict(case_id=str(number), system="s", by="checker", source="checker", outcome="graded", score=1.0)
        for number in range(6)
    ]
    for steps in itertools.count(1):
        path = tmp_path / f"{steps}.jsonl"
        with VerdictJournal(path) as journal:
            whole = not interrupted(partial(add_all, journal, verdicts), steps)
            seal = journal.seal
        with VerdictJournal(path, seal=seal) as journal:
            assert not journal.edited
        if whole:
            assert steps > 20
            return


def add_all(journal: VerdictJournal, verdicts: list[Verdict]) -> None:
    for verdict in verdicts:
        journal.append(verdict)
        _ = journal.seal


def interrupted(work: Callable[[], None], steps: int) -> bool:
    """Do work that is interrupted after some lines of the store; return whether it was."""
    left = itertools.count(steps, -1)

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if "store" not in frame.f_code.co_filename:
            return None
        if event == "line" and not next(left):
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.attack("replies of systems")
def test_a_journal_that_refuses_a_record_can_be_gone_on_with(tmp_path: Path):
    path = tmp_path / "outputs.jsonl"
    large = Output(case_id="c", system="s", text="\0" * (MAX_LINE_BYTES // 6 + 1))
    with Journal(path, Output) as journal:
        with pytest.raises(RecordError, match="longer than 32 MiB"):
            journal.append(large)
        journal.append(Output(case_id="d", system="s", text=""))
    assert [record.case_id for record in read_records(path, Output)] == ["d"]
