"""The reply cache: asked once, for good, by however many processes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from judge_items import Judging, make_pairs
from provider_server import Answer, ProviderServer

from fiducial.errors import InputError
from fiducial.judges import Reply, ReplyCache


def test_a_second_run_asks_nothing_and_says_so(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    first = judging(make_pairs(5), cache=tmp_path / "c.sqlite")
    second = judging(make_pairs(5), cache=tmp_path / "c.sqlite")
    assert len(server.seen) == 5
    assert [verdict.score for verdict in first] == [verdict.score for verdict in second]
    assert [verdict.usage.cached for verdict in first if verdict.usage] == [False] * 5
    assert [(v.usage.cached, v.usage.calls, v.usage.prompt_tokens) for v in second if v.usage] == [
        (True, 0, 0)
    ] * 5


def test_another_model_prompt_parameter_or_endpoint_is_asked_anew(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    cache = tmp_path / "c.sqlite"
    judging(make_pairs(1), cache=cache)
    judging(make_pairs(1), cache=cache, model="other")
    judging(make_pairs(1), cache=cache, spec="tool_call_accuracy/direct")
    judging(make_pairs(1), cache=cache, parameters={"temperature": 0.5})
    assert len(server.seen) == 4
    with ProviderServer() as other:
        server.base_url = other.base_url
        judging(make_pairs(1), cache=cache)
        assert len(other.seen) == 1


def test_repeats_are_kept_apart(server: ProviderServer, judging: Judging, tmp_path: Path) -> None:
    for _ in range(2):
        verdicts = judging(make_pairs(2), repeats=3, cache=tmp_path / "c.sqlite")
        assert [verdict.repeat for verdict in verdicts] == [0, 1, 2, 0, 1, 2]
    assert len(server.seen) == 6


def test_cached_replies_that_cannot_be_read_are_asked_anew_and_replaced(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    texts = iter(["hm", "um", "<S2>1</S2>"])
    server.script = lambda seen: Answer(next(texts))
    pairs = make_pairs(1)
    outcomes, said = list[str](), list[list[str]]()
    for _ in range(3):
        (verdict,) = judging(pairs, cache=tmp_path / "c.sqlite")
        outcomes.append(verdict.outcome)
        said.append([reply["text"] for reply in verdict.evidence.get("unread", ())])
    assert outcomes == ["unparsable", "graded", "graded"]
    assert said == [["hm"], ["hm", "um"], []]
    assert len(server.seen) == 3


def test_a_cached_second_reply_that_can_be_read_is_not_asked_anew(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    texts = iter(["hm", "<S2>1</S2>"])
    server.script = lambda seen: Answer(next(texts))
    for _ in range(2):
        (verdict,) = judging(make_pairs(1), cache=tmp_path / "c.sqlite")
        assert verdict.outcome == "graded"
    assert len(server.seen) == 2


def test_equal_items_are_asked_anew_once(server: ProviderServer, judging: Judging, tmp_path: Path) -> None:
    server.script = lambda seen: Answer("hm")
    ((case, output),) = make_pairs(1)
    twin = (msgspec.structs.replace(case, id="twin"), msgspec.structs.replace(output, case_id="twin"))
    judging([(case, output)], cache=tmp_path / "c.sqlite")
    server.script = lambda seen: Answer("<S2>1</S2>")
    verdicts = judging([(case, output), twin], cache=tmp_path / "c.sqlite", concurrency=1)
    assert [verdict.outcome for verdict in verdicts] == ["graded", "graded"]
    assert len(server.seen) == 3


def test_failures_are_not_cached(server: ProviderServer, judging: Judging, tmp_path: Path) -> None:
    address, server.base_url = server.base_url, "http://127.0.0.1:1/v1"
    (failed,) = judging(make_pairs(1), cache=tmp_path / "c.sqlite", attempts=1)
    server.base_url = address
    (verdict,) = judging(make_pairs(1), cache=tmp_path / "c.sqlite")
    assert (failed.outcome, verdict.outcome) == ("failed", "graded")


def test_a_killed_process_loses_nothing_it_was_given(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from fiducial.judges import Reply, ReplyCache\n"
        "cache = ReplyCache(Path(sys.argv[1]))\n"
        "for number in range(100): cache.put(str(number), 'm', Reply(text='x'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / "c.sqlite"
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode == -9
    cache = ReplyCache(path)
    assert cache.info().replies == 100
    cache.close()


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    script = (
        "import sys; from pathlib import Path; from fiducial.judges import Reply, ReplyCache\n"
        "cache = ReplyCache(Path(sys.argv[1]))\n"
        "for number in range(200): cache.put(sys.argv[2] + str(number), 'm', Reply(text='x'))\n"
        "cache.close()\n"
    )
    workers = [
        subprocess.Popen([sys.executable, "-c", script, str(path), f"{number}-"]) for number in range(3)
    ]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    cache = ReplyCache(path)
    assert cache.info().replies == 600
    cache.close()


def test_a_cache_that_another_process_begins_meanwhile_is_no_foreign_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run = tmp_path / "c.sqlite", ReplyCache._run  # pyright: ignore[reportPrivateUsage]

    def run_while_another_begins(self: ReplyCache, *args: Any) -> list[tuple[Any, ...]]:
        rows = run(self, *args)
        monkeypatch.undo()
        ReplyCache(path).close()
        return rows

    monkeypatch.setattr(ReplyCache, "_run", run_while_another_begins)
    cache = ReplyCache(path)
    assert cache.info().replies == 0
    cache.close()


def test_a_cache_that_another_process_begins_at_the_same_moment_is_waited_for(tmp_path: Path) -> None:
    """SQLite gives up at once where two processes switch a file to write-ahead mode."""
    path = tmp_path / "c.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute(
        "CREATE TABLE reply (key TEXT PRIMARY KEY, model TEXT NOT NULL, made REAL NOT NULL, body BLOB NOT NULL)"
    )
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, other.execute, ["ROLLBACK"])
    release.start()
    cache = ReplyCache(path)
    cache.put("1", "m", Reply(text="1"))
    assert cache.info().replies == 1
    release.join()
    other.close()
    cache.close()


def test_replies_can_be_forgotten_by_model(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "c.sqlite")
    cache.put("1", "a", Reply(text="1"))
    cache.put("2", "b", Reply(text="2"))
    assert cache.clear("a") == 1
    assert cache.info().models == {"b": 1}
    assert cache.clear() == 1
    assert cache.info().replies == 0
    cache.close()


@pytest.mark.attack("inputs of others")
def test_a_damaged_reply_is_asked_for_again(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "c.sqlite")
    cache.put("1", "a", Reply(text="1"))
    other = sqlite3.connect(tmp_path / "c.sqlite")
    with other:
        other.execute("UPDATE reply SET body = 'x'")
    other.close()
    assert cache.get("1") is None
    cache.close()


@pytest.mark.attack("inputs of others")
def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to be taken for one\n" * 50)
    with pytest.raises(InputError, match=r"notes\.txt: cannot be used as a reply cache"):
        ReplyCache(path)


@pytest.mark.attack("run folders and files")
def test_a_cache_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "c.sqlite").symlink_to(tmp_path / "other.sqlite")
    with pytest.raises(InputError, match="symbolic link"):
        ReplyCache(tmp_path / "c.sqlite")
    assert not (tmp_path / "other.sqlite").exists()


@pytest.mark.attack("inputs of others")
def test_a_database_of_something_else_is_refused_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.sqlite"
    with closing(sqlite3.connect(path)) as foreign:
        foreign.execute("CREATE TABLE places (url TEXT)")
        foreign.commit()
    before = path.read_bytes()
    with pytest.raises(InputError, match="no reply cache; nothing was changed"):
        ReplyCache(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["bookmarks.sqlite"]


def test_a_file_that_is_refused_is_not_held_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judging: Judging
) -> None:
    opened: list[sqlite3.Connection] = []
    really = sqlite3.connect

    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        opened.append(really(*args, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", connect)
    bad, good = tmp_path / "notes.txt", tmp_path / "c.sqlite"
    bad.write_text("not a database, but long enough to be taken for one\n" * 50)
    with pytest.raises(InputError, match=r"notes\.txt"):
        ReplyCache(bad)
    with pytest.raises(InputError, match=r"replies\.jsonl"):
        judging(make_pairs(1), cache=good, record=bad / "replies.jsonl")
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
    assert len(opened) == 2


def test_a_file_that_is_damaged_inside_ends_the_run_in_one_line_and_keeps_what_was_judged(
    server: ProviderServer, judging: Judging, tmp_path: Path
) -> None:
    path = tmp_path / "c.sqlite"
    judging(make_pairs(40), cache=path)
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"?" * (len(content) - 8192))
    with pytest.raises(InputError, match=r"c\.sqlite: cannot be used as a reply cache: .*malformed"):
        judging(make_pairs(40), cache=path)
    cache = ReplyCache(path)
    for look in (cache.info, cache.clear):
        with pytest.raises(InputError, match="malformed"):
            look()
    cache.close()


def test_a_file_that_another_process_does_not_let_go_of_is_waited_for_and_then_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fiducial.judges.transport.reply_cache._BUSY_SECONDS", 0.05)
    cache = ReplyCache(tmp_path / "c.sqlite")
    other = sqlite3.connect(tmp_path / "c.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(InputError, match=r"c\.sqlite: cannot be used as a reply cache: database is locked"):
        cache.put("1", "m", Reply(text="1"))
    other.execute("ROLLBACK")
    cache.put("1", "m", Reply(text="1"))
    assert cache.info().replies == 1
    other.close()
    cache.close()


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "c.sqlite")
    cache.put("1", "m", Reply(text="1"))
    cache._run("PRAGMA max_page_count = 3")  # pyright: ignore[reportPrivateUsage] - what SQLite calls a full disk, too
    with pytest.raises(InputError, match=r"c\.sqlite: cannot be used as a reply cache: .*full"):
        cache.put("2", "m", Reply(text="x" * 100_000))
    assert cache.get("1") is not None
    cache.close()


def test_the_file_and_its_new_folder_are_their_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "c.sqlite"
    with closing(ReplyCache(path)) as cache:
        cache.put("k", "m", Reply(text="1"))
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_an_older_file_is_closed_to_others_and_its_folder_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    tmp_path.chmod(0o755)
    ReplyCache(path).close()
    path.chmod(0o644)
    ReplyCache(path).close()
    assert (path.stat().st_mode & 0o777, tmp_path.stat().st_mode & 0o777) == (0o600, 0o755)
