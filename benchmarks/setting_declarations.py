"""Counts of declared settings, of options in the core, and of expressions over messages."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from fiducial.settings.setting import DeclaredSettings

SURFACES = {"cli", "api", "settings", "report", "pytest_plugin.py", "tests", "benchmarks", "docs", "examples"}
"""Rooms that speak to users: the core is the rest."""

_OF_AGENTS = "generation"
"""Folder whose commands are those of users' agents."""

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def declarations(files: Iterable[Path], names: Iterable[str]) -> Counter[str]:
    """Count the declarations of each setting: fields of classes, and options.

    Parameters of functions are signatures, which are written by hand, and do not count.
    """
    found = Counter(dict.fromkeys(names, 0))
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found.update(name for name in _declared(node) if name in found)
    return found


def _declared(node: ast.AST) -> Iterator[str]:
    """Yield the settings that a class declares as fields, or a call as an option."""
    if isinstance(node, ast.ClassDef):
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                yield each.target.id
    if isinstance(node, ast.Call) and ast.unparse(node.func) in {"option", "click.option"}:
        texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        if texts and isinstance(texts[0], str) and texts[0].startswith("-"):
            yield str(texts[-1]).lstrip("-").replace("-", "_")


def option_literals(files: Iterable[Path], options: set[str]) -> int:
    """Count texts that write an option of ours, docstrings left out."""
    return sum(
        bool(options & {*_OPTION.findall(text)})
        for path in files
        for text in _texts(ast.parse(path.read_text(encoding="utf-8")))
    )


def _texts(tree: ast.Module) -> Iterator[str]:
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value


def commands_read_back(files: Iterable[Path]) -> int:
    """Count the places that read a command, or what to set, out of a text."""
    return sum(
        isinstance(node, ast.Call) and _reads_commands(node)
        for path in files
        if _OF_AGENTS not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def _reads_commands(call: ast.Call) -> bool:
    """Return whether a call splits a command, or is an expression over commands."""
    function = ast.unparse(call.func)
    if function == "shlex.split":
        return True
    pattern = ast.unparse(call.args[0]) if call.args else ""
    return function in {"re.compile", "re.sub"} and ("fiducial " in pattern or "--m" in pattern)


def locals_gathered(files: Iterable[Path]) -> int:
    """Count the functions that gather their arguments by ``locals()``."""
    return sum(
        isinstance(node, ast.Call) and ast.unparse(node.func) == "locals"
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def expressions_over_messages(source: str) -> int:
    """Count the regular expressions of a module that holds errors."""
    return sum(
        isinstance(node, ast.Call) and ast.unparse(node.func) in {"re.compile", "re.sub"}
        for node in ast.walk(ast.parse(source))
    )


def verbs_in(module: str) -> list[type[DeclaredSettings]]:
    """Return the verbs that a module of `settings/verbs/` declares."""
    found = vars(import_module(f"fiducial.settings.verbs.{module}"))
    return [
        each
        for each in found.values()
        if isinstance(each, type) and issubclass(each, DeclaredSettings) and each.__module__.endswith(module)
    ]
