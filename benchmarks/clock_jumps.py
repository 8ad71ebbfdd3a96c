"""Test every command with a clock that jumps by years each time it is read.

    python benchmarks/clock_jumps.py (needs a C compiler)

Prints what went wrong: another exit code or other files and rows than with a steady clock, a traceback, or a command that waits.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import described

from every_command import COMMANDS, Shape, jumping_clock, prepare, reply_of, run_to_end, shape_of, words  # isort: skip - commands makes it importable
from provider_server import Answer, ProviderServer, Seen, Status  # isort: skip - likewise

_PATIENCE = 120.0
_SHOWN = 800
_LATER = {"Retry-After": "Mon, 23 Nov 2026 00:00:01 GMT", "Date": "Mon, 23 Nov 2026 00:00:00 GMT"}


def main() -> None:
    """Print a line a command; exit with 1 where anything went wrong."""
    parser = described(__doc__)
    parser.add_argument("--only", nargs="+", default=[*COMMANDS])
    arguments = parser.parse_args()
    wrong = 0
    with TemporaryDirectory(prefix="clock-jumps-") as scratch, ProviderServer() as server:
        server.script = _at_times_busy
        prepared = Path(scratch, "prepared")
        prepared.mkdir()
        prepare(prepared)
        jumps = jumping_clock(Path(scratch))
        if jumps is None:
            sys.exit("no C compiler")
        for name in arguments.only:
            command = words(COMMANDS[name], server.base_url)
            steady, jumping = (_run(command, prepared, Path(scratch, "tried"), more) for more in ({}, jumps))
            problem = (
                "" if steady[:2] == jumping[:2] and "Traceback" not in jumping[2] else jumping[2][-_SHOWN:]
            )
            print(
                f"{name:22} {'as with a steady clock' if not problem else f'{jumping[0]} in place of {steady[0]}: {problem}'}",
                flush=True,
            )
            wrong += bool(problem)
    print(f"{wrong} went wrong")
    sys.exit(bool(wrong))


def _at_times_busy(seen: Seen) -> Answer | Status:
    if seen.attempt == 1 and seen.messages[-1]["content"].count("a") % 50 == 0:
        return Status(429, headers=_LATER)
    return Answer(reply_of(seen.text))


def _run(command: list[str], prepared: Path, folder: Path, more: dict[str, str]) -> tuple[int, Shape, str]:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(prepared, folder)
    try:
        ended = run_to_end(command, folder, more, patience=_PATIENCE)
    except subprocess.TimeoutExpired:
        return -1, {}, "it does not end"
    return ended.returncode, shape_of(folder), ended.stderr


if __name__ == "__main__":
    main()
