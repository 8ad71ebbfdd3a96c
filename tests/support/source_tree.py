"""Source of the package as text: docstrings, names and imports.

Used by tests and by `benchmarks/house.py`.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fiducial.cli.main import COMMANDS
from fiducial.records import KINDS

ROOT = Path(__file__).resolve().parents[2]
_NOT_PRODUCT = {"build", "dist", "notebooks", "tests", "benchmarks", "docs"}
MAX_SUMMARY_LENGTH = 90
# A summary is an imperative or a noun phrase; these begin a clause, or point elsewhere for their meaning.
POOR_BEGINNING = re.compile(r"(What|Who|Whom|Whose|Whether|How|It|The same|Nothing|All that)\b")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

_LISTED_JUDGES = frozenset({"api/demo.py"})
OTHER_MEANINGS: Mapping[str, frozenset[str]] = {
    "memory_answer": _LISTED_JUDGES,
    "web_search_answer": _LISTED_JUDGES,
    # The type of a part of a message, in other tools' forms.
    "tool_call": frozenset(
        {
            "formats/calls.py",
            "formats/framework_messages.py",
            "formats/message_parts.py",
            "formats/to_probes.py",
            "formats/traces/span_attributes.py",
        }
    ),
    # A group of BFCL's categories.
    "multi_turn": frozenset(
        {"formats/bfcl/categories.py", "evaluation/bfcl/aggregation.py", "evaluation/bfcl/score_lines.py"}
    ),
}
"""Files in which the word for a kind of case means something else."""


class Summary(NamedTuple):
    """The first line of a docstring, and where it stands."""

    file: Path
    line: int
    text: str


@cache
def product_files() -> tuple[Path, ...]:
    """Return every Python file of the package, tests and scripts left out."""
    return tuple(
        path
        for place in sorted(ROOT.iterdir())
        if place.name not in _NOT_PRODUCT and not place.name.startswith(".")
        for path in (sorted(place.rglob("*.py")) if place.is_dir() else [place] * (place.suffix == ".py"))
    )


@cache
def other_files() -> tuple[Path, ...]:
    """Return every Python file beside the package: tests, benchmarks, examples and scripts."""
    return tuple(
        path
        for name in ("tests", "benchmarks", "docs", "examples", ".ci")
        for path in sorted((ROOT / name).rglob("*.py"))
    )


def parsed(path: Path) -> ast.Module:
    """Return a file's syntax tree, which nothing keeps.

    With the trees of all files in memory, Python's garbage collection takes longer than to parse them.
    """
    return ast.parse(path.read_text(encoding="utf-8"))


def room(path: Path) -> str:
    """Return the top-level folder of a file, `.` for the root."""
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else "."


def summaries(path: Path) -> Iterator[Summary]:
    """Yield the summary of every documented module, class and function of a file."""
    left: list[ast.AST] = [parsed(path)]
    while left:
        node = left.pop()
        if isinstance(node, _DOCUMENTED) and (text := ast.get_docstring(node, clean=False)):
            line = 1 if isinstance(node, ast.Module) else node.lineno
            yield Summary(path, line, text.lstrip().partition("\n")[0].rstrip())
        left += _statements_in(node)


def _statements_in(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may hold a definition: statements, handlers and cases that stand in a node."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        held = getattr(node, name, None)  # a conditional expression has a body that is no list
        if isinstance(held, list):
            yield from held


def type_names() -> Mapping[str, list[Path]]:
    """Return the files that define each public class or type alias, by name."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in product_files():
        for node in parsed(path).body:
            name = _type_name(node)
            if name and not name.startswith("_"):
                found[name].append(path)
    return found


def _type_name(node: ast.stmt) -> str | None:
    """Return the name that a statement gives to a type, if it does."""
    if isinstance(node, ast.ClassDef):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        annotation = node.annotation
        return node.target.id if isinstance(annotation, ast.Name) and annotation.id == "TypeAlias" else None
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
        target = node.targets[0]
        return target.id if isinstance(target, ast.Name) and not target.id.isupper() else None
    return None


