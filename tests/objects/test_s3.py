"""Runs that are kept in a store that speaks S3: kills, a store that is away, two writers."""

# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from provider_server import Hang, ProviderServer, Response, Seen, in_the_form_asked_for

from fiducial.evaluation.store.remote_lock import LOCK
from fiducial.records.fetching import fetch_input
from fiducial.records.objects import ObjectFolder

_PATIENCE = 120.0
_ANSWER = in_the_form_asked_for()


def command(bucket: Any, server: ProviderServer | None = None, *more: str) -> list[str]:
    place = bucket.address
    asked = ["--judge", "tool_call_accuracy/direct", "--judge-on", "all", "--model", "m", "--no-cache"]
    judge = [] if server is None else [*asked, "--base-url", server.base_url, "--concurrency", "2"]
    inputs = [f"{place}/in/cases.jsonl", "--outputs", f"{place}/in/outputs.jsonl"]
    return [sys.executable, "-m", "fiducial", "run", *inputs, *judge, "--out", f"{place}/run", *more]


def done(arguments: list[str], environment: dict[str, str], **also: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments, env={**environment, **also}, capture_output=True, text=True, timeout=_PATIENCE, check=False
    )


def until(condition: Any, running: subprocess.Popen[bytes] | None = None) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        assert running is None or running.poll() is None, "it ended"
        assert time.monotonic() < deadline
        time.sleep(0.05)


