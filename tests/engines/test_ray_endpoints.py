"""Several endpoints from Ray's actors, which share weights, failover, rates and budget."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from engine_runs import COUNT, EACH_ONCE, JUDGE, after, graded, write_bookings
from provider_server import Hang, ProviderServer, Response, Script, Seen, Status, in_the_form_asked_for

pytest.importorskip("ray", reason="Ray is not installed here: make ray")

import fiducial as fd
from fiducial.evaluation.engines.ray_engine import RayEngine
from fiducial.judges import Reply, Request, make_request
from fiducial.judges.prices import listed_prices

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own

SLOTS = 8


@pytest.fixture(scope="module", autouse=True)
def engine() -> Iterator[RayEngine]:
    """Ray on this machine, with two workers."""
    with RayEngine(workers=2) as running:
        assert running.workers == 2
        yield running


Evaluate = Callable[..., tuple[fd.Run, list[ProviderServer]]]


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Evaluate]:
    """Evaluate with a judge at loopback servers that follow scripts; the run, and the servers."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    inputs = write_bookings(tmp_path)
    with ExitStack() as exits:

        def call(
            *scripts: Script, weights: tuple[float, ...] = (1, 1), model: str = "m", **options: Any
        ) -> tuple[fd.Run, list[ProviderServer]]:
            servers = [exits.enter_context(ProviderServer(script)) for script in scripts]
            urls = [f"{each.base_url},weight={weight}" for each, weight in zip(servers, weights, strict=True)]
            judge = fd.judge(
                JUDGE,
                model=model,
                endpoints=urls,
                api_key="k",
                cache=False,
                concurrency=SLOTS,
                **options,
            )
            run = fd.evaluate(
                *inputs,
                judges=judge,
                judge_on="all",
                out=tmp_path / "run",
                engine="ray",
                workers=2,
                progress=False,
            )
            return run, servers

        yield call


def always(response: Response) -> Script:
    def script(seen: Seen) -> Response:
        del seen
        return response

    return script


def test_each_is_asked_by_its_weight_and_each_output_once(evaluate: Evaluate, tmp_path: Path):
    run, (large, small) = evaluate(after(0.05), after(0.05), weights=(1, 0.25))
    assert graded(tmp_path / "run") == EACH_ONCE
    assert [use.outcomes for use in run.judges] == [{"graded": COUNT}]
    assert len(large.seen) + len(small.seen) == COUNT
    assert len(large.seen) > len(small.seen) > 0
    assert (large.in_flight_at_most <= SLOTS, small.in_flight_at_most <= SLOTS / 4) == (True, True)


@pytest.mark.parametrize("fault", [Status(500), Status(401)])
def test_what_fails_at_one_is_asked_of_the_other(evaluate: Evaluate, tmp_path: Path, fault: Response):
    run, (right, wrong) = evaluate(after(0.02), always(fault))
    assert graded(tmp_path / "run") == EACH_ONCE
    assert len(right.seen) == COUNT
    # What was in flight, two failures before a third in a row, and a call or two each time it is tried again: a busy machine takes longer.
    assert 0 < len(wrong.seen) < COUNT / 2
    assert [use.calls for use in run.judges] == [COUNT + len(wrong.seen)]


def test_one_that_breaks_in_the_middle_loses_nothing(evaluate: Evaluate, tmp_path: Path):
    script, lock, asked = in_the_form_asked_for(), threading.Lock(), list[int]()

    def breaks(seen: Seen) -> Response:
        with lock:
            asked.append(1)
            return script(seen) if len(asked) <= 4 else Status(503)

    _, (right, wrong) = evaluate(after(0.02), breaks)
    assert graded(tmp_path / "run") == EACH_ONCE
    assert len(right.seen) == COUNT - 4
    assert len(wrong.seen) <= 4 + SLOTS + 2 + 2


def test_what_hangs_at_one_is_given_up_and_asked_of_the_other(evaluate: Evaluate, tmp_path: Path):
    _, (right, hanging) = evaluate(after(0.01), always(Hang()))
    assert graded(tmp_path / "run") == EACH_ONCE
    assert len(right.seen) == COUNT
    assert 0 < len(hanging.seen) <= SLOTS + 4


def test_the_rate_that_one_allows_is_kept_by_all_actors_together(evaluate: Evaluate, tmp_path: Path):
    script, lock, taken, refused = in_the_form_asked_for(), threading.Lock(), list[float](), list[float]()
    headers = {
        "retry-after": "1",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-limit-requests": "600",
    }

    def ten_a_second(seen: Seen) -> Response:
        with lock:
            if sum(at > seen.at - 1 for at in taken) >= 10:
                refused.append(seen.at)
                return Status(429, headers)
            taken.append(seen.at)
        return script(seen)

    run, _ = evaluate(after(0.2), ten_a_second)
    assert graded(tmp_path / "run") == EACH_ONCE
    # Those in flight when the first was refused, at both actors; whoever asks later keeps to the rate.
    assert len(refused) <= SLOTS + 2
    assert [use.calls for use in run.judges] == [COUNT + len(refused)]


def test_calls_are_one_budget_for_all(evaluate: Evaluate):
    run, servers = evaluate(after(0.01), after(0.01), max_calls=25)
    assert sum(len(server.seen) for server in servers) == 25
    assert run.judges[0].outcomes == {"graded": 25, "failed": COUNT - 25}


def test_dollars_are_one_budget_for_all(evaluate: Evaluate):
    prices = listed_prices("gpt-4o")
    assert prices is not None
    run, servers = evaluate(after(0.01), after(0.01), model="gpt-4o", max_cost=0.015)
    asked = sum(len(server.seen) for server in servers)
    assert 0 < asked * prices.cost(100, 10) <= 0.015  # as many tokens as the servers count
    assert run.judges[0].outcomes == {"graded": asked, "failed": COUNT - asked}


def test_a_call_that_is_given_up_is_ended_in_its_actor(engine: RayEngine, tmp_path: Path):
    class Endless:
        async def complete(self, request: Request) -> Reply:
            (tmp_path / "begun").touch()
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                (tmp_path / "ended").touch()
                raise
            return Reply(text=request.model)

        async def aclose(self) -> None:
            pass

    async def give_up() -> None:
        provider = engine.elsewhere(Endless)
        call = asyncio.create_task(
            provider.complete(make_request("m", [{"role": "user", "content": "?"}], {}))  # type: ignore[arg-type]
        )
        await until(tmp_path / "begun")
        call.cancel()
        await until(tmp_path / "ended")
        await provider.aclose()

    asyncio.run(give_up())
    assert (tmp_path / "ended").exists()


async def until(there: Path) -> None:
    """Wait for a file; pytest's own limit ends what never comes."""
    while not there.exists():  # noqa: ASYNC110, ASYNC240 - another process makes it
        await asyncio.sleep(0.02)


def test_an_answer_is_of_its_own_request(evaluate: Evaluate, tmp_path: Path):
    right = in_the_form_asked_for(lambda seen: int("Atlantis" not in seen.text))
    run, _ = evaluate(right, right)
    assert run.judges[0].outcomes == {"graded": COUNT}
    rows = fd.read_records(tmp_path / "run" / "verdicts.jsonl", fd.Verdict)
    scores = {row.case_id: row.score for row in rows if row.source == "judge"}
    assert scores == {f"{number:03}": float(bool(number % 4)) for number in range(COUNT)}