def names_annotated(type_name: str) -> Mapping[str, list[Path]]:
    """Return the files of each parameter or variable whose annotation names a type, by name."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in product_files():
        if type_name not in path.read_text(encoding="utf-8"):  # which is quicker than to parse it
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.arg):
                name, annotation = node.arg, node.annotation
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                name, annotation = node.target.id, node.annotation
            else:
                continue
            if annotation is not None and re.search(rf"\b{type_name}\b", ast.unparse(annotation)):
                found[name].append(path)
    return found


def function_names() -> Mapping[str, list[Path]]:
    """Return the files that define each public top-level function, by name."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in product_files():
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
                found[node.name].append(path)
    return found


def module_names() -> Mapping[str, list[Path]]:
    """Return the files of each module name; packages and `__main__` left out."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in product_files():
        if not path.stem.startswith("__"):
            found[path.stem].append(path)
    return found


def shared_module_names() -> Mapping[str, list[Path]]:
    """Return module names that stand in several folders, with their files.

    A command's module in `cli/` bears the command's name, as its group finds it by that, and so does the one of its settings; the
    one module below that does the command's work may have the same name.
    """
    found: dict[str, list[Path]] = {}
    for name, files in module_names().items():
        others = [file for file in files if file.parent != ROOT / "settings" / "verbs"]
        if len(others) > 1 and not (
            name in COMMANDS and len(others) == 2 and ROOT / "cli" / f"{name}.py" in others
        ):
            found[name] = others
    return found


@cache
def kinds_named() -> Mapping[str, list[Path]]:
    """Return the files that name each built-in kind, also in `OTHER_MEANINGS`."""
    found: dict[str, list[Path]] = defaultdict(list)
    word = re.compile(rf"\b(?:{'|'.join(KINDS)})\b")
    for path in product_files():
        if not word.search(path.read_text(encoding="utf-8")):  # which is quicker than to parse it
            continue
        constants = {node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant)}
        for kind in constants.intersection(KINDS):
            found[str(kind)].append(path)
    return found


def kinds_meant() -> Mapping[str, list[Path]]:
    """Return the files that name each built-in kind of case and mean it."""
    return {
        kind: [path for path in files if str(path.relative_to(ROOT)) not in OTHER_MEANINGS.get(kind, ())]
        for kind, files in kinds_named().items()
    }


def import_graph() -> dict[str, set[str]]:
    """Return the imports of each module, with those under `TYPE_CHECKING` and in functions."""
    modules = {_dotted(path): path for path in product_files()}
    return {name: set(_imports(name, path, modules)) for name, path in modules.items()}


def import_circles() -> list[list[str]]:
    """Return groups of modules that import each other, largest first."""
    graph = import_graph()
    names = sorted(graph)
    place = {name: number for number, name in enumerate(names)}
    edges = [(place[name], place[target]) for name in names for target in graph[name]]
    matrix = coo_array(([1] * len(edges), tuple(zip(*edges, strict=True))), shape=(len(names), len(names)))
    groups: dict[int, list[str]] = defaultdict(list)
    for name, label in zip(names, connected_components(matrix, connection="strong")[1], strict=True):
        groups[int(label)].append(name)
    return sorted((group for group in groups.values() if len(group) > 1), key=len, reverse=True)


def imported_by_one_neighbour() -> list[str]:
    """Return modules that are imported by a single module, which lies in the same folder."""
    importers: dict[str, set[str]] = defaultdict(set)
    for name, targets in import_graph().items():
        for target in targets:
            importers[target].add(name)
    return sorted(
        target
        for target, names in importers.items()
        if len(names) == 1 and min(names).rpartition(".")[0] == target.rpartition(".")[0]
    )


def _dotted(path: Path) -> str:
    parts = ("fiducial", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    """Yield the modules of the package that one module imports, itself left out."""
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            candidates = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            inner = [f"{stem}.{alias.name}" for alias in node.names]
            candidates = [each for each in inner if each in modules] or [stem]
        else:
            continue
        yield from (candidate for candidate in candidates if candidate in modules and candidate != name)
