"""Test every command by sending signals at random moments.

    python benchmarks/interruptions.py --moments 25 --signals INT TERM HUP KILL --only merge "audit run"

The moments of a command are dealt to its lines in tests/support/every_command.py. Prints, for each line, how long it took to end (median and
most), and what went wrong: a command that did not end in time, a traceback, a code that is neither its own nor the signal's, a process that
lives on, a torn file, what is there read with a traceback, temporary files that Ctrl-C or SIGTERM left, or a second run of the same command
that does not end with the same files and rows as without a signal. Ctrl-C goes to all of its processes, other signals to the first only.
`--seed` repeats moments.
"""

from __future__ import annotations

import random
import shutil
import signal
import statistics
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from commands import described
from every_command import (
    COMMANDS,
    SCRATCH,
    Ended,
    Shape,
    marked,
    prepare,
    run_to_end,
    shape_of,
    signal_at,
    words,
)  # isort: skip - commands makes it importable

from command_names import every_name, lacks_package, lines_of  # isort: skip - likewise
from every_command import reply_of  # isort: skip - likewise
from provider_server import Answer, ProviderServer, Seen  # isort: skip - likewise

_PATIENCE = 60.0
_INTERRUPTED = 130
_SHOWN = 800
_GONE = 10.0
_TIMED = 3
"""Undisturbed runs, the fastest of which is the time in which moments are drawn."""


def main() -> None:
    """Print a table and what went wrong; exit with 1 where anything did."""
    parser = described(__doc__)
    parser.add_argument("--moments", type=int, default=25, help="for each command and signal")
    parser.add_argument("--signals", nargs="+", default=["INT", "TERM", "HUP", "KILL"])
    parser.add_argument("--only", nargs="+", default=every_name(), metavar="COMMAND")
    parser.add_argument("--within", type=float, default=2.0, help="seconds from Ctrl-C or SIGTERM to the end")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for literal in (
        signal.SIGINT,
        signal.SIGHUP,
    ):  # a shell's background job, and nohup, hand on that they are ignored
        signal.signal(literal, signal.default_int_handler if literal == signal.SIGINT else signal.SIG_DFL)
    wrong, sent, draw = 0, 0, random.Random(arguments.seed)  # noqa: S311 - moments, no secrets
    with TemporaryDirectory(prefix="interruptions-") as scratch, ProviderServer() as server:
        server.script = _slowly
        prepared = Path(scratch, "prepared")
        prepared.mkdir()
        prepare(prepared)
        print(f"{'line':22} {'signal':7} {'sent':>4} {'whole':>6} {'median':>7} {'most':>6}  s")
        for name, dealt in _dealt(arguments.only, arguments.moments):
            if lacks_package(name):
                print(f"{name:22} needs `make mcp`, and its Python")
                continue
            tried = _undisturbed(words(COMMANDS[name], server.base_url), prepared, Path(scratch))
            for sign in arguments.signals:
                problems = list[str]()
                tries = _tries(tried, sign, [draw.random() for _ in range(dealt)], problems, arguments.within)
                took = [*tries]
                middle = statistics.median(took) if took else 0.0
                print(
                    f"{name:22} {sign:7} {dealt:4} {tried.seconds:6.2f} {middle:7.2f} {max(took, default=0.0):6.2f}",
                    flush=True,
                )
                print("".join(f"    {problem}\n" for problem in problems), end="", flush=True)
                wrong, sent = wrong + len(problems), sent + dealt
    print(f"{sent} sent, {wrong} went wrong")
    sys.exit(bool(wrong))


def _dealt(commands: list[str], moments: int) -> Iterator[tuple[str, int]]:
    """Yield each line of the commands, and how many of its command's moments it gets."""
    for command in commands:
        lines = lines_of(command)
        for place, line in enumerate(lines):
            yield line, (moments + len(lines) - 1 - place) // len(lines)


def _slowly(seen: Seen) -> Answer:
    return Answer(reply_of(seen.text), delay=0.05)


def _undisturbed(command: list[str], prepared: Path, scratch: Path) -> Tried:
    folder, seconds, code = prepared, list[float](), 0
    for _ in range(_TIMED):
        folder, begun = _fresh(prepared, scratch), time.monotonic()
        code = run_to_end(command, folder).returncode
        seconds.append(time.monotonic() - begun)
    first = shape_of(folder)
    again = run_to_end(command, folder).returncode
    return Tried(command, code, again, min(seconds), prepared, scratch, [first, shape_of(folder)])


