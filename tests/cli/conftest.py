"""Fixtures for commands: inputs in a folder, a loopback provider, and a bare environment."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import httpcore2
import pytest
from every_command import prepare
from made_once import made_once

from fiducial.records import Case, Output, write_records

WEATHER = {
    "type": "function",
    "function": {
        "name": "weather.now",
        "description": "The weather in a city.",
        "parameters": {"type": "dict", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


@pytest.fixture(autouse=True)
def bare_environment(bare_environment: None) -> None:
    """For every command."""


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """Read the system's certificates once; each client of a batch endpoint reads them for 30 ms."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("httpcore2.default_ssl_context", cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that read no interval of a calibration error, which takes a third of what a judged run takes."""
    monkeypatch.setattr("fiducial.calibration.intervals.special_intervals._DRAWS", 100)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what every command reads; copy it before a command runs in it.

    All workers of one test run share it.
    """
    return made_once(tmp_path_factory, "prepared", prepare)


@pytest.fixture
def demo_run(demo_runs: Path) -> Path:
    """Return a copy of the demo's run, called ``demo``, in the working folder."""
    return shutil.copytree(demo_runs / "demo", Path("demo"))


@pytest.fixture
def inputs(tmp_path: Path) -> tuple[Path, Path]:
    """20 cases in 10 clusters, and one system's outputs, of which every fourth is wrong."""
    return _write_inputs(tmp_path)


@pytest.fixture(scope="session")
def same_inputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the same, for fixtures that many tests share; nobody changes them."""
    return _write_inputs(tmp_path_factory.mktemp("inputs"))


def _write_inputs(folder: Path) -> tuple[Path, Path]:
    cases, outputs = folder / "cases.jsonl", folder / "outputs.jsonl"
    write_records(cases, (make_case(number) for number in range(20)))
    write_records(outputs, (make_output(number) for number in range(20)))
    return cases, outputs


def make_case(number: int) -> Case:
    """Ask for the weather in a city of its own."""
    return Case(
        id=f"case-{number}",
        kind="tool_call",
        messages=[{"role": "user", "content": f"How is the weather in City{number}?"}],
        tools=[WEATHER],
        reference={"calls": [{"weather.now": {"city": [f"City{number}"]}}]},
        cluster=f"cluster-{number // 2}",
    )


def make_output(number: int, system: str = "agent") -> Output:
    """A call for the right city, or, every fourth time, for Atlantis."""
    city = "Atlantis" if number % 4 == 0 else f"City{number}"
    return Output(case_id=f"case-{number}", system=system, text=f'[weather.now(city="{city}")]')
