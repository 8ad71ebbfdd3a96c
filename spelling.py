"""Spelling of settings: options on the command line, arguments in Python.

Whoever raises an error or proposes a step names settings; the surface that runs says how they are written.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from .proposed_steps import Command, PythonCall

_option_of: ContextVar[Callable[[str], str] | None] = ContextVar("option_of", default=None)
"""Function that returns the option of a setting; None in Python."""

_ARGUMENT = re.compile(r"\b[a-z_]+=[({\[\w'\"]")
"""Beginning of a keyword argument with its value, as Python writes it."""

_VARIABLE = re.compile(r"\b[A-Z][A-Z_]{5,}=\w")
"""Assignment of a value to an environment variable."""


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


def either(command_line: str | Command, python: str | PythonCall) -> str:
    """Return the first text on the command line, the second in Python."""
    return str(python if _option_of.get() is None else command_line)


def setting(name: str, value: object = None) -> str:
    """Spell a setting, with a value or without: ``--pass-at 0.7``, ``pass_at=0.7``."""
    option_of = _option_of.get()
    if option_of is None:
        return f"{name}={'' if value is None else value}"
    return option_of(name) if value is None else f"{option_of(name)} {value}"


def spelled_word(name: str, word: str) -> str:
    """Spell a setting that is a word, to type as it is: ``--engine ray``, ``engine='ray'``."""
    return setting(name, either(shlex.quote(word), repr(word)))


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
        values: The pairs; a value None stands for no score, ``--map-label late=``. In Python, the pair of a repeated key is reversed.
    """
    option_of = _option_of.get()
    pairs = cast("list[tuple[str, Any]]", [*(values.items() if isinstance(values, Mapping) else values)])
    if option_of is None:
        return f"{name}={turned_pairs(pairs)!r}"
    words = (f"{key}={'' if value is None else value}" for key, value in pairs)
    return " ".join(f"{option_of(name)} {shlex.quote(word)}" for word in words)


def turned_pairs(values: Iterable[tuple[str, Any]]) -> dict[Any, Any]:
    """Return pairs as a dictionary; the pair of a repeated key is reversed, as `map` allows."""
    by_key: dict[Any, Any] = {}
    for key, value in values:
        by_key |= {value: key} if key in by_key else {key: value}
    return by_key


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
    """Return whether a text names a setting, so that shortening it could hide what to do."""
    is_argument = _option_of.get() is None and _ARGUMENT.search(text) is not None
    return "--" in text or is_argument or _VARIABLE.search(text) is not None


def command(verb: str, *arguments: object, **options: object) -> Command:
    """Return a command to type, such as ``fiducial plan TABLE --next 50``.

    Args:
        verb: The command: ``plan``, ``audit run``.
        *arguments: Its arguments.
        **options: Its options with underscores, with values as `options_of_values` takes them.
    """
    from .proposed_steps import Command, options_of_values  # noqa: PLC0415 - most commands propose none

    typed_options = (
        option
        for name, value in options.items()
        for option in options_of_values(name, f"--{name.replace('_', '-')}", value)
    )
    return Command(verb, tuple(map(str, arguments)), tuple(typed_options))
