"""Clock jumps of years at each look; `benchmarks/clock_jumps.py` tries every command."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from every_command import COMMANDS, jumping_clock, run_to_end, shape_of, words
from provider_server import Answer, ProviderServer, Status

pytestmark = [pytest.mark.attack("clocks that jump"), pytest.mark.slow]


@pytest.fixture(scope="module")
def jumps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    settings = jumping_clock(tmp_path_factory.mktemp("clock"))
    if settings is None:
        pytest.skip("needs a C compiler")
    return settings


@pytest.mark.parametrize("name", ["run, judged", "generate, agent", "audit run, ladder", "history"])
def test_a_command_does_its_work_while_the_time_of_day_jumps(
    name: str, prepared: Path, jumps: dict[str, str], tmp_path: Path, server: ProviderServer
):
    later = {"Retry-After": "Mon, 23 Nov 2026 00:00:01 GMT", "Date": "Mon, 23 Nov 2026 00:00:00 GMT"}
    server.script = lambda seen: Answer("<S2>1</S2>") if len(server.seen) != 3 else Status(429, headers=later)
    command = words(COMMANDS[name], server.base_url)
    left = list[dict[str, int]]()
    for more in (jumps, {}):
        folder = shutil.copytree(prepared, tmp_path / f"work-{len(left)}")
        ended = run_to_end(command, folder, more)
        assert ended.returncode == 0, ended.stderr
        left.append(shape_of(folder))
    assert left[0] == left[1]
