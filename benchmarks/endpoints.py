"""Judging at two endpoints, one of which is slow, broken or limited, beside judging at one.

    python benchmarks/endpoints.py [--items 2000] [--runs 3]

Each endpoint is a process of its own on loopback that answers in 50 ms; 16 calls are in flight at each at most, so that one answers 320 a second
at best. "lost" are items without a verdict. "extra" are calls beyond one an item.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from commands import described
from provider_server import Answer, Hang, ProviderServer, Response, Seen, Status

import fiducial as fd
from fiducial.errors import FiducialError

SECONDS, SLOTS = 0.05, 16
RATE = 20
"""Requests a second that the limited one allows."""

SCENES = {
    "one": ["right"],
    "two alike": ["right", "right"],
    "one, and one that takes 2 s": ["right", "slow"],
    "one, and one that never answers": ["right", "hang"],
    "one, and one that answers 500": ["right", "broken"],
    "one, and one whose key is refused": ["right", "locked"],
    "two, one of which breaks after 1 s": ["right", "breaks"],
    "two, one of which is back after 1 s": ["right", "returns"],
    f"one, and one that allows {RATE} a second": ["right", "limited"],
}


class Found(NamedTuple):
    """Results of one run."""

    seconds: float
    lost: int
    extra: int


def script_of(kind: str, begun: list[float]) -> Response:
    """Return the next answer of an endpoint of a kind; ``begun`` holds when its answers began."""
    now = time.monotonic()
    first, recent = begun[0], sum(at > now - 1 for at in begun[-2 * RATE :])
    if kind == "hang":
        return Hang()
    if kind == "locked":
        return Status(401)
    if kind == "broken" or (kind == "breaks" and now > first + 1) or (kind == "returns" and now < first + 1):
        return Status(500)
    if kind == "limited" and recent > RATE:
        headers = {
            "retry-after": "1",
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-limit-requests": str(60 * RATE),
        }
        return Status(429, headers)
    return Answer("1", delay=2.0 if kind == "slow" else SECONDS)


def serve(kind: str) -> None:
    """Serve until the pipe to the parent process is closed."""
    begun: deque[float] = deque(maxlen=4 * RATE)
    first: list[float] = []
    lock = threading.Lock()

    def script(seen: Seen) -> Response:
        del seen
        with lock:
            now = time.monotonic()
            first.append(now) if not first else None
            answer = script_of(kind, [first[0], *begun, now])
            if isinstance(answer, Answer):
                begun.append(now)
            return answer

    with ProviderServer(script) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


@contextmanager
def endpoint(kind: str) -> Generator[str]:
    """Yield the address of an endpoint in its own process."""
    command = [sys.executable, __file__, "--serve", kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()
        process.terminate()


def run(kinds: list[str], items: int) -> Found:
    """Judge a number of items at these endpoints."""
    cases = [
        fd.Case(
            id=f"c{n}",
            kind="open_answer",
            messages=[{"role": "user", "content": f"Why {n}?"}],
            reference={"criterion": "It says why."},
        )
        for n in range(items)
    ]
    pairs = [(case, fd.Output(case_id=case.id, system="s", text="Because.")) for case in cases]
    with ExitStack() as exits:
        urls = [exits.enter_context(endpoint(kind)) for kind in kinds]
        judge = fd.judge(
            "rubric/direct", model="m", api_key="none", endpoints=urls, concurrency=SLOTS, cache=False
        )

        async def judged() -> list[fd.Verdict]:
            return [verdict async for verdict in judge.many(pairs)]

        begun = time.monotonic()
        found = asyncio.run(judged())
        seconds = time.monotonic() - begun
        judge.close()
    graded = [each for each in found if each.score is not None]
    calls = sum(each.usage.calls for each in found if each.usage is not None)
    return Found(seconds, items - len(graded), calls - items)


def main() -> None:
    """Print the table."""
    parser = described(__doc__)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    try:
        table(given.items, given.runs)
    except FiducialError as error:
        sys.exit(str(error))


def table(items: int, runs: int) -> None:
    """Yield one row per scene, with medians of the runs."""
    print(
        f"| endpoints | seconds for {items:,} items | times one | lost | extra calls |\n|---|---|---|---|---|"
    )
    run(["right"], 50)  # what is loaded once
    alone = 0.0
    for name, kinds in SCENES.items():
        found = [run(kinds, items) for _ in range(runs)]
        seconds = statistics.median(each.seconds for each in found)
        alone = alone or seconds
        lost, extra = max(each.lost for each in found), max(each.extra for each in found)
        print(f"| {name} | {seconds:.2f} | {seconds / alone:.2f} | {lost} | {extra} |", flush=True)


if __name__ == "__main__":
    main()
