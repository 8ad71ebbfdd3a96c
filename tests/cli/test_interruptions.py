"""Ctrl-C at a random moment: no traceback, and the rerun command does its work."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from signal import SIGINT, SIGTERM, Signals

import pytest
from command_names import every_name, lines_of
from every_command import COMMANDS, REFUSE_AGAIN, reply_of, run_to_end, signal_at, words
from provider_server import Answer, ProviderServer

pytestmark = pytest.mark.attack("interruptions")

PATIENCE = 60.0
"""Seconds within which an interrupted command ends on any machine; `benchmarks/interruptions.py` measures how many it takes."""


WRITERS = (
    "run, judged",
    "run, two workers",
    "run, agent",
    "check",
    "judge",
    "generate",
    "generate, agent",
    "batch export",
    "batch import",
    "merge",
    "compare, preference",
    "audit mutate",
    "audit run",
    "review, add",
    "improve",
    "labels add, run",
    "export, csv",
    "import, csv",
    "cases bfcl",
    "bfcl generate",
    "artifacts prepare",
    "artifacts run",
)
"""Commands that write in several steps; `benchmarks/interruptions.py` interrupts all."""


def test_every_command_has_a_line_in_which_it_is_interrupted():
    assert [name for name in every_name() if not lines_of(name)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_ctrl_c_ends_a_command_at_any_moment_and_it_can_be_typed_again(
    name: str, prepared: Path, tmp_path: Path, server: ProviderServer
):
    server.script = lambda seen: Answer(reply_of(seen.text), delay=0.02)
    folder = shutil.copytree(prepared, tmp_path / "work")
    command = words(COMMANDS[name], server.base_url)
    after = random.uniform(0.1, 1.5)
    ended = signal_at(command, folder, SIGINT, after, PATIENCE)
    if not ended.before_our_code:
        assert "Traceback" not in ended.said, (after, ended)
        assert ended.code in {0, 130, -SIGINT}, (after, ended)
    all_made = (folder / "new" / "outputs.jsonl").exists()  # so that the interruption came while it tidied up
    again = run_to_end(command, folder)
    refused = name in REFUSE_AGAIN and (ended.code == 0 or (all_made and again.returncode == 2))
    assert again.returncode == (2 if refused else 0), again.stderr


@pytest.mark.parametrize("module", ["fiducial.cli.main", "signal", "click"])
@pytest.mark.parametrize(
    "met", ["Interrupts().__set_name__(0, 0)", "type('Made', (), {'name': Interrupts()})"]
)
def test_ctrl_c_while_the_command_line_is_imported_is_no_traceback(tmp_path: Path, module: str, met: str):
    interrupted = (
        "import _signal, sys, runpy\n"
        "class Interrupts:\n"
        "  def __set_name__(self, owner, name): _signal.raise_signal(_signal.SIGINT)\n"
        "class Meanwhile:\n"
        "  def find_spec(self, name, path=None, target=None):\n"
        f"    if name == {module!r}: sys.meta_path.remove(self); {met}\n"
        "sys.meta_path.insert(0, Meanwhile())\n"
        "runpy.run_module('fiducial', run_name='__main__')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", interrupted], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, "")


@pytest.mark.slow
@pytest.mark.parametrize("sign", [SIGINT, SIGTERM])
def test_ctrl_c_ends_a_server_that_waits_for_its_client(tmp_path: Path, sign: Signals):
    """A stand-in for the optional package; the official server is asked by `make mcp`."""
    (tmp_path / "mcp" / "server").mkdir(parents=True)
    for name in ("mcp", "mcp/server"):
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "mcp" / "types.py").write_text("CallToolResult = TextContent = dict\n")
    (tmp_path / "mcp" / "server" / "mcpserver.py").write_text(
        "import asyncio, sys\n"
        "class MCPServer:\n"
        "  def __init__(self, *_, **__): pass\n"
        "  def tool(self): return lambda verb: verb\n"
        "  def run(self, transport): asyncio.run(self.wait())\n"
        "  async def wait(self):\n"
        "    print('waiting', flush=True)\n"
        "    await asyncio.to_thread(sys.stdin.readline)\n"
    )
    with subprocess.Popen(
        words("mcp --folder ."),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as waiting:
        try:
            assert waiting.stdout is not None
            assert waiting.stdout.readline() == "waiting\n"
            waiting.send_signal(sign)
            assert waiting.wait(PATIENCE) == 130
            assert waiting.stderr is not None
            assert "Interrupted. Finished work is saved" in waiting.stderr.read()
        finally:
            waiting.kill()
