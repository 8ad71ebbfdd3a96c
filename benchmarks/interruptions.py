"""Send every command signals at random moments: ``python benchmarks/interruptions.py --moments 20 --signals INT TERM HUP KILL``.

Prints, for each command, how long it took to end (median and most), and what went wrong: a command that did not end, a traceback, a code that
is neither its own nor the signal's, or a second run of the same command that does not end as it does without a signal. `--seed` repeats moments.
"""

from __future__ import annotations

import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from commands import described

from every_command import COMMANDS, Ended, environment, prepare, signal_at, words  # isort: skip - commands makes it importable
from provider_server import Answer, ProviderServer, Seen  # isort: skip - likewise

_PATIENCE = 60.0
_INTERRUPTED = 130
_SHOWN = 800


def main() -> None:
    """Print a table and what went wrong; exit with 1 where anything did."""
    parser = described(__doc__)
    parser.add_argument("--moments", type=int, default=20, help="for each command and signal")
    parser.add_argument("--signals", nargs="+", default=["INT"])
    parser.add_argument("--only", nargs="+", default=[*COMMANDS])
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    wrong, draw = 0, random.Random(arguments.seed)  # noqa: S311 - moments, no secrets
    with TemporaryDirectory(prefix="interruptions-") as scratch, ProviderServer() as server:
        server.script = _slowly
        prepared = Path(scratch, "prepared")
        prepared.mkdir()
        prepare(prepared)
        print(f"{'command':22} {'signal':7} {'whole':>6} {'median':>7} {'most':>6}  s")
        for name in arguments.only:
            tried = _undisturbed(words(COMMANDS[name], server.base_url), prepared, Path(scratch))
            for sign in arguments.signals:
                problems = list[str]()
                took = [*_tries(tried, sign, [draw.random() for _ in range(arguments.moments)], problems)]
                middle = statistics.median(took) if took else 0.0
                print(
                    f"{name:22} {sign:7} {tried.seconds:6.2f} {middle:7.2f} {max(took, default=0.0):6.2f}",
                    flush=True,
                )
                print("".join(f"    {each}\n" for each in problems), end="", flush=True)
                wrong += len(problems)
    print(f"{wrong} went wrong")
    sys.exit(bool(wrong))


def _slowly(seen: Seen) -> Answer:
    del seen
    return Answer("<S2>1</S2>", delay=0.05)


def _undisturbed(command: list[str], prepared: Path, scratch: Path) -> Tried:
    begun = time.monotonic()
    ended = _again(command, _fresh(prepared, scratch))
    return Tried(command, ended.returncode, time.monotonic() - begun, prepared, scratch)


def _again(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, errors="replace", check=False
    )


class Tried(NamedTuple):
    """A command as it ends undisturbed, and where it is tried."""

    command: list[str]
    code: int
    seconds: float
    prepared: Path
    scratch: Path


def _tries(tried: Tried, sign: str, moments: list[float], problems: list[str]) -> Iterator[float]:
    """Send a signal at each moment, a share of its time; yield the seconds of those that met it at work."""
    command, code, number = tried.command, tried.code, signal.Signals[f"SIG{sign}"]
    for moment in moments:
        after = moment * tried.seconds
        folder = _fresh(tried.prepared, tried.scratch)
        ended = signal_at(command, folder, number, after, _PATIENCE)
        problem = _problem(ended, code, number)
        if not problem:
            second = _again(command, folder)
            if second.returncode != code or "Traceback" in second.stderr:
                problem = f"again: {second.returncode}: {second.stderr[-_SHOWN:]}"
        if problem:
            problems.append(f"after {after:.3f} s: {problem}")
        if ended.code != code:
            yield ended.seconds


def _problem(ended: Ended, code: int, number: int) -> str:
    expected = {code, -number}
    if number in {signal.SIGINT, signal.SIGTERM}:
        expected.add(_INTERRUPTED)
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
