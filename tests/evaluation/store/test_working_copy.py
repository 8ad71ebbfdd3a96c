"""Run folders by address: the store's content at any moment, and killed or racing machines."""

# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import InputError, RunFolderError
from fiducial.evaluation.store import copies
from fiducial.evaluation.store.remote_lock import GONE_AFTER, LOCK
from fiducial.evaluation.store.run_store import RunStore
from fiducial.evaluation.store.run_writer import RunWriter
from fiducial.evaluation.store.working_copy import WorkingCopy
from fiducial.records import Verdict
from fiducial.records.objects import ObjectFolder, ObjectVersion

RUN = "memory://bucket/run"

Machine = Callable[..., WorkingCopy]
Stored = Callable[[], dict[str, bytes]]


@pytest.fixture(autouse=True)
def no_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_copies", {})


@pytest.fixture
def stored(objects_in_memory: Any) -> Stored:
    """Return a function that lists the store's content by name."""
    prefix = "/bucket/run/"
    return lambda: {
        name.removeprefix(prefix): objects_in_memory.cat(name)
        for name in objects_in_memory.find("/")
        if name.startswith(prefix)
    }


@pytest.fixture
def machine(tmp_path: Path, objects_in_memory: Any) -> Machine:
    """Return a function that makes machines by name, each with a cache folder.

    A name used again is the same machine after a restart.
    """

    def started(name: str = "a", *, now: float = 1000.0, every: float = 60.0) -> WorkingCopy:
        copy = WorkingCopy(RUN, tmp_path / name / "runs", every=every, now=lambda: now)
        copies._copies[copy.folder] = copy
        copy.fetch()
        return copy

    return started


def verdict(number: int) -> Verdict:
    return Verdict(case_id=f"c{number}", system="s", by="x", source="judge", outcome="graded", score=1.0)


def write(copy: WorkingCopy, *numbers: int) -> None:
    with RunWriter(copy.folder) as run:
        run.bind(rules="strict")
        for number in numbers:
            run.verdicts.append(verdict(number))
        run.put_clusters({f"c{number}": "k" for number in numbers})


def rows(copy: WorkingCopy) -> list[str]:
    with RunStore(copy.folder) as run:
        run.require_unedited()
        return [each.case_id for each in run.verdicts.read()]


class Killed(BaseException):
    """Ends everything, as SIGKILL does: nothing after it is done."""


def kill(copy: WorkingCopy) -> None:
    """End a machine without its cleanup; the operating system releases its locks."""
    copy._ended.set()
    copy._writing_lock.release()
    copies._copies.pop(copy.folder, None)


