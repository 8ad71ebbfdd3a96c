"""Ctrl-C at a random moment: no traceback, and the rerun command does its work."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from signal import SIGINT

import pytest
from every_command import COMMANDS, prepare, reply_of, run_to_end, signal_at, words
from provider_server import Answer, ProviderServer

pytestmark = pytest.mark.attack("interruptions")

PATIENCE = 60.0
"""Seconds within which an interrupted command ends on any machine; `benchmarks/interruptions.py` measures how many it takes."""


@pytest.fixture(scope="module")
def prepared() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="prepared-") as folder:
        prepare(Path(folder))
        yield Path(folder)


@pytest.mark.parametrize("name", COMMANDS)
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
    again = run_to_end(command, folder)
    assert again.returncode == 0, again.stderr


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
