"""Source files of an agent, and the modules of its project that they import."""

from __future__ import annotations

import ast
import hashlib
import re
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

Code: TypeAlias = dict[str, str]
"""Parts of an agent's code by name - functions, constants, files, settings - each with a short hash."""

INTERPRETER = re.compile(
    r"(python|pypy|node|bun|deno|ruby|perl|php|java|bash|dash|zsh|sh|uv|poetry|env)[\d.]*"
)
_PROMPT_SUFFIXES = (".txt", ".md", ".j2", ".jinja", ".jinja2", ".prompt", ".prompty")
_STATE_SUFFIXES = (".db", ".sqlite", ".sqlite3", ".log", ".lock", ".pid")


class CodeFiles:
    """Files of an agent's code, with the files that they import or name.

    Args:
        folder: Folder to which names of files are relative.
    """

    def __init__(self, folder: Path) -> None:
        self.code: Code = {}
        self._folder = folder.resolve()
        self._seen = set[Path]()

    def add_named(self, path: Path) -> None:
        """Add a file that a command names, except the interpreter and files that the agent writes."""
        try:
            is_file = path.is_file()
        except (OSError, ValueError):  # not a valid file name
            return
        if is_file and path.suffix not in _STATE_SUFFIXES and not INTERPRETER.fullmatch(path.resolve().name):
            self.add(path)
        elif not is_file and (path / "__main__.py").is_file() and path.resolve() != self._folder:
            self.add(path / "__main__.py")

    def add_module(self, folder: Path, dotted: str) -> None:
        """Add a module in a folder, and the packages that contain it."""
        path = folder
        for name in dotted.split("."):
            path /= name
            for file in (path.with_name(f"{name}.py"), path / "__init__.py"):
                if file.is_file():
                    self.add(file, folder)

    def add(self, path: Path, root: Path | None = None) -> None:
        """Add a file; its modules are imported from ``root``, by default the folder it is in."""
        path = path.resolve()
        if path in self._seen or is_library(path):
            return
        self._seen.add(path)
        try:
            content = path.read_bytes()
        except OSError:  # unreadable, so its code stays unknown
            return
        name = path.relative_to(self._folder) if path.is_relative_to(self._folder) else path
        self.code[str(name)] = hash_of_part(content)
        if path.suffix == ".py":
            self.follow(parsed(content), path, (root or path.parent).resolve())

    def follow(self, tree: ast.AST | None, path: Path, root: Path) -> None:
        """Add neighbouring modules that a piece of source imports, and prompt files it names."""
        for node in () if tree is None else ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.add_module(root, alias.name)
            elif isinstance(node, ast.ImportFrom):
                # `from ..x import y` starts at the folder that many levels up.
                start_folder = path.parents[min(node.level, len(path.parents)) - 1] if node.level else root
                for alias in node.names:
                    self.add_module(
                        start_folder, f"{node.module}.{alias.name}" if node.module else alias.name
                    )
            # A text such as "prompts/system.txt" probably names a file that the agent reads.
            elif isinstance(node, ast.Constant) and str(node.value).endswith(_PROMPT_SUFFIXES):
                for folder in (path.parent, self._folder):
                    self.add_named(folder / str(node.value))


def code_of_command(words: Sequence[str], folder: Path) -> Code | None:
    """Return the code of a command, with modules next to its files, or None if it names no file."""
    files = CodeFiles(folder)
    for number, word in enumerate(words):
        for token in re.split(r"[\s;|&<>()=\"']+", word):
            if token:
                files.add_named(folder / token)
        if word == "-m" and number + 1 < len(words):
            files.add_module(folder, words[number + 1])
            files.add_module(folder, f"{words[number + 1]}.__main__")
    return files.code or None


def parsed(content: bytes) -> ast.AST | None:
    """Return the syntax tree of Python source, or None if it cannot be parsed."""
    try:
        return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def hash_of_part(content: bytes) -> str:
    """Return a short hash."""
    return hashlib.sha256(content).hexdigest()[:16]


_LIBRARY_FOLDERS = [
    Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")
]


def is_library(path: Path) -> bool:
    """Return whether a file belongs to Python or to an installed package."""
    installed = {"site-packages", "dist-packages"} & {*path.parts}
    return bool(installed) or any(path.is_relative_to(library) for library in _LIBRARY_FOLDERS)