def half_done(bucket: Any, server: ProviderServer, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A run that has ten of its judge's twenty replies, and waits for the others."""

    def script(seen: Seen) -> Response:
        return _ANSWER(seen) if len(server.seen) <= 10 else Hang()

    server.script = script
    running = subprocess.Popen(
        command(bucket, server), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    until(lambda: len(server.seen) >= 11, running)
    return running


def judged(bucket: Any) -> Counter[str]:
    rows = bucket.cat(f"{bucket.address}/run/verdicts.jsonl").decode().splitlines()
    whole = [json.loads(row) for row in rows]
    return Counter(row["case_id"] for row in whole if row["source"] == "judge" and row["outcome"] == "graded")


def gone_on_with(bucket: Any, server: ProviderServer, environment: dict[str, str], **also: str) -> int:
    """Resume a half-finished run with the same command; return the number of calls."""
    server.script, before = _ANSWER, len(server.seen)
    again = done(command(bucket, server), environment, **also)
    assert again.returncode == 0, again.stderr
    assert judged(bucket) == {f"case-{number}": 1 for number in range(20)}
    return len(server.seen) - before


def test_a_run_is_kept_there_and_gone_on_with_elsewhere(
    bucket: Any, environment: dict[str, str], tmp_path: Path
):
    first = done(command(bucket), environment)
    assert first.returncode == 0, first.stderr
    kept = {name.partition("/run/")[2] for name in bucket.find(f"{bucket.address}/run")}
    assert kept == {"run.json", "verdicts.jsonl", "clusters.json", "report.html"}
    elsewhere = {"XDG_CACHE_HOME": str(tmp_path / "elsewhere")}
    (tmp_path / "cache").rename(tmp_path / "gone")
    again = done(command(bucket), environment, **elsewhere)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert "to do" not in again.stderr
    report = [sys.executable, "-m", "fiducial", "report", f"{bucket.address}/run"]
    assert done(report, environment, **elsewhere).returncode == 0


def test_a_killed_run_loses_nothing_on_the_same_machine(
    bucket: Any, server: ProviderServer, environment: dict[str, str]
):
    running = half_done(bucket, server, environment)
    running.kill()
    running.communicate()
    assert gone_on_with(bucket, server, environment) <= 12, "what was journaled is not asked again"
    assert not bucket.exists(f"{bucket.address}/run/{LOCK}")


def test_a_killed_run_loses_what_came_after_the_last_checkpoint_on_another_machine(
    bucket: Any, server: ProviderServer, environment: dict[str, str], tmp_path: Path
):
    running = half_done(bucket, server, environment)
    place = f"{bucket.address}/run"
    until(lambda: bucket.exists(f"{place}/run.json") and sum(judged(bucket).values()) >= 8, running)
    running.kill()
    running.communicate()
    elsewhere = {"XDG_CACHE_HOME": str(tmp_path / "elsewhere")}
    server.script = _ANSWER
    refused = done(command(bucket, server), environment, **elsewhere)
    assert refused.returncode == 2
    assert f"{place}: is being written by" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    bucket.rm_file(f"{place}/{LOCK}")
    assert gone_on_with(bucket, server, environment, **elsewhere) <= 12, "what was put is not asked again"
    assert gone_on_with(bucket, server, environment) == 0


def test_a_second_machine_is_refused_while_the_first_one_is_at_work(
    bucket: Any, server: ProviderServer, environment: dict[str, str], tmp_path: Path
):
    running = half_done(bucket, server, environment)
    refused = done(command(bucket, server), environment, XDG_CACHE_HOME=str(tmp_path / "elsewhere"))
    assert refused.returncode == 2
    assert "is being written by" in refused.stderr
    beside = done(command(bucket, server), environment)
    assert beside.returncode == 2
    assert "another process is writing this run" in beside.stderr
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate(timeout=_PATIENCE)
    assert running.returncode == 130, said
    assert sum(judged(bucket).values()) >= 8
    assert not bucket.exists(f"{bucket.address}/run/{LOCK}")


def test_a_store_that_goes_away_costs_nothing(
    bucket: Any, server: ProviderServer, environment: dict[str, str], store: Any
):
    running = half_done(bucket, server, environment)
    until(lambda: bucket.exists(f"{bucket.address}/run/run.json"), running)
    store.stop()
    try:
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=_PATIENCE)
        assert running.returncode == 2
        line = said.decode().splitlines()[-1]
        assert (
            f"{bucket.address}/run: the store cannot be reached. Finished work is saved on this machine ("
            in line
        )
        assert "Traceback" not in said.decode()
    finally:
        store.start()
    assert gone_on_with(bucket, server, environment) <= 12


@pytest.mark.parametrize(
    ("arguments", "also", "said"),
    [
        (
            ["calibrate", "s3://no-such-bucket/table.csv"],
            {},
            "s3://no-such-bucket/table.csv: there is no such object",
        ),
        (["report", "s3://no-such-bucket/run"], {}, "s3://no-such-bucket/run: there is no such object"),
        (
            ["calibrate", "s3://bucket-0/table.csv"],
            {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"},
            "s3://bucket-0/table.csv: the store cannot be reached",
        ),
        (
            ["calibrate", "s3://bucket-0/table.csv"],
            {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": "/nonexistent"},
            "s3://bucket-0/table.csv: ",
        ),
    ],
)
def test_what_is_wrong_is_one_line(
    environment: dict[str, str], arguments: list[str], also: dict[str, str], said: str
):
    found = done([sys.executable, "-m", "fiducial", *arguments], environment, **also)
    assert found.returncode == 2
    assert said in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert "wJalrSecret" not in found.stderr


def test_long_objects_go_there_and_come_back(bucket: Any, tmp_path: Path):
    content = os.urandom(12_000_000)
    (tmp_path / "long").write_bytes(content)
    objects = ObjectFolder(f"{bucket.address}/folder")
    mark = objects.put("long.bin", tmp_path / "long")
    assert objects.find() == {"long.bin": mark}, "a listing has the same mark"
    one = ObjectFolder(f"{bucket.address}/folder/long.bin")
    assert fetch_input(one, one.find(), tmp_path / "cache").read_bytes() == content


def test_the_store_decides_who_makes_an_object(bucket: Any):
    objects = ObjectFolder(f"{bucket.address}/folder")
    assert objects.write("lock", b"mine", only_if_new=True)
    assert not objects.write("lock", b"theirs", only_if_new=True)
    assert objects.read("lock") == b"mine"


def test_python_evaluates_and_loads_by_address(bucket: Any, environment: dict[str, str]):
    import fiducial as fd

    place = bucket.address
    fd.evaluate(f"{place}/in/cases.jsonl", f"{place}/in/outputs.jsonl", out=f"{place}/run", progress=False)
    run = fd.load_run(f"{place}/run")
    assert run.systems["agent"].decided.n == 20
    assert repr(run).startswith(f"<run in {place}/run: ")
    run.report()
    assert bucket.exists(f"{place}/run/report.html")
