"""Plugins from decorators, entry points of installed packages, and users' files.

Each kind of plugin has a group, a mapping from names to registered objects. Nothing is searched before a name is requested,
and only what has that name is imported, so that a broken package stops only its users.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

from .errors import ConfigurationError, UsageError
from .spelling import setting

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

_NAME = re.compile(r"[^\W_][\w.\-]*")
_MAX_REPR_LENGTH = 80
"""Characters of a rejected object that a message shows."""


class Plugin(NamedTuple):
    """One plugin, with its source and its problem, if any.

    Attributes:
        group: The group's name, such as ``checkers``.
        name: Its name in the group.
        source: Its origin.
        problem: Why it cannot be used, or None if it can.
    """

    group: str
    name: str
    source: str
    problem: str | None = None


@dataclass(eq=False, repr=False)
class Group(Mapping[str, Any]):
    """Plugins of one kind by name; a decorator takes precedence over an entry point.

    Args:
        name: The group's name; entry points name it ``fiducial.NAME``.
        holds: Description of its plugins, for people.
        accepts: Function that returns whether an object fits the group.
    """

    name: str
    holds: str
    accepts: Callable[[Any], bool] = callable
    _registered: dict[str, Any] = field(default_factory=dict[str, Any], init=False)

    def register(self, name: str, target: Any) -> None:
        """Register a plugin.

        Args:
            name: Its name. A new definition in the same place, as in a notebook's cell, replaces the old one.
            target: The registered object.

        Raises:
            ConfigurationError: The target does not fit the group, or the name is invalid or taken.
        """
        if not isinstance(name, str) or not _NAME.fullmatch(name):  # pyright: ignore[reportUnnecessaryIsInstance] - callers need not check types
            raise ConfigurationError(
                f"{self.name}: {name!r} is not a name: letters, digits, and _ - . after the first"
            )
        if not self.accepts(target):
            raise ConfigurationError(f"{self.name}: {name!r}: {self._mismatch(target)}")
        earlier = self._registered.get(name)
        if earlier is not None and place(earlier) != place(target):
            raise ConfigurationError(
                f"{self.name}: the name {name!r} is taken by {place(earlier)}, and {place(target)} uses it, too"
            )
        self._registered[name] = target

    def is_decorated(self, name: str) -> bool:
        """Return whether a decorator registered a name, rather than an entry point."""
        return name in self._registered

    def registering(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers its target under a name."""
        self.require_no_bare_name(name)

        def add(target: T) -> T:
            self.register(name, target)
            return target

        return add

    def require_no_bare_name(self, name: object) -> None:
        """Refuse a decorator that was given no name: it would register nothing.

        Raises:
            ConfigurationError: The function stands where the name belongs.
        """
        if callable(name):
            example = getattr(name, "__name__", "NAME")
            raise ConfigurationError(f'{self.name}: the decorator needs a name in brackets: ("{example}")')

    def __getitem__(self, name: str) -> Any:
        if name not in self._registered:
            points = self._installed.get(name)
            if points is None:
                raise KeyError(name)
            target, problem = self._load(name, points)
            if problem is not None:
                raise ConfigurationError(
                    f"{name!r} of fiducial.{self.name} ({_source(points)}) cannot be used: {problem}"
                )
            return target
        return self._registered[name]

    def __contains__(self, name: object) -> bool:
        return name in self._registered or name in self._installed

    def __iter__(self) -> Iterator[str]:
        yield from self._registered
        yield from (name for name in self._installed if name not in self._registered)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def load_all(self) -> list[Plugin]:
        """Load and return every plugin, with the problems of those that fail."""
        # Loading a module runs its decorators, so entry points are loaded before registered names are listed.
        plugins = {
            name: Plugin(self.name, name, _source(points), self._load(name, points)[1])
            for name, points in self._installed.items()
        }
        for name, target in self._registered.items():
            if name not in plugins or plugins[name].problem is not None:
                plugins[name] = Plugin(self.name, name, place(target))
        return [plugins[name] for name in sorted(plugins)]

    def loaded(self) -> tuple[dict[str, Any], list[Plugin]]:
        """Return every usable plugin by name, and every unusable one with the reason.

        For uses that need the whole group.
        """
        plugins = self.load_all()
        usable = {plugin.name: self[plugin.name] for plugin in plugins if plugin.problem is None}
        return usable, [plugin for plugin in plugins if plugin.problem is not None]

    @cached_property
    def _installed(self) -> dict[str, list[EntryPoint]]:
        from importlib.metadata import entry_points  # noqa: PLC0415 - takes 20 ms, and most runs need none

        points: dict[str, list[EntryPoint]] = {}
        for point in entry_points(group=f"fiducial.{self.name}"):
            points.setdefault(point.name, []).append(point)
        return points

    def _load(self, name: str, points: list[EntryPoint]) -> tuple[Any, str | None]:
        if len({point.value for point in points}) > 1:
            return None, "several packages give this name"
        try:
            target = points[0].load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - any exception of a third-party module is reported
            return None, _reason(error)
        # The entry point may name a module whose decorator registers the plugin while it loads.
        target = self._registered.get(name, target)
        return target, None if self.accepts(target) else self._mismatch(target)

    def _mismatch(self, target: Any) -> str:
        text = repr(target)
        if len(text) > _MAX_REPR_LENGTH:
            text = text[: _MAX_REPR_LENGTH - 3] + "..."
        return f"expected {self.holds}, got {text}"


