"""Plant 60 faults in copies of the source, one at a time, and count those that tests notice.

    python benchmarks/source_mutants.py [--rooms calibration report] [--numbers 7 8] [--workers 2]
    python benchmarks/source_mutants.py --random MODULE [MODULE ...] --python PYTHON [--each 12] [--seed 1]

benchmarks/source_mutants.toml lists the faults, each with the test file that should notice it. Its folder is tried where the file does
not; tests marked ``slow`` or ``reference`` are left out. A test counts only if it passes without the fault. ``--random`` draws
mutants of modules instead (benchmarks/random_mutants.py), in an environment with cosmic-ray and msgspec; ``--python`` has the tests.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple

import msgspec
from msgspec.structs import replace
from mutated_copy import ROOT, MutatedCopy, mutated_copy

LIST = Path(__file__).with_suffix(".toml")
_TOP = "top level"
_HEAD = ("room", "faults", "by the file", "by the folder", "by nobody")


class Fault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change of the source that tests should notice.

    Attributes:
        file: The module.
        before: Text that stands once in the module.
        after: Its replacement.
        tests: The test file that should notice it.
        wrong: What goes wrong.
        folder: The tests that should notice it otherwise; empty for the folder of ``tests``.
        ten: Whether it is one of those that no test noticed when they were first planted.
        left: Why it is left if nobody notices it.
        number: Its position in the list, from 1.
    """

    file: str
    before: str
    after: str
    tests: str
    wrong: str
    folder: list[str] = []
    ten: bool = False
    left: str = ""
    number: int = 0

    @property
    def room(self) -> str:
        """Folder of the module below the root."""
        return self.file.partition("/")[0] if "/" in self.file else _TOP

    @property
    def others(self) -> list[str]:
        """The tests that should notice it if ``tests`` do not."""
        return self.folder or [str(Path(self.tests).parent)]

    def planted_in(self, source: str) -> str:
        """Return the module's text with the fault."""
        if source.count(self.before) != 1:
            raise ValueError(f"{self.file} has the text {source.count(self.before)} times: {self.before}")
        return source.replace(self.before, self.after)


class Found(NamedTuple):
    """Where a fault was noticed: ``file``, ``folder`` or ``nobody``, and the test."""

    fault: Fault
    where: str
    test: str = ""


def listed_faults() -> list[Fault]:
    """Read the fixed list."""
    faults = msgspec.convert(tomllib.loads(LIST.read_text(encoding="utf-8"))["fault"], list[Fault])
    return [replace(fault, number=number) for number, fault in enumerate(faults, start=1)]


def plant(copy: MutatedCopy, fault: Fault, python: str = sys.executable) -> Found:
    """Return where a fault is noticed."""
    source = fault.planted_in((copy.root / fault.file).read_text(encoding="utf-8"))
    for where, tests in (("file", [fault.tests]), ("folder", fault.others)):
        test = copy.noticing_test(fault.file, source, tests, python)
        if test is not None:
            return Found(fault, where, test)
    return Found(fault, "nobody")


def plant_all(faults: Iterable[Fault], workers: int) -> list[Found]:
    """Plant each fault by itself, and print what comes of it."""
    waiting: SimpleQueue[Fault] = SimpleQueue()
    for fault in faults:
        waiting.put(fault)

    def work(_: int) -> list[Found]:
        found: list[Found] = []
        with mutated_copy() as copy:
            for fault in _taken(waiting):
                found.append(plant(copy, fault))
                print(_line(found[-1]), flush=True)
        return found

    with ThreadPoolExecutor(workers) as pool:
        try:
            found = [each for some in pool.map(work, range(workers)) for each in some]
        finally:
            list(_taken(waiting))  # after Ctrl-C the workers end with the fault at hand
    return sorted(found, key=lambda each: each.fault.number)


def _taken(waiting: SimpleQueue[Fault]) -> Iterator[Fault]:
    """Yield what is left of a queue, which others empty too."""
    with suppress(Empty):
        while True:
            yield waiting.get_nowait()


def _line(found: Found) -> str:
    fault = found.fault
    told = found.test or fault.left or fault.wrong
    return f"{fault.number:2d} {fault.file}: {found.where}{' (of the ten)' if fault.ten else ''}: {told}"


def table(found: Sequence[Found]) -> str:
    """Return the counts by room as a table in Markdown."""
    lines = [f"| {' | '.join(_HEAD)} |", "| --- |" + " ---: |" * (len(_HEAD) - 1)]
    for room in [*dict.fromkeys(each.fault.room for each in found), "all"]:
        where = Counter(each.where for each in found if room in {"all", each.fault.room})
        numbers = (where.total(), where["file"], where["folder"], where["nobody"])
        lines.append(f"| {room} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines)


def main() -> None:
    """Plant the faults of the list, or random ones."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rooms", nargs="+", help="rooms whose faults are planted; all by default")
    parser.add_argument(
        "--numbers", nargs="+", type=int, help="faults to plant, by their position in the list"
    )
    parser.add_argument("--workers", type=int, default=2, choices=(1, 2))
    parser.add_argument("--random", nargs="+", metavar="MODULE", help="draw mutants of these modules instead")
    parser.add_argument("--python", default=sys.executable, help="interpreter of the random mutants' tests")
    parser.add_argument("--each", type=int, default=12, help="random mutants of a module")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.random:
        from random_mutants import try_modules  # noqa: PLC0415 - cosmic-ray, which the fixed list does not need

        try_modules(arguments.random, python=arguments.python, each=arguments.each, seed=arguments.seed)
        return
    faults = [
        listed_fault
        for listed_fault in listed_faults()
        if (arguments.rooms is None or listed_fault.room in arguments.rooms)
        and (arguments.numbers is None or listed_fault.number in arguments.numbers)
    ]
    for fault in faults:
        fault.planted_in((ROOT / fault.file).read_text(encoding="utf-8"))
    print(f"\n{table(plant_all(faults, arguments.workers))}")


if __name__ == "__main__":
    main()