class Tried(NamedTuple):
    """A command as it ends undisturbed, and where it is tried."""

    command: list[str]
    code: int
    again: int
    """The code when it is typed a second time."""
    seconds: float
    prepared: Path
    scratch: Path
    shapes: list[Shape]
    """What is there after it, and after it was typed a second time."""


def _tries(
    tried: Tried, sign: str, moments: list[float], problems: list[str], within: float
) -> Iterator[float]:
    """Send a signal at each moment, a share of the run's time; yield seconds to the end.

    Commands that finished as usual are left out.
    """
    command, code, number = tried.command, tried.code, signal.Signals[f"SIG{sign}"]
    for moment in moments:
        after, mark = moment * tried.seconds, str(uuid.uuid4())
        folder = _fresh(tried.prepared, tried.scratch)
        alone = number != signal.SIGINT
        ended = signal_at(command, folder, number, after, _PATIENCE, alone=alone, mark=mark)
        asked = number in {signal.SIGINT, signal.SIGTERM}
        found = [_problem(ended, code, number), _late(ended, within) if asked else "", _left(mark)]
        found += [
            *_left_there(folder),
            *(_left_over(folder) if asked else ()),
            _second(tried, folder, ended.code),
        ]
        problem = "; ".join(filter(None, found))
        if problem:
            problems.append(f"after {after:.3f} s: {problem}")
        if ended.code != code:
            yield ended.seconds


def _left(mark: str) -> str:
    deadline = time.monotonic() + _GONE
    while found := marked(mark):
        if time.monotonic() > deadline:
            return f"still running: {found}"
        time.sleep(0.05)
    return ""


def _left_there(folder: Path) -> Iterator[str]:
    """Yield what is wrong with results that are there before the command is typed again."""
    new = folder / "new"
    if new.is_dir() and (new / "run.json").exists():
        read = run_to_end([sys.executable, "-m", "fiducial", "report", "new"], folder)
        if read.returncode not in {0, 2} or "Traceback" in read.stderr:
            yield f"report: {read.returncode}: {read.stderr[-_SHOWN:]}"
        return
    for file in [new] if new.is_file() else sorted(new.rglob("*.jsonl")):
        raw = file.read_bytes()
        if raw and not raw.endswith(b"\n") and file.suffix == ".jsonl" and file.parent.name != ".attempts":
            yield f"{file.relative_to(folder)} is torn"


def _late(ended: Ended, within: float) -> str:
    return f"ended after {ended.seconds:.1f} s" if ended.seconds > within else ""


def _left_over(folder: Path) -> Iterator[str]:
    """Yield temporary files; a killed command cannot remove its own."""
    for path in sorted((folder / SCRATCH).rglob("*")):
        yield f"{path.relative_to(folder)} is left"


def _second(tried: Tried, folder: Path, first: int) -> str:
    """Run the command again; return a problem if its files differ from an undisturbed run."""
    if _stamps(folder) == _stamps(tried.prepared):
        return ""
    second = run_to_end(tried.command, folder)
    expected = tried.again if first == tried.code else tried.code
    if second.returncode != expected or "Traceback" in second.stderr:
        return f"again: {second.returncode}: {second.stderr[-_SHOWN:]}"
    there = shape_of(folder)
    if there in tried.shapes:
        return ""
    others = [sorted(there.items() ^ shape.items()) for shape in tried.shapes]
    return f"not as undisturbed: {min(others, key=len)}"


def _stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of all files, and which folders there are."""
    there = [path for path in folder.rglob("*") if path.name not in {"said", SCRATCH}]
    stamps = {path: path.lstat() for path in there}
    return {
        str(each.relative_to(folder)): (0, 0) if each.is_dir() else (stamp.st_size, stamp.st_mtime_ns)
        for each, stamp in stamps.items()
    }


def _problem(ended: Ended, code: int, number: int) -> str:
    expected = {code, -number}
    if number in {signal.SIGINT, signal.SIGTERM}:
        # Python ends itself by SIGINT where the interruption met code in a string, as of a named tuple; shells call that 130, too.
        expected |= {_INTERRUPTED, -signal.SIGINT}
    if ended.before_our_code:
        return ""
    if ended.code not in expected or "Traceback" in ended.said:
        return f"code {ended.code} after {ended.seconds:.1f} s: {ended.said[-_SHOWN:]}"
    return ""


def _fresh(prepared: Path, scratch: Path) -> Path:
    folder = scratch / "tried"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(prepared, folder)
    return folder


if __name__ == "__main__":
    main()
