"""Source of a piece of an agent (function, class or assignment), and the names it uses."""

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
"""A function or a class, which have source code."""

_THIS_PACKAGE = __name__.partition(".")[0]
_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")


class Scope(NamedTuple):
    """Namespace in which names of a module are looked up."""

    module: str
    names: Mapping[str, Any]

    @property
    def file(self) -> Path | None:
        """The module's source file, or None if there is none, as in a notebook."""
        name = self.names.get("__file__")
        file = Path(name).resolve() if isinstance(name, str) else None
        return file if file is not None and file.suffix == ".py" and file.is_file() else None

    def assignment(self, name: str) -> str | None:
        """Return the statement that assigns a name in the module, or None if there is none."""
        return None if self.file is None else _assignments_in(self.file.read_bytes()).get(name)


class PieceSource:
    """The source of a function or a class, and the scope of its names."""

    def __init__(self, of: CodePiece) -> None:
        self._of = of
        self._code: CodeType | None = getattr(of, "__code__", None)
        owner = sys.modules.get(of.__module__)
        names = of.__globals__ if isinstance(of, FunctionType) else vars(owner) if owner else {}
        self.scope = Scope(of.__module__, names)
        self.closure = dict(_closure_values(of)) if isinstance(of, FunctionType) else dict[str, Any]()

    @cached_property
    def text(self) -> str | None:
        """The source text, or None if there is none, or for a lambda."""
        if self._of.__name__ == "<lambda>":
            return None
        try:
            return textwrap.dedent(inspect.getsource(self._of)).strip()
        except (OSError, TypeError):
            return None

    @cached_property
    def tree(self) -> ast.AST | None:
        """The syntax tree of the text."""
        return None if self.text is None else parsed(self.text.encode("utf-8", "surrogatepass"))

    @property
    def content(self) -> bytes:
        """The source text, or else the compiled code, as bytes."""
        if self.text is not None:
            return self.text.encode("utf-8", "surrogatepass")
        return b"" if self._code is None else _compiled_text(self._code).encode("utf-8", "surrogatepass")

    @property
    def names(self) -> set[str]:
        """Names that the source reads."""
        if self.tree is not None:
            return names_read(self.tree)
        return set() if self._code is None else {*_names_in(self._code), *self._code.co_freevars}

    @property
    def attributes_set(self) -> set[str]:
        """Attributes of a class that methods other than its constructor set, such as counters."""
        methods = [
            node
            for node in ast.walk(self.tree or ast.Module([], []))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name not in _CONSTRUCTORS
        ]
        nodes = [node for method in methods for node in ast.walk(method)]
        return {
            node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }


def names_read(tree: ast.AST) -> set[str]:
    """Return the names that a piece of source reads, except ``global`` and ``nonlocal`` ones."""
    nodes = [*ast.walk(tree)]
    names_declared = {
        name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names
    }
    names_loaded = {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return names_loaded - names_declared


def file_of(module: ModuleType | None) -> Path | None:
    """Return the source file of a module of the user's project, or None for other modules."""
    name = getattr(module, "__file__", None)
    if module is None or is_ours(module.__name__) or not isinstance(name, str) or not name.endswith(".py"):
        return None
    file = Path(name).resolve()
    return None if is_library(file) else file


def is_foreign(thing: CodePiece) -> bool:
    """Return whether something belongs to Python, to an installed package, or to this one."""
    module = thing.__module__ or ""  # None for a function made by exec without __name__ in its globals
    if module == "builtins" or is_ours(module):
        return True
    if isinstance(thing, FunctionType):
        return is_library(Path(thing.__code__.co_filename).resolve())
    name = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(name, str) and is_library(Path(name).resolve())


def is_ours(module: str) -> bool:
    """Return whether a module is of this package."""
    return module.partition(".")[0] == _THIS_PACKAGE


@lru_cache(maxsize=8)
def _assignments_in(content: bytes) -> dict[str, str]:
    """Return the statement that assigns each top-level name of a module."""
    text = content.decode("utf-8", "replace")
    statements = dict[str, str]()
    for node in ast.iter_child_nodes(parsed(content) or ast.Module([], [])):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            statement = ast.get_source_segment(text, node) or ""
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [
                target_node
                for target in targets
                for target_node in ast.walk(target)
                if isinstance(target_node, ast.Name)
            ]
            statements |= {name.id: statement for name in names}
    return statements


def _closure_values(function: FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # nothing is in it yet
            continue


def _names_in(code: CodeType) -> set[str]:
    names_of_inner = [_names_in(const) for const in code.co_consts if isinstance(const, CodeType)]
    return {*code.co_names}.union(*names_of_inner)


def _compiled_text(code: CodeType) -> str:
    constants = [
        _compiled_text(const) if isinstance(const, CodeType) else _constant_text(const)
        for const in code.co_consts
    ]
    return repr((code.co_code, code.co_names, code.co_varnames, constants))


def _constant_text(value: Any) -> str:
    """Return a constant as text, stable across processes: sets have no fixed order."""
    return (
        repr(sorted(map(repr, cast("frozenset[Any]", value))))
        if isinstance(value, frozenset)
        else repr(value)
    )
