"""Test every command on a disk that runs full at each of its writes.

    python benchmarks/full_disk.py --tries 8 (as root: it mounts a tmpfs)

A command for which the disk is full ends with one line that names the file; with room again the same command ends as it does on any disk.
Prints what went wrong otherwise: a traceback, another code, a second run that does not end as the first would have.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from commands import described

from every_command import COMMANDS, prepare, reply_of, run_to_end, words  # isort: skip - commands makes it importable
from provider_server import Answer, ProviderServer  # isort: skip - likewise

_DISK = 64 << 20
_BLOCK = 4096
_SHOWN = 600


def main() -> None:
    """Print a line a command, and what went wrong; exit with 1 where anything did."""
    parser = described(__doc__)
    parser.add_argument("--tries", type=int, default=8, help="for each command, each with other room")
    parser.add_argument("--only", nargs="+", default=[*COMMANDS])
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    wrong, draw = 0, random.Random(arguments.seed)  # noqa: S311 - room, no secrets
    with (
        TemporaryDirectory(prefix="full-disk-") as scratch,
        ProviderServer() as server,
        _mounted(Path(scratch, "disk")) as disk,
    ):
        server.script = lambda seen: Answer(reply_of(seen.text))
        prepared = Path(scratch, "prepared")
        prepared.mkdir()
        prepare(prepared)
        for name in arguments.only:
            problems = list[str]()
            command = words(COMMANDS[name], server.base_url)
            needed = _needed(command, prepared, disk)
            rooms = [draw.randrange(max(needed // _BLOCK, 1)) * _BLOCK for _ in range(arguments.tries)]
            full = sum(_try(command, prepared, disk, room, problems) for room in rooms)
            print(f"{name:22} writes {needed:10,} bytes; full in {full} of {len(rooms)} tries", flush=True)
            print("".join(f"    {problem}\n" for problem in problems), end="", flush=True)
            wrong += len(problems)
    print(f"{wrong} went wrong")
    sys.exit(bool(wrong))


@contextmanager
def _mounted(place: Path) -> Generator[Path]:
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "none", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def _free(disk: Path) -> int:
    found = os.statvfs(disk)
    return found.f_bavail * found.f_bsize


def _fresh(prepared: Path, disk: Path) -> Path:
    for path in disk.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return Path(shutil.copytree(prepared, disk / "work"))


def _run(command: list[str], disk: Path) -> subprocess.CompletedProcess[str]:
    places = {"TMPDIR": str(disk), "XDG_CACHE_HOME": str(disk / "cache")}
    return run_to_end(command, disk / "work", places)


def _needed(command: list[str], prepared: Path, disk: Path) -> int:
    _fresh(prepared, disk)
    before = _free(disk)
    _run(command, disk)
    return before - _free(disk)


def _try(command: list[str], prepared: Path, disk: Path, room: int, problems: list[str]) -> bool:
    """Run a command with ``room`` free bytes; return whether these were too few."""
    _fresh(prepared, disk)
    filler = disk / "filler"
    with filler.open("wb") as file:
        file.truncate(0)
        os.posix_fallocate(file.fileno(), 0, max(_free(disk) - room, 1))
    ended = _run(command, disk)
    filler.unlink()
    said = ended.stderr[-_SHOWN:]
    if ended.returncode not in {0, 2, 3} or "Traceback" in ended.stderr:
        problems.append(f"with {room:,} bytes: code {ended.returncode}: {said}")
    elif ended.returncode and "No space left" not in said and "full" not in said:
        problems.append(f"with {room:,} bytes: it does not say that the disk is full: {said}")
    else:
        again = _run(command, disk)
        if again.returncode:
            problems.append(f"with {room:,} bytes, then again with room: {again.stderr[-_SHOWN:]}")
    return ended.returncode != 0


if __name__ == "__main__":
    main()
