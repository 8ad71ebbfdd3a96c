"""Benchmark kit of the reference data: its server, its runners, and `bench.py`."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from bytecode import compile_package
from commands import reference_folder

_FAULTS = ("429", "500", "drop", "badjson", "garbage", "empty", "slow", "hang")
"""In the order in which the kit's server draws them."""
OURS = Path(__file__).with_name("run_fiducial.py")


class Runner(NamedTuple):
    """Tool under measurement: name, Python interpreter, runner and environment."""

    name: str
    python: str
    script: Path
    environment: dict[str, str]


def kit_folder() -> Path:
    """Where the kit is; leaves with a message where it is not."""
    return reference_folder("perf")


def our_runner(name: str = "fiducial", *, command: bool = False, **environment: str) -> Runner:
    """Our own tool, as a library or as the command."""
    compile_package()
    mode = {"FIDUCIAL_RUN": "command"} if command else {}
    return Runner(name, sys.executable, OURS, mode | environment)


def make_items(count: int, folder: Path) -> Path:
    """The kit's items, in a file."""
    path = folder / f"items-{count}.jsonl"
    if not path.exists():
        command = [sys.executable, str(kit_folder() / "make_items.py"), "-n", str(count), "-o", str(path)]
        subprocess.run(command, check=True)
    return path


def fault_kinds(faults: dict[str, Any], seed: int) -> Callable[[str, int], str]:
    """Return the fault of the kit's server by item and attempt from 1, or ``ok``.

    It is computed as the server does.
    """
    sys.path.insert(0, str(kit_folder()))
    server: Any = import_module("fake_openai")
    chances = [(name, faults.get(f"p{name}", 0.0)) for name in _FAULTS]

    def kind(item: str, attempt: int) -> str:
        drawn: float = server._u(seed, item, attempt)  # noqa: SLF001 - the kit draws by it
        for name, chance in chances:
            if drawn < chance:
                return name
            drawn -= chance
        return "ok"

    return kind


def measure(
    runner: Runner, items: Path, folder: Path, *, latency: float, mode: str = "plain", faults: str = "{}"
) -> dict[str, Any]:
    """Run a runner once against a fresh server: the client on one core, the server on another.

    Args:
        runner: What to run.
        items: The items.
        folder: For scratch files.
        latency: Of the server, in milliseconds.
        mode: ``plain``, ``cache`` (the second of two runs) or ``faults``.
        faults: The server's faults, as JSON.
    """
    out = folder / f"{runner.name.replace(' ', '-')}.jsonl"
    out.unlink(missing_ok=True)
    command = [sys.executable, str(kit_folder() / "bench.py"), "--pin", "--reps", "1", "--timeout", "180"]
    command += ["--items", str(items), "--latency", f"{latency:g}", "--mode", mode, "--faults", faults]
    command += ["--runner", f"{runner.name}={runner.python} {runner.script}", "--out", str(out)]
    environment = os.environ | {"FIDUCIAL_REFERENCE": str(kit_folder().parent)} | runner.environment
    subprocess.run(command, check=True, env=environment, cwd=folder, stdout=subprocess.DEVNULL)
    return json.loads(out.read_text().splitlines()[-1])


def interleaved(
    runners: Sequence[Runner], runs: int, once: Callable[[Runner], dict[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """Measure runners in turns, so that load on the machine affects all alike.

    Returns records by the runner's name.
    """
    records: dict[str, list[dict[str, Any]]] = {runner.name: [] for runner in runners}
    for _ in range(runs):
        for runner in runners:
            records[runner.name].append(once(runner))
    return records


def median(records: Sequence[dict[str, Any]], key: str) -> float:
    """The median of one column."""
    return statistics.median(record[key] for record in records)
