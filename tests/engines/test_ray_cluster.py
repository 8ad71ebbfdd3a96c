"""Runs on an existing cluster of two nodes: same verdicts, and nothing lost with a node."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_runs import EACH_ONCE, JUDGE, after, graded, write_bookings
from provider_server import ProviderServer, Response, Seen

pytest.importorskip("ray", reason="Ray is not installed here: make ray")

from fiducial.errors import ConfigurationError
from fiducial.evaluation.engines.ray_engine import RayEngine
from fiducial.records import Verdict, read_records

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head with one processor, as `ray start --head` makes it; it tells nobody of itself."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 100_000_000}
    made: Any = pytest.importorskip("ray.cluster_utils").Cluster(initialize_head=True, head_node_args=head)
    yield made
    made.shutdown()


@pytest.fixture
def node(cluster: Any) -> Any:
    """Another node, with one processor."""
    return cluster.add_node(num_cpus=1, object_store_memory=100_000_000)


@pytest.fixture
def evaluate(tmp_path: Path, server: ProviderServer) -> Callable[..., None]:
    """Run with a judge, in a process of its own."""
    cases, outputs = write_bookings(tmp_path)
    environment = {**os.environ, "OPENAI_API_KEY": "k", "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def call(out: str, *more: str) -> None:
        command = [sys.executable, "-m", "fiducial", "run", str(cases), "--outputs", str(outputs)]
        judge = ["--judge", JUDGE, "--judge-on", "all", "--model", "m", "--base-url", server.base_url]
        command += [*judge, "--no-cache", "--concurrency", "8", "--out", str(tmp_path / out), *more]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    return call


def test_two_nodes_say_what_one_process_says_and_a_node_that_dies_loses_nothing(
    cluster: Any, node: Any, evaluate: Callable[..., None], server: ProviderServer, tmp_path: Path
):
    server.script = after(0.01)
    evaluate("here")
    alone, lock, died = len(server.seen), threading.Lock(), list[int]()
    script = after(0.1)

    def kill_a_node(seen: Seen) -> Response:
        with lock:
            if len(server.seen) == alone + 20:
                cluster.remove_node(node, allow_graceful=False)
                died.append(len(server.seen))
        return script(seen)

    server.script = kill_a_node
    evaluate("there", "--engine", "ray", "--address", cluster.address)
    assert died
    assert graded(tmp_path / "there") == graded(tmp_path / "here") == EACH_ONCE
    # What the node had in flight is asked again, and nothing else.
    assert len(server.seen) - alone <= len(EACH_ONCE) + 8
    assert verdicts(tmp_path / "there") == verdicts(tmp_path / "here")


def verdicts(run: Path) -> dict[tuple[str, str], tuple[float | None, str | None]]:
    rows = read_records(run / "verdicts.jsonl", Verdict)
    return {(row.case_id, row.by): (row.score, row.error_type) for row in rows if row.graded}


def test_parts_of_a_node_that_dies_are_done_again_with_what_it_kept(cluster: Any, node: Any, tmp_path: Path):
    def large(part: int) -> bytes:
        (tmp_path / f"{part}-{os.getpid()}").touch()
        time.sleep(0.1)
        return (
            f"{part} ".encode() * 100_000
        )  # more than comes back with the call: it is kept where it was made

    with RayEngine(cluster.address) as engine:
        assert engine.workers >= 2  # Ray may not have noticed yet that an earlier one is gone
        found: list[bytes] = []
        for result in engine.in_order(large, range(16)):
            found.append(result[:3])
            if len(found) == 4:
                cluster.remove_node(node, allow_graceful=False)
    assert found == [f"{part} {part}"[:3].encode() for part in range(16)]
    assert len({path.name.partition("-")[2] for path in tmp_path.iterdir()}) > 1  # both had some


def test_where_nobody_answers_is_one_line_at_once():
    with RayEngine("127.0.0.1:9") as engine, pytest.raises(ConfigurationError, match=r"127\.0\.0\.1:9"):
        assert engine.workers
