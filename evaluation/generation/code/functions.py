"""Code of a function: its source, and that of its dependencies in its project."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, cast

from .code_files import Code, CodeFiles, hash_of_part, parsed
from .source_code import CodePiece, PieceSource, Scope, file_of, is_foreign, names_read

_PLAIN_TYPES = (str, int, float, bool, bytes, type(None))


def code_of_function(function: Callable[..., Any]) -> Code | None:
    """Return the code of a callable and its dependencies in its project, or None if unknown.

    Values in a closure, a `functools.partial` or an object count if they are plain, such as texts and numbers.
    """
    walk = _Walk()
    walk.take(function)
    return walk.code or None


def changed_parts(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the names of parts that differ."""
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


class _Walk:
    """Walk from a callable to its dependencies in its project."""

    def __init__(self) -> None:
        self.code: Code = {}
        self._seen = set[object]()

    def take(self, thing: Any) -> None:
        """Take a callable and its dependencies."""
        if isinstance(thing, partial):
            call = cast("partial[Any]", thing)
            self.take(call.func)
            if self.code:
                self._keep_plain("arguments", {**dict(enumerate(call.args)), **call.keywords})
        elif isinstance(thing, FunctionType):
            self._take_source(inspect.unwrap(thing))
        elif isinstance(thing, type):
            self._take_source(thing)
        else:
            self._take_object(thing.__self__ if isinstance(thing, MethodType) else thing)

    def _take_object(self, thing: Any) -> None:
        """Take an object's class and its plain attributes, without those that its methods set."""
        kind = cast("type[Any]", thing if isinstance(thing, type) else type(thing))
        if is_foreign(kind):
            return
        self._take_source(kind)
        changing_attributes = PieceSource(kind).attributes_set
        state: dict[str, Any] = getattr(thing, "__dict__", {}) if thing is not kind else {}
        self._keep_plain(
            kind.__qualname__,
            {name: value for name, value in state.items() if name not in changing_attributes},
        )

    def _take_source(self, thing: Any) -> None:
        if not isinstance(thing, (FunctionType, type)) or thing in self._seen or is_foreign(thing):
            return
        self._seen.add(thing)
        source, name = PieceSource(thing), _name_of(thing)
        self.code[name] = hash_of_part(source.content)
        if isinstance(thing, FunctionType):
            defaults = dict(enumerate(thing.__defaults__ or ())) | (thing.__kwdefaults__ or {})
            self._keep_plain(f"defaults of {name}", defaults)
        for used_name in sorted(source.names):
            if used_name in source.closure:
                self._use_closure(used_name, source.closure[used_name], source.scope)
            else:
                self._use_global(used_name, source.scope)
        self._follow(source)

    def _follow(self, source: PieceSource) -> None:
        """Take the modules that are imported within a function."""
        file = source.scope.file
        if file is not None and source.tree is not None:
            package = str(source.scope.names.get("__package__") or "")
            files = CodeFiles(file.parent)
            files.follow(source.tree, file, file.parents[len(package.split(".")) if package else 0])
            self.code |= files.code

    def _use_closure(self, name: str, value: Any, scope: Scope) -> None:
        if not self._use(value, scope):
            self._keep_plain("", {name: value})

    def _use_global(self, name: str, scope: Scope) -> None:
        if name not in scope.names or self._use(scope.names[name], scope):
            return
        if (statement := scope.assignment(name)) is not None:
            if (scope.module, name) not in self._seen:
                self._seen.add((scope.module, name))
                content = statement.encode("utf-8", "surrogatepass")
                self.code[name] = hash_of_part(content)
                tree = parsed(content)
                for used_name in sorted(names_read(tree) if tree is not None else ()):
                    self._use_global(used_name, scope)
        elif scope.file is None:
            self._keep_plain("", {name: scope.names[name]})

    def _use(self, value: Any, scope: Scope) -> bool:
        """Take a module, function or class; return False for anything else."""
        if isinstance(value, ModuleType):
            self._take_module(value, scope)
        elif isinstance(value, (FunctionType, type)):
            if value.__module__ == scope.module:
                self._take_source(inspect.unwrap(value) if isinstance(value, FunctionType) else value)
            else:
                self._take_module(sys.modules.get(value.__module__), scope)
        else:
            return False
        return True

    def _take_module(self, module: ModuleType | None, scope: Scope) -> None:
        file = file_of(module)
        if module is None or file is None:
            return
        # Imports start at the folder that contains the module's top-level package.
        depth = module.__name__.count(".") + (file.name == "__init__.py")
        files = CodeFiles((scope.file or file).parent)
        files.add(file, file.parents[min(depth, len(file.parents) - 1)])
        self.code |= files.code

    def _keep_plain(self, where: str, values: Mapping[Any, Any]) -> None:
        for name, value in values.items():
            if isinstance(value, _PLAIN_TYPES):
                self.code[f"{where}: {name}" if where else str(name)] = hash_of_part(repr(value).encode())


def _name_of(thing: CodePiece) -> str:
    """Return the name of a function or class as a user writes it."""
    return thing.__qualname__.replace("<locals>.", "")