def _is_judge(target: Any) -> bool:
    return callable(target) or isinstance(target, str | Path)


def _is_world(target: Any) -> bool:
    return isinstance(target, type) and callable(getattr(target, "load", None))


def _is_anything(target: Any) -> bool:
    return target is not None


CHECKERS: Final = Group("checkers", "a function of a case and an output")
JUDGES: Final = Group("judges", "a function, or the path of a .prompty file", _is_judge)
FORMATS: Final = Group("formats", "a function of a path")
STATISTICS: Final = Group("statistics", "a function of labels, scores and weights")
OPERATORS: Final = Group("operators", "an operator, or several", _is_anything)
WORLDS: Final = Group("worlds", "a class with a method load(config)", _is_world)
FUNCTIONS: Final = Group("functions", "a function, functions by name, or a module of them", _is_anything)
AGENTS: Final = Group("agents", "a function of a case")

GROUPS: Final[tuple[Group, ...]] = (
    CHECKERS,
    JUDGES,
    FORMATS,
    STATISTICS,
    OPERATORS,
    WORLDS,
    FUNCTIONS,
    AGENTS,
)
"""All groups of plugins."""


def place(target: Any) -> str:
    """Return the place of a definition as ``module:name``.

    A path is returned as it is. A wrapper has the place of the function it wraps.
    """
    if isinstance(target, str | Path):
        return str(target)
    target = getattr(target, "__wrapped__", target)
    definition = target if hasattr(target, "__qualname__") else cast("Any", type(target))
    return f"{definition.__module__}:{definition.__qualname__}"


def load_module(spec: str) -> ModuleType:
    """Import a user's file (``.py``) or module, whose decorators register their targets.

    A file is executed once per process, however often it is named.

    Raises:
        ConfigurationError: The file does not exist, or importing it fails.
    """
    if spec.endswith(".py") and not Path(spec).is_file():
        raise ConfigurationError(f"{spec}: no such file")
    try:
        if not spec.endswith(".py"):
            with importable(Path.cwd()):
                return import_module(spec)
        return _load_file(Path(spec).resolve())
    except (Exception, SystemExit) as error:
        raise ConfigurationError(f"{spec}: cannot be loaded: {_reason(error)}") from error


def look_up(option: str, spec: str, folder: Path | None, form: str = "module:NAME") -> Any:
    """Import ``module:NAME`` or ``file.py:NAME``, as a setting names it.

    Installed packages take precedence over modules in the folder. A spec without a name gives the whole module.

    Args:
        option: The setting, for messages.
        spec: Its value.
        folder: The folder to search besides installed packages, and of relative files; None for the current one.
        form: The expected form, for messages.

    Raises:
        UsageError: The spec is not of that form.
        ConfigurationError: There is no such module or name.
    """
    module, _, name = spec.partition(":")
    is_file = module.endswith(".py")
    names = [*([] if is_file else module.split(".")), *(name.split(".") if name else [])]
    if not all(part.isidentifier() for part in names):
        raise UsageError(f"{setting(option, repr(spec))}: expected {form}")
    try:
        if is_file:
            target: Any = _load_file(Path(folder or Path.cwd(), module).resolve())
        else:
            with importable(folder):
                target = import_module(module)
    except (Exception, SystemExit) as error:
        raise ConfigurationError(
            f"{setting(option, spec)}: cannot import {module!r}: {_reason(error)}"
        ) from error
    for part in name.split(".") if name else []:
        near = get_close_matches(
            part, [attribute for attribute in dir(target) if not attribute.startswith("_")], n=1
        )
        try:
            target = getattr(target, part)
        except AttributeError as error:
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise ConfigurationError(f"{setting(option, spec)}: {error}{hint}") from error
    return target


@contextmanager
def importable(folder: Path | None) -> Generator[None]:
    """Make the modules of a folder importable during the block; None changes nothing."""
    if folder is None:
        yield
        return
    # Appended, so that a file of the folder cannot replace an installed module.
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _load_file(path: Path) -> ModuleType:
    # A unique name, since the file may be called like an installed module.
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        with importable(path.parent):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _reason(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _source(points: list[EntryPoint]) -> str:
    return ", ".join(
        f"{point.value} of {point.dist.name} {point.dist.version}" if point.dist else point.value
        for point in points
    )