@pytest.fixture
def killed_putting(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Write rows on a machine that is killed when it would put a file of a name, or any."""
    put = ObjectFolder.put

    def killed(copy: WorkingCopy, *numbers: int, name: str | None = None) -> None:
        def dies(self: ObjectFolder, wanted: str, file: Path) -> ObjectVersion:
            if name in {None, wanted}:
                raise Killed
            return put(self, wanted, file)

        with monkeypatch.context() as patched:
            patched.setattr(ObjectFolder, "put", dies)
            with pytest.raises(Killed):
                write(copy, *numbers)
        kill(copy)

    return killed


def test_what_a_run_wrote_is_in_the_store_when_it_ends(machine: Machine, stored: Stored):
    copy = machine()
    write(copy, 1, 2)
    assert stored().keys() == {"run.json", "verdicts.jsonl", "clusters.json"}
    assert stored()["verdicts.jsonl"] == (copy.folder / "verdicts.jsonl").read_bytes()
    assert rows(machine("b")) == ["c1", "c2"]


def test_another_machine_goes_on_and_the_first_one_after_it(machine: Machine):
    write(machine("a"), 1)
    write(machine("b"), 2)
    write(machine("a"), 3)
    assert rows(machine("c")) == ["c1", "c2", "c3"]


def test_what_has_not_changed_is_neither_put_nor_fetched_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
):
    write(machine("a"), 1)
    for name in ("put", "fetch", "write"):
        monkeypatch.setattr(ObjectFolder, name, lambda *_, **__: pytest.fail("touched"))
    copy = machine("a")
    with copy.held():
        assert rows(copy) == ["c1"]


def test_manifests_come_last(machine: Machine, monkeypatch: pytest.MonkeyPatch):
    order, put = list[str](), ObjectFolder.put
    monkeypatch.setattr(
        ObjectFolder, "put", lambda self, name, file: order.append(name) or put(self, name, file)
    )
    write(machine(), 1)
    assert order[-1] == "run.json"
    assert order.count("run.json") == 1


def test_an_upload_that_was_cut_off_is_gone_on_with_by_another_machine(
    machine: Machine, killed_putting: Callable[..., None], objects_in_memory: Any
):
    write(machine("a"), 1)
    killed_putting(machine("a"), 2, name="run.json")
    objects_in_memory.rm_file(f"/bucket/run/{LOCK}")  # as its owner may
    other = machine("b")
    assert rows(other) == ["c1", "c2"], "not taken for a change by hand"
    write(other, 3)
    assert rows(machine("c")) == ["c1", "c2", "c3"]


def test_a_killed_run_goes_on_where_it_was_on_the_same_machine(
    machine: Machine, killed_putting: Callable[..., None]
):
    killed_putting(machine("a"), 1, 2)
    again = machine("a")
    assert rows(again) == ["c1", "c2"]
    write(again, 3)
    assert rows(machine("b")) == ["c1", "c2", "c3"]


def test_a_second_machine_is_refused_while_the_first_one_writes(machine: Machine):
    first, second = machine("a"), machine("b")
    with first.written():
        with pytest.raises(
            RunFolderError, match=rf"^{RUN}: is being written by .* \(process \d+, last heard of"
        ):
            write(second, 2)
        write(first, 1)
    write(machine("b"), 2)
    assert rows(machine("c")) == ["c1", "c2"]


def test_a_second_process_of_one_machine_is_refused_and_reads_what_is_there(
    machine: Machine,
):
    first = machine("a")
    with first.written():
        second = machine("a")
        with pytest.raises(RunFolderError, match="another process is writing this run"), second.written():
            pass


def test_who_reads_what_another_process_of_the_machine_writes_leaves_it_to_put_that(
    machine: Machine, stored: Stored
):
    first = machine("a")
    with first.written():
        with machine("a").held():
            first.folder.mkdir()
            (first.folder / "report.html").write_text("made beside")
        assert "report.html" not in stored()
    assert stored()["report.html"] == b"made beside"


def test_who_has_been_silent_for_long_is_taken_to_be_gone(machine: Machine):
    first = machine("a", now=0.0)
    first._begin()
    kill(first)
    with pytest.raises(RunFolderError, match="is being written by"):
        write(machine("b", now=GONE_AFTER - 1), 1)
    write(machine("b", now=GONE_AFTER), 1)
    assert rows(machine("c")) == ["c1"]


@pytest.mark.attack("clocks that jump")
def test_a_heartbeat_of_the_far_future_is_none(machine: Machine):
    first = machine("a", now=10 * 365 * 86_400.0)
    first._begin()
    kill(first)
    write(machine("b", now=0.0), 1)
    assert rows(machine("c")) == ["c1"]


def test_who_was_taken_over_says_so_and_puts_nothing(machine: Machine, stored: Stored):
    first = machine("a", now=0.0)
    writing = first.written()
    writing.__enter__()
    first.folder.mkdir()
    (first.folder / "verdicts.jsonl").write_text("from a\n")
    second = machine("b", now=GONE_AFTER)
    with second.written():
        second.folder.mkdir()
        (second.folder / "verdicts.jsonl").write_text("from b\n")
    with pytest.raises(RunFolderError, match=r"taken this run over\. Finished work is saved on this machine"):
        writing.__exit__(None, None, None)
    assert stored()["verdicts.jsonl"] == b"from b\n"


def test_work_that_the_store_never_got_is_set_aside_where_another_machine_went_on(
    machine: Machine, killed_putting: Callable[..., None]
):
    killed_putting(machine("a", now=0.0), 1, 2)
    write(machine("b", now=GONE_AFTER), 3)
    again = machine("a", now=GONE_AFTER)
    assert rows(again) == ["c3"]
    assert again.set_aside is not None
    assert b"c2" in (again.set_aside / "verdicts.jsonl").read_bytes()


def test_what_grows_is_put_from_time_to_time(
    machine: Machine,
    stored: Stored,
    monkeypatch: pytest.MonkeyPatch,
):
    copy, there = machine(every=0.01), threading.Event()
    put = ObjectFolder.put

    def told(self: ObjectFolder, name: str, file: Path) -> ObjectVersion:
        mark = put(self, name, file)
        if name == "run.json":
            there.set()
        return mark

    monkeypatch.setattr(ObjectFolder, "put", told)
    with RunWriter(copy.folder) as run:
        run.bind(rules="strict")
        run.verdicts.append(verdict(1))
        run.verdicts.flush()
        run.update()
        for _ in range(2):
            there.clear()
            run.update(notes=["again"])
            assert there.wait(30)
        assert b"c1" in stored()["verdicts.jsonl"]
        assert LOCK in stored()
    assert LOCK not in stored()


def test_a_store_that_is_away_for_a_while_costs_nothing(
    machine: Machine,
    stored: Stored,
    monkeypatch: pytest.MonkeyPatch,
):
    copy, tried = machine(every=0.01), threading.Event()

    def away(*_: object, **__: object) -> None:
        tried.set()
        raise InputError("the store cannot be reached", path=RUN)

    with RunWriter(copy.folder) as run:
        run.bind(rules="strict")
        with monkeypatch.context() as patched:
            patched.setattr(ObjectFolder, "read", away)
            assert tried.wait(30)
        run.verdicts.append(verdict(1))
    assert b"c1" in stored()["verdicts.jsonl"]


def test_a_store_that_is_away_at_the_end_is_a_line_that_says_where_everything_is(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
):
    copy = machine()

    def away(*_: object) -> None:
        raise InputError("the store cannot be reached", path=RUN)

    with monkeypatch.context() as patched:
        patched.setattr(ObjectFolder, "put", away)
        with pytest.raises(RunFolderError) as failed:
            write(copy, 1)
    assert str(failed.value) == (
        f"{RUN}: the store cannot be reached. Finished work is saved on this machine ({copy.place}); rerun the command to continue"
    )
    write(machine(), 2)
    assert rows(machine("b")) == ["c1", "c2"]


def test_a_run_that_is_refused_leaves_nothing_in_the_store(machine: Machine, stored: Stored):
    with pytest.raises(ValueError, match="no"), RunWriter(machine().folder):
        raise ValueError("no")
    assert stored() == {}


def test_what_a_run_no_longer_has_goes_from_the_store(machine: Machine, stored: Stored):
    copy = machine()
    write(copy, 1)
    with copy.held():
        (copy.folder / "clusters.json").unlink()
    assert "clusters.json" not in stored()
    other = machine("b")
    assert not (other.folder / "clusters.json").exists()


def test_a_file_written_whole_whose_seal_would_not_hold_is_put_under_a_manifest_without_it(
    machine: Machine, killed_putting: Callable[..., None], objects_in_memory: Any
):
    write(machine("a"), 1)
    killed_putting(machine("a"), 2, name="run.json")  # which writes clusters.json anew
    seals = json.loads(objects_in_memory.cat("/bucket/run/run.json"))["journals"]
    assert seals.keys() == {"verdicts.jsonl"}, "whose beginning is still what was sealed"


def test_a_pattern_is_no_run_folder(tmp_path: Path, objects_in_memory: Any):
    with pytest.raises(InputError, match="a pattern is no folder"):
        WorkingCopy("memory://b/run-*", tmp_path)


@pytest.mark.attack("clocks that jump")
@pytest.mark.parametrize("heard", ["[]", "-1", "1e300", "null", '"now"'])
def test_a_lock_that_nobody_can_read_is_refused(heard: str, machine: Machine, objects_in_memory: Any):
    lock = f'{{"copy": "x", "host": "h", "process": 1, "heard": {heard}}}'
    objects_in_memory.pipe(f"/bucket/run/{LOCK}", lock.encode())
    with pytest.raises(RunFolderError, match="is not a readable lock"):
        machine()


def test_state_and_copies_are_nobody_elses_to_read(machine: Machine):
    assert machine().place.stat().st_mode & 0o077 == 0


@pytest.mark.attack("run folders and files")
@pytest.mark.parametrize(
    "address", ["memory://bucket/../secret", "memory://bucket/a/../../secret", "memory://other/secret"]
)
def test_an_address_in_a_manifest_does_not_leave_its_bucket(
    machine: Machine, objects_in_memory: Any, address: str
):
    for name in ("/secret", "/other/secret", "/bucket/../secret"):
        objects_in_memory.pipe(name, b"{}")
    assert machine().fetch_beside(address) is None
