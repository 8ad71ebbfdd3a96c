"""Source of one piece of an agent (function, class or assignment), and the names it uses."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeAlias, cast

from .code_files import is_library, parsed

CodePiece: TypeAlias = "FunctionType | type[Any]"
"""What has a source of its own."""

_OURS = __name__.partition(".")[0]
_MAKING = ("__init__", "__new__", "__post_init__")


class Scope(NamedTuple):
    """Namespace in which names of a module are looked up."""

    module: str
    names: Mapping[str, Any]

    @property
    def file(self) -> Path | None:
        """The module's file; None of what was typed into a notebook."""
        name = self.names.get("__file__")
        found = Path(name).resolve() if isinstance(name, str) else None
        return found if found is not None and found.suffix == ".py" and found.is_file() else None

    def assignment(self, name: str) -> str | None:
        """Return the statement that sets a constant of the module."""
        return None if self.file is None else _assignments(self.file.read_bytes()).get(name)


class PieceSource:
    """The source of a function or a class, and what its names stand for."""

    def __init__(self, of: CodePiece) -> None:
        self._of = of
        self._code: CodeType | None = getattr(of, "__code__", None)
        owner = sys.modules.get(of.__module__)
        names = of.__globals__ if isinstance(of, FunctionType) else vars(owner) if owner else {}
        self.scope = Scope(of.__module__, names)
        self.closure = dict(_cells(of)) if isinstance(of, FunctionType) else dict[str, Any]()

    @cached_property
    def text(self) -> str | None:
        """The text; None if it has none of its own, such as a lambda within a call."""
        if self._of.__name__ == "<lambda>":
            return None
        try:
            return textwrap.dedent(inspect.getsource(self._of)).strip()
        except (OSError, TypeError):
            return None

    @cached_property
    def tree(self) -> ast.AST | None:
        """The text, parsed."""
        return None if self.text is None else parsed(self.text.encode("utf-8", "surrogatepass"))

    @property
    def content(self) -> bytes:
        """The text, or the code that it was compiled to."""
        if self.text is not None:
            return self.text.encode("utf-8", "surrogatepass")
        return b"" if self._code is None else _compiled(self._code).encode("utf-8", "surrogatepass")

    @property
    def names(self) -> set[str]:
        """Names that it reads."""
        if self.tree is not None:
            return names_read(self.tree)
        return set() if self._code is None else {*_names_in(self._code), *self._code.co_freevars}

    @property
    def counted(self) -> set[str]:
        """Attributes of a class that methods other than its constructor set."""
        methods = [
            node
            for node in ast.walk(self.tree or ast.Module([], []))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name not in _MAKING
        ]
        nodes = [node for method in methods for node in ast.walk(method)]
        return {
            node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }


def names_read(tree: ast.AST) -> set[str]:
    """Return the names that a piece of source reads, without those declared ``global``.

    Names declared ``nonlocal`` are excluded, too.
    """
    nodes = [*ast.walk(tree)]
    declared = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return read - declared


def file_of(module: ModuleType | None) -> Path | None:
    """Return the source file of a module of the user's project; None of any other."""
    name = getattr(module, "__file__", None)
    if module is None or is_ours(module.__name__) or not isinstance(name, str) or not name.endswith(".py"):
        return None
    found = Path(name).resolve()
    return None if is_library(found) else found


def is_foreign(thing: CodePiece) -> bool:
    """Return whether something belongs to Python, to an installed package, or to this one."""
    module = thing.__module__ or ""  # exec gives a function none if its globals have no __name__
    if module == "builtins" or is_ours(module):
        return True
    if isinstance(thing, FunctionType):
        return is_library(Path(thing.__code__.co_filename).resolve())
    name = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(name, str) and is_library(Path(name).resolve())


def is_ours(module: str) -> bool:
    """Return whether a module is of this package."""
    return module.partition(".")[0] == _OURS


@lru_cache(maxsize=8)
def _assignments(content: bytes) -> dict[str, str]:
    text = content.decode("utf-8", "replace")
    found = dict[str, str]()
    for node in ast.iter_child_nodes(parsed(content) or ast.Module([], [])):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            said = ast.get_source_segment(text, node) or ""
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            found |= {each.id: said for each in names}
    return found


def _cells(function: FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # nothing is in it yet
            continue


def _names_in(code: CodeType) -> set[str]:
    inner = [_names_in(each) for each in code.co_consts if isinstance(each, CodeType)]
    return {*code.co_names}.union(*inner)


def _compiled(code: CodeType) -> str:
    constants = [
        _compiled(each) if isinstance(each, CodeType) else _constant(each) for each in code.co_consts
    ]
    return repr((code.co_code, code.co_names, code.co_varnames, constants))


def _constant(value: Any) -> str:
    """Return a constant as text, stable across processes: sets have no fixed order."""
    return (
        repr(sorted(map(repr, cast("frozenset[Any]", value))))
        if isinstance(value, frozenset)
        else repr(value)
    )
