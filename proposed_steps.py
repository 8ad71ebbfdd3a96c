"""Steps that results and messages propose: commands as data, and calls in Python."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, cast

_read_by: ContextVar[Mapping[str, Command]] = ContextVar("read_by")
"""Commands by verb, with the path of the table or run that the current command has read."""

_PLACEHOLDERS = {("TABLE",), ("RUN",)}
"""Arguments of proposed commands: results do not know the path of the table or run they were computed from."""


@contextmanager
def read_by(commands: Mapping[str, Command]) -> Generator[None]:
    """Replace ``TABLE`` and ``RUN`` in proposed commands by what was read, during the block.

    Args:
        commands: By verb, a command with the arguments and options that take the place of ``TABLE`` or ``RUN``.
    """
    before = _read_by.set(commands)
    try:
        yield
    finally:
        _read_by.reset(before)


_NEEDS_NO_QUOTES = re.compile(r"[\w@%+=:,./^-]+", re.ASCII)
"""Word that no shell changes. Unlike `shlex.quote`, it allows ``^``, as in ``pass^4=0.5``."""


def _quoted(word: str) -> str:
    return word if _NEEDS_NO_QUOTES.fullmatch(word) else shlex.quote(word)


class Option(NamedTuple):
    """Option of a command: a setting, and its values as they are typed.

    Attributes:
        name: The setting.
        option: The option, as the command line writes it.
        values: Its values; none for a flag.
    """

    name: str
    option: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(_quoted, (self.option, *self.values)))


class Command(NamedTuple):
    """Command that is proposed, or that made a run.

    As text it is what to type in a shell.

    Attributes:
        verb: The command: ``plan``, ``audit run``.
        arguments: Its arguments, such as files.
        options: Its options, in their order.
        typed: The text that a user typed, shown unchanged; empty for a proposed command.
    """

    verb: str
    arguments: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    typed: str = ""

    def __str__(self) -> str:
        if self.typed:
            return self.typed
        replacement = _read_by.get({}).get(self.verb) if self.arguments in _PLACEHOLDERS else None
        shown = self if replacement is None else replacement.also(*self.options)
        return " ".join(["fiducial", self.verb, *map(_quoted, shown.arguments), *map(str, shown.options)])

    def given(self, *names: str) -> tuple[Option, ...]:
        """Return the options of these settings, in the order of the names."""
        return tuple(option for name in names for option in self.options if option.name == name)

    def values_of(self, name: str) -> tuple[str, ...]:
        """Return all values of a setting, also of a repeated option."""
        return tuple(value for option in self.given(name) for value in option.values)

    def also(self, *options: Option) -> Command:
        """Return the command with more options, which are also appended to the typed text."""
        typed = " ".join([self.typed, *map(str, options)]) if self.typed else ""
        return self._replace(options=(*self.options, *options), typed=typed)

    def without(self, *names: str) -> Command:
        """Return the command without these settings."""
        options = tuple(option for option in self.options if option.name not in names)
        return self._replace(options=options, typed="")

    def with_values(self, name: str, change: Callable[[str], str]) -> Command:
        """Return the command with each value of a setting changed."""
        options = (
            option._replace(values=tuple(map(change, option.values))) if option.name == name else option
            for option in self.options
        )
        return self._replace(options=tuple(options), typed="")


class PythonCall(NamedTuple):
    """Call that repeats one in Python with other arguments: ``fd.evaluate(..., pass_at=0.7)``.

    Attributes:
        function: The function.
        arguments: The arguments by name; ``...`` among several values stands for those of the call before.
    """

    function: str
    arguments: Mapping[str, object]

    def __str__(self) -> str:
        written = (f"{name}={_in_python(name, value)}" for name, value in self.arguments.items())
        return f"fd.{self.function}({', '.join(['...', *written])})"


def _in_python(name: str, value: object) -> str:
    """Write a value as Python does, with the quotes of JSON."""
    if value is ...:
        return f"*{name}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        written = ", ".join(f"{_in_python(name, key)}: {_in_python(name, item)}" for key, item in pairs)
        return f"{{{written}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_in_python(name, item) for item in cast('Sequence[object]', value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def options_of_values(name: str, option: str, value: object) -> tuple[Option, ...]:
    """Return a setting as options.

    Args:
        name: The setting.
        option: Its option.
        value: True for a flag. A tuple's values follow one option; a list's values each repeat it. None, False and an empty
            tuple or list give no option.
    """
    if value is True:
        return (Option(name, option),)
    if value is None or value is False or value == ():
        return ()
    if isinstance(value, tuple):
        return (Option(name, option, tuple(map(str, cast("tuple[object, ...]", value)))),)
    repeated_values = cast("list[object]", value) if isinstance(value, list) else [value]
    return tuple(Option(name, option, (str(item),)) for item in repeated_values)
