from __future__ import annotations

import os
import re
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from fiducial.errors import InputError, WorkerError
from fiducial.evaluation.engines.worker_processes import cores, map_ordered


def nothing() -> None:
    """There is nothing to open anew."""


def squares(piece: int) -> bytes:
    return str(piece**2).encode()


@pytest.mark.parametrize("workers", [1, 3, 12])
def test_results_come_in_the_order_of_the_pieces(workers: int):
    assert list(map_ordered(squares, 10, workers, nothing)) == [squares(piece) for piece in range(10)]


def test_no_piece_gives_no_result():
    assert list(map_ordered(squares, 0, 2, nothing)) == []


def test_a_result_may_be_larger_than_a_pipe_and_may_be_empty():
    sizes = [3_000_000, 0, 2_000_001]
    found = map_ordered(lambda piece: b"x" * sizes[piece], 3, 2, nothing)
    assert [len(result) for result in found] == sizes


def test_work_is_done_in_other_processes_which_are_gone_afterwards():
    found = {int(result) for result in map_ordered(lambda _: str(os.getpid()).encode(), 10, 2, nothing)}
    assert len(found) == 2
    assert os.getpid() not in found
    assert not any(map(lives, found))


def test_who_wants_no_more_leaves_no_process_behind():
    results = map_ordered(lambda _: str(os.getpid()).encode(), 1_000, 2, nothing)
    found = {int(next(results)), int(next(results))}
    del results
    assert not any(map(lives, found))


def test_a_process_of_several_threads_uses_one_core_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch):
    def three(_process: int) -> set[int]:
        return {0, 1, 2}

    monkeypatch.setattr(os, "sched_getaffinity", three, raising=False)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    assert cores() == 3
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert cores() == 1


def lives(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def test_an_error_comes_as_it_would_without_workers():
    def fail(piece: int) -> bytes:
        if piece == 3:
            raise InputError("it cannot be used", path="some file", line=7)
        return squares(piece)

    results = map_ordered(fail, 10, 2, nothing)
    assert [next(results) for _ in range(3)] == [squares(piece) for piece in range(3)]
    with pytest.raises(InputError, match=r"^some file:7: it cannot be used$"):
        next(results)


def test_a_worker_that_is_killed_is_one_clear_line():
    def dies(piece: int) -> bytes:
        if piece == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return squares(piece)

    with pytest.raises(WorkerError, match=re.escape("a worker process was ended by SIGKILL")):
        list(map_ordered(dies, 10, 2, nothing))


def test_an_interrupt_of_all_processes_is_the_parents_to_answer():
    def interrupted(piece: int) -> bytes:
        os.kill(os.getpid(), signal.SIGINT)
        return squares(piece)

    assert list(map_ordered(interrupted, 4, 2, nothing)) == [squares(piece) for piece in range(4)]


def test_workers_hold_nothing_open_that_the_parent_has(tmp_path: Path):
    def opened(_: int) -> bytes:
        return "\n".join(descriptors()).encode()

    with (tmp_path / "lock").open("w"):
        assert str(tmp_path / "lock") in descriptors()
        found = b"\n".join(map_ordered(opened, 2, 2, nothing)).decode().split("\n")
    assert sum(name.startswith("pipe:") for name in found) >= 2
    assert str(tmp_path / "lock") not in found


def descriptors() -> list[str]:
    """Return the open file descriptors of this process."""
    found: list[str] = []
    for path in Path("/dev/fd").iterdir():
        with suppress(OSError):  # the listing's own
            found.append(str(path.readlink()))
    return found
