"""Play a documentation page: write its files, type its commands, and compare output.

A block is a file when the paragraph before it ends with the file's name and a colon: "`cases.jsonl`:". In a block of `console` a line after `$` is
typed, and what stands below is what it prints; a line `...` stands for lines left out.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple, Self
from unittest.mock import patch

from command import fiducial

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"`([\w./-]+\.\w+)`:\n\n\Z")
_END = "--- end of what was printed ---"
_OF_THE_SHELL = re.compile(r"[|&;<>()$`*?\[\]{}~#=!]")


class Block(NamedTuple):
    """Block of code on a page: its language, its text, and the file that it stands for, if any."""

    language: str
    text: str
    file: str | None


class Typed(NamedTuple):
    """A command, over several lines if need be, and what the page says it prints."""

    command: str
    shown: str


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page in order, without the indentation of their lists."""
    found: list[Block] = []
    for match in _BLOCK.finditer(page):
        named = _NAMED.search(page, 0, match.start())
        text = re.sub(f"^{match[1]}", "", match[3], flags=re.MULTILINE)
        found.append(Block(match[2], text, named[1] if named else None))
    return found


def typed(console: str) -> Iterator[Typed]:
    """The commands of a block of `console`."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n", part)
        assert command is not None
        yield Typed(command[0].rstrip("\n"), part[command.end() :])


def play(page: str, folder: Path) -> list[tuple[Typed, str]]:
    """Write the files of a page and type its commands in a folder, as one shell session.

    A part of the page may be chosen. A command that is `fiducial` and nothing else runs in the test's process; what has a pipe or any other
    word of the shell runs as it is typed.

    Returns:
        Each command with what it printed on its standard output.
    """
    commands: list[Typed] = []
    for block in blocks(page):
        if block.file is not None:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, "utf-8")
        elif block.language == "console":
            commands += typed(block.text)
    environment = {
        **{
            name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "FIDUCIAL_"))
        },
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(folder / ".cache"),
        "COLUMNS": "80",
    }
    with patch.dict(os.environ, environment, clear=True), chdir(folder), _Shell() as shell:
        return [(command, _printed(command.command, shell)) for command in commands]


def _printed(command: str, shell: _Shell) -> str:
    """Return what a command prints on its standard output."""
    words = command.replace("\\\n", " ")
    if _OF_THE_SHELL.search(words) or not words.startswith("fiducial "):
        return shell.type(command)
    done = fiducial(*shlex.split(words)[1:])
    shell.type(f"(exit {done.code})")
    return done.out


class _Shell:
    """One session of bash; its status is that of the command before."""

    def __enter__(self) -> Self:
        self._bash = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._bash.communicate()

    def type(self, command: str) -> str:
        """Return what a command prints; one that takes too long ends the session."""
        limit = threading.Timer(240, self._bash.kill)
        limit.start()
        try:
            return self._answer(command)
        finally:
            limit.cancel()

    def _answer(self, command: str) -> str:
        to, of = self._bash.stdin, self._bash.stdout
        assert to is not None
        assert of is not None
        to.write(f"{command}\nstatus=$?; echo '{_END}'; (exit $status)\n")
        to.flush()
        printed = ""
        while not printed.endswith(f"{_END}\n"):
            line = of.readline()
            assert line, f"$ {command}\nended the session, or took too long"
            printed += line
        return printed.removesuffix(f"{_END}\n")


_FRACTION = re.compile(r"\d+\.\d+")


def agrees(shown: str, printed: str, *, rounding: bool = False) -> bool:
    """Return whether the output shown is the output printed, with lines omitted at `...`.

    With ``rounding`` the last digit of a fraction may be another by one: a model computes other last digits of its
    probabilities on another processor, and draws follow them.
    """
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + "\n"
        for line in shown.rstrip("\n").splitlines()
    )
    if rounding:
        pattern = re.sub(
            r"\d+\\\.\d+", lambda found: rf"(\d+\.\d{{{len(found[0]) - found[0].index('.') - 1}}})", pattern
        )
    found = re.fullmatch(pattern + r"\s*", printed)
    if found is None or not rounding:
        return found is not None
    return all(
        abs(int(number.replace(".", "")) - int(was.replace(".", ""))) <= 1
        for number, was in zip(found.groups(), _FRACTION.findall(shown), strict=True)
    )


def rewrite(page: Path, played: list[tuple[Typed, str]]) -> None:
    """Put what was printed in the place of what the page shows, where it leaves nothing out."""
    left, done = page.read_text("utf-8"), ""
    for command, printed in played:
        before, typed_line, left = left.partition(f"$ {command.command}\n")
        kept = "...\n" in command.shown
        shown = command.shown if kept or not printed.strip() else f"{printed.rstrip()}\n"
        done += before + typed_line + shown
        left = left.removeprefix(command.shown)
    page.write_text(done + left, "utf-8")
