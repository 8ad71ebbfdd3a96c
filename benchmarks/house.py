"""How large the house is: files, lines, and how long functions are, room by room.

    python benchmarks/house.py [ROOM ...]

A room is a folder of the package; ``ROOM`` shows the folders in it. Functions are counted with their docstrings, methods and
nested functions by themselves.
"""

from __future__ import annotations

import ast
import math
import statistics
from collections.abc import Iterable
from pathlib import Path

from commands import described

_ROOT = Path(__file__).parents[1]
_NOT_ROOMS = {"build", "dist", "notebooks"}
_HEAD = ("room", "files", "lines", "functions", "median", "p95", "longest")


def function_lengths(source: str) -> list[int]:
    """Lines of each function of a module, decorators left out."""
    functions = (
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]


def row_of(name: str, files: Iterable[Path]) -> tuple[str, ...]:
    """One line of the table: a room and what is in it."""
    sources = [file.read_text(encoding="utf-8") for file in files]
    lengths = sorted(length for source in sources for length in function_lengths(source))
    lines = sum(source.count("\n") for source in sources)
    counts = (f"{len(sources):,}", f"{lines:,}", f"{len(lengths):,}")
    if not lengths:
        return (name, *counts, "-", "-", "-")
    percentile = lengths[math.ceil(0.95 * len(lengths)) - 1]
    return (name, *counts, f"{statistics.median(lengths):g}", f"{percentile}", f"{lengths[-1]}")


def rooms_of(folder: Path) -> dict[str, list[Path]]:
    """The Python files of each room in a folder, those that lie in none under ``.``."""
    found = {".": sorted(folder.glob("*.py"))}
    for room in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = sorted(room.rglob("*.py"))
        if files and not room.name.startswith(".") and room.name not in _NOT_ROOMS:
            found[room.name] = files
    return {name: files for name, files in found.items() if files}


def table_of(folder: Path, *, apart: tuple[str, ...] = ()) -> list[str]:
    """The table of a folder, with a sum of all rooms but those apart."""
    rooms = rooms_of(folder)
    house = [file for name, files in rooms.items() if name not in apart for file in files]
    rows = [
        _HEAD,
        *(row_of(name, files) for name, files in rooms.items() if name not in apart),
        row_of("all of these", house),
        *(row_of(name, rooms[name]) for name in apart if name in rooms),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    return [
        row[0].ljust(widths[0])
        + "".join(cell.rjust(width + 2) for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    ]


def main() -> None:
    """Print the table of the house, or those of some rooms."""
    parser = described(__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="such as calibration")
    arguments = parser.parse_args()
    for room in arguments.rooms:
        print("\n".join([f"{room}:", *table_of(_ROOT / room), ""]))
    if not arguments.rooms:
        print("\n".join(table_of(_ROOT, apart=("benchmarks", "tests"))))


if __name__ == "__main__":
    main()
