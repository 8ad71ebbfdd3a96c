"""Measure the source: sizes, docstrings, names, imports, files touched, words of the docs.

    python benchmarks/house.py [FOLDER ...]

``FOLDER`` shows the sizes of the folders in it. Functions are counted with their docstrings, methods and nested functions by
themselves; benchmarks/paths.py says when a file counts as executed. A module name that a command in `cli/` shares with the one
module that does its work counts once.
"""

from __future__ import annotations

import ast
import io
import math
import re
import statistics
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import paths
from commands import described
from run_types import types_of_a_run
from setting_declarations import (
    SURFACES,
    commands_read_back,
    declarations,
    expressions_over_messages,
    locals_gathered,
    option_literals,
    verbs_in,
)
from source_tree import (
    MAX_SUMMARY_LENGTH,
    POOR_BEGINNING,
    function_names,
    import_circles,
    imported_by_one_neighbour,
    kinds_meant,
    kinds_named,
    product_files,
    shared_module_names,
    summaries,
    type_names,
)
from value_names import names_on_the_way

from fiducial.settings.access_settings import AccessSettings
from fiducial.settings.judging_settings import JudgingSettings, JurySettings
from fiducial.settings.setting import names_of, verb_settings

_ROOT = Path(__file__).parents[1]
_NOT_ROOMS = {"build", "dist", "notebooks"}
_DIRECTIVE = re.compile(r"# *(noqa|type:|pyright:|ruff:|fmt:|pragma)")
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


def _pages() -> Iterator[Path]:
    """Yield the pages of the docs; decisions are history."""
    return (page for page in (_ROOT / "docs").rglob("*.md") if page.parent.name != "decisions")


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


def readability() -> Iterator[tuple[str, str]]:
    """Yield what is measured about words, names and imports, and its value."""
    lines = [summary.text for path in product_files() for summary in summaries(path)]
    long = sum(len(line) > MAX_SUMMARY_LENGTH for line in lines)
    poor = sum(bool(POOR_BEGINNING.match(line)) for line in lines)
    yield f"docstring summaries over {MAX_SUMMARY_LENGTH} characters", _share(long, len(lines))
    yield "summaries that begin with What, Who, Whether, How, It, The same", _share(poor, len(lines))
    yield "type names with several meanings", f"{sum(len(name) > 1 for name in type_names().values())}"
    yield "functions called `find`", f"{len(function_names().get('find', ()))}"
    yield "module names in several folders", f"{len(shared_module_names())}"
    yield "files that name a kind of case (fewest, most)", _fewest_and_most(kinds_meant())
    yield "files with the name of a kind, whatever it means (fewest, most)", _fewest_and_most(kinds_named())
    circles = import_circles()
    largest = f" (largest: {len(circles[0])} files)" if circles else ""
    yield "circles of imports, TYPE_CHECKING included", f"{len(circles)}{largest}"
    words = [word for page in _pages() for word in page.read_text(encoding="utf-8").split()]
    lettered = sum(any(map(str.isalpha, word)) for word in words)
    yield "words of the docs without decisions, of which with a letter", f"{len(words):,}, {lettered:,}"
    counts = ", ".join(str(len(name)) for name in names_on_the_way().values())
    yield "names of all options, and of one option's value, from the command line to the plan", counts
    yield from _modules()
    yield "record types that a run passes, from options to report", f"{len(types_of_a_run())}"
    yield from _settings()
    for command, touched in paths.measured():
        yield (
            f"`{command}` of two outputs: files executed, modules loaded",
            f"{touched.executed}, {touched.loaded}",
        )


def _modules() -> Iterator[tuple[str, str]]:
    """Yield counts of modules, of names that say nothing, and of comments."""
    modules = [path for path in product_files() if not path.stem.startswith("__")]
    sources = [path.read_text(encoding="utf-8") for path in modules]
    lines = [source.count("\n") for source in sources]
    yield (
        "modules, of which under 50 lines, over 400 lines",
        ", ".join(
            f"{count:,}"
            for count in (len(modules), sum(map((50).__gt__, lines)), sum(map((400).__lt__, lines)))
        ),
    )
    yield "modules that a single module of their own folder imports", f"{len(imported_by_one_neighbour())}"
    yield "loop variables called `each`", f"{sum(map(_loops_over_each, sources)):,}"
    comments = sum(map(_comments, sources))
    yield "comments, and lines for each", f"{comments:,}, {sum(lines) / comments:.0f}"


def _loops_over_each(source: str) -> int:
    loops = (
        node.target
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension)
    )
    return sum(isinstance(name, ast.Name) and name.id == "each" for loop in loops for name in ast.walk(loop))


def _comments(source: str) -> int:
    """Count comments, leaving out directives to linters and type checkers."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(token.type == tokenize.COMMENT and not _DIRECTIVE.match(token.string) for token in tokens)


def _settings() -> Iterator[tuple[str, str]]:
    """Yield counts of the declarations of settings, and of options that the core writes."""
    verbs = [
        verb
        for path in sorted((_ROOT / "settings" / "verbs").glob("[a-z]*.py"))
        for verb in verbs_in(path.stem)
    ]
    settings = [each for verb in verbs for each in verb_settings(verb)]
    files = [
        path for path in product_files() if path.relative_to(_ROOT).parts[0] in {"api", "cli", "settings"}
    ]
    core = [path for path in product_files() if path.relative_to(_ROOT).parts[0] not in SURFACES]
    shared = {name for part in (AccessSettings, JudgingSettings, JurySettings) for name in names_of(part)}
    counts = declarations(files, shared).values()
    yield (
        "declarations of a setting of access, judging and juries in api/, cli/ and settings/: mean, most",
        f"{statistics.mean(counts):.1f}, {max(counts)}",
    )
    yield (
        "texts of the core that write an option",
        f"{option_literals(core, {setting.option for setting in settings})}",
    )
    shown = [path for path in product_files() if path.relative_to(_ROOT).parts[0] in {"api", "report"}]
    yield (
        "texts of report/ and api/ that write an option",
        f"{option_literals(shown, {setting.option for setting in settings})}",
    )
    yield "places that read a command out of a text", f"{commands_read_back(product_files())}"
    yield "functions of api/ that gather arguments by locals()", f"{locals_gathered(files)}"
    yield (
        "regular expressions in errors.py",
        f"{expressions_over_messages((_ROOT / 'errors.py').read_text())}",
    )


def _fewest_and_most(files: Mapping[str, list[Path]]) -> str:
    counts = [len(file) for file in files.values()]
    return f"{min(counts)}, {max(counts)}"


def _share(count: int, total: int) -> str:
    return f"{count / total:.1%} ({count} of {total})"


def main() -> None:
    """Print sizes by folder and measures of readability, or sizes of some folders only."""
    parser = described(__doc__)
    parser.add_argument("rooms", nargs="*", metavar="FOLDER", help="such as calibration")
    arguments = parser.parse_args()
    for room in arguments.rooms:
        print("\n".join([f"{room}:", *table_of(_ROOT / room), ""]))
    if not arguments.rooms:
        print("\n".join(table_of(_ROOT, apart=("benchmarks", "tests"))))
        print()
        for name, value in readability():
            print(f"{name}: {value}")


if __name__ == "__main__":
    main()
