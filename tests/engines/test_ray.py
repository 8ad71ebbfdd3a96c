"""Runs on Ray: same verdicts, though workers, driver or endpoint are lost.

`make ray` has the environment for it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_runs import EACH_ONCE, JUDGE, after, graded, write_bookings
from provider_server import ProviderServer, Response, Seen, Status, in_the_form_asked_for

pytest.importorskip("ray", reason="Ray is not installed here: make ray")

import fiducial as fd
from fiducial.data import demo_path
from fiducial.deterministic import CheckOptions
from fiducial.errors import WorkerError
from fiducial.evaluation import inputs as evaluation_inputs
from fiducial.evaluation.checking.checks import check_all
from fiducial.evaluation.engines.ray_engine import RayEngine
from fiducial.evaluation.inputs import EvaluationInputs

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture(scope="module")
def engine() -> Iterator[RayEngine]:
    """Ray on this machine, with two workers."""
    with RayEngine(workers=2) as running:
        yield running


@pytest.fixture
def inputs(tmp_path: Path) -> tuple[Path, Path]:
    """Write 60 cases, and outputs of which every fourth is wrong.

    Table readers would take the ids for numbers and dates.
    """
    return write_bookings(tmp_path)


def test_checkers_say_byte_for_byte_what_they_say_without_it(
    engine: RayEngine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(evaluation_inputs, "_PIECE_BYTES", 2_000)
    files = demo_path("cases.jsonl"), [demo_path("outputs.jsonl")]
    with EvaluationInputs(*files, check_options=CheckOptions()) as both:
        here, there = (
            [checked.line for checked in check_all(both, "auto", CheckOptions(), workers=1, engine=on)]
            for on in (None, engine)
        )
    assert here == there


def test_a_killed_worker_loses_nothing(engine: RayEngine, tmp_path: Path):
    killed = tmp_path / "killed"

    def dies_once(part: int) -> bytes:
        if part == 3 and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return str(part).encode()

    assert list(engine.in_order(dies_once, range(8))) == [str(part).encode() for part in range(8)]
    assert killed.exists()


def test_workers_that_are_killed_again_and_again_are_one_line(engine: RayEngine):
    def dies(part: int) -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        return str(part).encode()

    with pytest.raises(WorkerError, match="lost repeatedly") as lost:
        list(engine.in_order(dies, range(1)))
    assert "\n" not in str(lost.value)


def test_an_error_comes_as_it_would_without_it(engine: RayEngine):
    def fails(part: int) -> bytes:
        raise ValueError(f"part {part}")

    with pytest.raises(ValueError, match=r"^part 0$"):
        list(engine.in_order(fails, range(3)))


@pytest.fixture
def evaluate(
    inputs: tuple[Path, Path], server: ProviderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., fd.Run]:
    """Evaluate with a judge at the loopback server, from actors of a Ray that is there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def call(out: str = "run", **options: Any) -> fd.Run:
        judge = fd.judge(JUDGE, model="m", base_url=server.base_url, api_key="k", cache=False, **options)
        return fd.evaluate(
            *inputs, judges=judge, judge_on="all", out=tmp_path / out, engine="ray", workers=2, progress=False
        )

    return call


@pytest.mark.usefixtures("engine")
def test_a_judge_is_asked_from_actors_about_each_output_once(
    evaluate: Callable[..., fd.Run], server: ProviderServer, tmp_path: Path
):
    server.script = in_the_form_asked_for(lambda seen: int("Atlantis" not in seen.text))
    run = evaluate()
    assert graded(tmp_path / "run") == EACH_ONCE
    assert len(server.seen) == 60
    (use,) = run.judges
    assert (use.calls, use.outcomes) == (60, {"graded": 60})
    again = evaluate()
    assert len(server.seen) == 60
    assert again.systems["1.0"].decided == run.systems["1.0"].decided


