"""Spelling of settings and commands: options on the command line, arguments in Python.

Whoever raises an error or proposes a step names settings; the surface that runs says how they are written.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, cast

_option_of: ContextVar[Callable[[str], str] | None] = ContextVar("option_of", default=None)
"""Function that returns the option of a setting; None in Python."""

_read_by: ContextVar[Mapping[str, Command]] = ContextVar("read_by")
"""By verb, the command that reads what was read."""

_PLACES = {("TABLE",), ("RUN",)}
"""Arguments of commands that results propose, since they do not know the path of what was read."""

_ARGUMENT = re.compile(r"\b[a-z_]+=[({\[\w'\"]")
"""An argument with its value, as Python writes it."""


@contextmanager
def spelled_as_options(option_of: Callable[[str], str]) -> Generator[None]:
    """Spell settings as options during the block.

    Args:
        option_of: Function that returns the option of a setting: ``--pass-at`` for ``pass_at``.
    """
    before = _option_of.set(option_of)
    try:
        yield
    finally:
        _option_of.reset(before)


@contextmanager
def read_by(commands: Mapping[str, Command]) -> Generator[None]:
    """Write commands on a table or run with what was read, during the block.

    Args:
        commands: By verb, a command with the arguments and options that take the place of ``TABLE`` or ``RUN``.
    """
    before = _read_by.set(commands)
    try:
        yield
    finally:
        _read_by.reset(before)


def either(command_line: str | Command, python: str | PythonCall) -> str:
    """Return the words for the surface that runs."""
    return str(python if _option_of.get() is None else command_line)


def setting(name: str, value: object = None) -> str:
    """Spell a setting, with a value or without: ``--pass-at 0.7``, ``pass_at=0.7``."""
    option_of = _option_of.get()
    if option_of is None:
        return f"{name}={'' if value is None else value}"
    return option_of(name) if value is None else f"{option_of(name)} {value}"


def flag(name: str) -> str:
    """Spell a setting that is set: ``--again``, ``again=True``."""
    option_of = _option_of.get()
    return f"{name}=True" if option_of is None else option_of(name)


def without(name: str) -> str:
    """Spell a setting that is turned off: ``--no-cache``, ``cache=False``."""
    option_of = _option_of.get()
    return f"{name}=False" if option_of is None else option_of(f"no_{name}")


def spelled_pairs(name: str, values: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> str:
    """Spell a setting of pairs: ``--map a=x --map b=y``, ``map={'a': 'x', 'b': 'y'}``.

    Args:
        name: The setting.
        values: The pairs; a value None stands for no score, ``--map-label late=``. In Python a key that comes again is turned round.
    """
    option_of = _option_of.get()
    listed = cast("list[tuple[str, Any]]", [*(values.items() if isinstance(values, Mapping) else values)])
    if option_of is None:
        turned: dict[object, object] = {}
        for key, value in listed:
            turned |= {value: key} if key in turned else {key: value}
        return f"{name}={turned!r}"
    words = (f"{key}={'' if value is None else value}" for key, value in listed)
    return " ".join(f"{option_of(name)} {shlex.quote(word)}" for word in words)


def spelled_scale(name: str, ends: str, judge: str | None = None) -> str:
    """Spell a scale: ``--label-scale 1:5``, ``label_scale=(1, 5)``; ``?`` is an unknown end.

    Args:
        name: The setting.
        ends: The worst and the best grade, as ``1:5``.
        judge: The judge whose scale it is, if it is of one.
    """
    option_of = _option_of.get()
    if option_of is None:
        values = "({})".format(", ".join(repr(end) if end == "?" else end for end in ends.split(":")))
        return f"{name}={values}" if judge is None else f"{name}={{{judge!r}: {values}}}"
    return f"{option_of(name)} {shlex.quote(ends if judge is None else f'{judge}={ends}')}"


def together(*settings: str) -> str:
    """Return spelled settings one after the other, empty ones left out."""
    return either(" ", ", ").join(filter(None, settings))


def names_a_setting(text: str) -> bool:
    """Return whether a text seems to say what to set, so that no part of it should be left out."""
    return "--" in text or (_option_of.get() is None and _ARGUMENT.search(text) is not None)


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
        return shlex.join([self.option, *self.values])


class Command(NamedTuple):
    """Command: one that is proposed, or one that made a run.

    As text it is what to type in a shell.

    Attributes:
        verb: The command: ``plan``, ``audit run``.
        arguments: Its arguments, such as files.
        options: Its options, in their order.
        typed: The text that was typed, if it was: it is shown as it stands.
    """

    verb: str
    arguments: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    typed: str = ""

    def __str__(self) -> str:
        if self.typed:
            return self.typed
        read = _read_by.get({}).get(self.verb) if self.arguments in _PLACES else None
        arguments, options = (self if read is None else read.also(*self.options))[1:3]
        return " ".join(["fiducial", self.verb, *map(shlex.quote, arguments), *map(str, options)])

    def given(self, *names: str) -> tuple[Option, ...]:
        """Return the options of these settings, in the order of the names."""
        return tuple(each for name in names for each in self.options if each.name == name)

    def values_of(self, name: str) -> tuple[str, ...]:
        """Return the values of a setting, all that it was given."""
        return tuple(value for each in self.given(name) for value in each.values)

    def also(self, *options: Option) -> Command:
        """Return the command with more options; what was typed stays as it was."""
        typed = " ".join([self.typed, *map(str, options)]) if self.typed else ""
        return self._replace(options=(*self.options, *options), typed=typed)

    def without(self, *names: str) -> Command:
        """Return the command without these settings."""
        options = tuple(each for each in self.options if each.name not in names)
        return self._replace(options=options, typed="")

    def with_values(self, name: str, change: Callable[[str], str]) -> Command:
        """Return the command with each value of a setting changed."""
        options = (
            each._replace(values=tuple(map(change, each.values))) if each.name == name else each
            for each in self.options
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
        given = (f"{name}={_in_python(name, value)}" for name, value in self.arguments.items())
        return f"fd.{self.function}({', '.join(['...', *given])})"


def _in_python(name: str, value: object) -> str:
    """Write a value as Python does, with the quotes of JSON."""
    if value is ...:
        return f"*{name}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        written = ", ".join(f"{_in_python(name, key)}: {_in_python(name, each)}" for key, each in pairs)
        return f"{{{written}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_in_python(name, each) for each in cast('Sequence[object]', value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def options_of_values(name: str, option: str, value: object) -> tuple[Option, ...]:
    """Return a setting as options.

    Args:
        name: The setting.
        option: Its option.
        value: True for a flag; a tuple of values that follow one option, a list for an option that is repeated; None, False and empty ones for
            one that is left out.
    """
    if value is True:
        return (Option(name, option),)
    if value is None or value is False or value == ():
        return ()
    if isinstance(value, tuple):
        return (Option(name, option, tuple(map(str, cast("tuple[object, ...]", value)))),)
    several = cast("list[object]", value) if isinstance(value, list) else [value]
    return tuple(Option(name, option, (str(each),)) for each in several)


def command(verb: str, *arguments: object, **options: object) -> Command:
    """Return a command to type, such as ``fiducial plan TABLE --next 50``.

    Args:
        verb: The command: ``plan``, ``audit run``.
        *arguments: Its arguments.
        **options: Its options with underscores, with values as `options_of_values` takes them.
    """
    listed = (
        each
        for name, value in options.items()
        for each in options_of_values(name, f"--{name.replace('_', '-')}", value)
    )
    return Command(verb, tuple(map(str, arguments)), tuple(listed))