@pytest.mark.usefixtures("engine")
def test_inputs_and_the_run_may_be_in_an_object_store(
    inputs: tuple[Path, Path], objects_in_memory: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, file in zip(("cases", "outputs"), inputs, strict=True):
        objects_in_memory.pipe(f"/bucket/{name}.jsonl", file.read_bytes())
    given = ("memory://bucket/cases.jsonl", "memory://bucket/outputs.jsonl")
    on_ray = fd.evaluate(*given, out="memory://bucket/run", engine="ray", workers=2, progress=False)
    here = fd.evaluate(*inputs, out=tmp_path / "here", progress=False)
    assert (
        objects_in_memory.cat("/bucket/run/verdicts.jsonl")
        == (tmp_path / "here" / "verdicts.jsonl").read_bytes()
    )
    assert on_ray.systems["1.0"].decided == here.systems["1.0"].decided


@pytest.mark.usefixtures("engine")
def test_the_budget_of_calls_and_the_limit_of_calls_in_flight_are_those_of_all_actors_together(
    evaluate: Callable[..., fd.Run], server: ProviderServer, tmp_path: Path
):
    server.script = after(0.01)
    run = evaluate(max_calls=25, concurrency=3)
    assert len(server.seen) == 25
    (use,) = run.judges
    assert (use.outcomes["graded"], use.outcomes["failed"]) == (25, 35)
    assert server.in_flight_at_most <= 3
    evaluate()
    assert graded(tmp_path / "run") == EACH_ONCE
    assert len(server.seen) == 60


@pytest.mark.usefixtures("engine")
def test_an_endpoint_that_is_down_leaves_outputs_to_ask_about_again(
    evaluate: Callable[..., fd.Run], server: ProviderServer, tmp_path: Path
):
    server.script = lambda _: Status(503)
    (use,) = evaluate(attempts=1).judges
    assert use.outcomes == {"failed": 60}
    server.script = in_the_form_asked_for()
    (use,) = evaluate().judges
    assert use.outcomes == {"graded": 60}
    assert graded(tmp_path / "run") == EACH_ONCE


@pytest.mark.usefixtures("engine")
def test_an_actor_that_is_killed_is_started_again_and_its_calls_are_tried_again(
    evaluate: Callable[..., fd.Run], server: ProviderServer, tmp_path: Path
):
    script, killed = in_the_form_asked_for(), list[int]()

    def kill_an_actor(seen: Seen) -> Response:
        if len(server.seen) == 20 and not killed:
            killed.extend(actors()[:1])
            os.kill(killed[0], signal.SIGKILL)
        return script(seen)

    server.script = kill_an_actor
    (use,) = evaluate(concurrency=8).judges
    assert killed
    assert use.outcomes == {"graded": 60}
    assert graded(tmp_path / "run") == EACH_ONCE


def actors() -> list[int]:
    """The processes of actors that ask."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ray::_Asker" in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:  # it ended meanwhile
            continue
    return found


def test_a_driver_that_is_killed_goes_on_with_the_same_command(
    inputs: tuple[Path, Path], server: ProviderServer, tmp_path: Path
):
    server.script = after(0.05)
    out = tmp_path / "run"
    judge = [
        "--judge",
        JUDGE,
        "--judge-on",
        "all",
        "--model",
        "m",
        "--base-url",
        server.base_url,
        "--no-cache",
        "--concurrency",
        "2",
    ]
    command = [sys.executable, "-m", "fiducial", "run", str(inputs[0]), "--outputs", str(inputs[1]), *judge]
    command += ["--engine", "ray", "--workers", "2", "--out", str(out)]
    environment = {**os.environ, "OPENAI_API_KEY": "k", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        while len(server.seen) < 10:
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.02)
        process.kill()
    before = graded(out)
    assert 0 < len(before) < 60
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert graded(out) == EACH_ONCE
    assert len(server.seen) <= 60 + 2 + 2  # those that were under way when it was killed are asked again
    assert json.loads((out / "run.json").read_text())["status"] == "complete"
