"""Commands by the declarations of their settings: proposed ones, and those that were typed.

A run's folder holds the command that made it as text. Here alone such a text is read.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple

from ..proposed_steps import Command, Option, options_of_values
from . import verbs
from .plugging_settings import PluggingSettings
from .setting import Declared, DeclaredSettings, declared

_SUFFIX = "Settings"


@lru_cache
def settings_of(verb: str) -> type[DeclaredSettings] | None:
    """Return the settings of a verb such as ``audit run``, or None if there is no such verb."""
    group = verb.partition(" ")[0]
    module = next(
        (
            iter_module.name
            for iter_module in iter_modules(verbs.__path__)
            if iter_module.name.rstrip("_") == group
        ),
        None,
    )
    if module is None or verb.split(" ") != verb.split():
        return None
    wanted = verb.replace(" ", "").replace("-", "")
    for name, found in vars(import_module(f".{module}", verbs.__name__)).items():
        if name.removesuffix(_SUFFIX).lower() != wanted or not isinstance(found, type):
            continue
        if issubclass(found, DeclaredSettings):
            return found
    return None


@cache
def _by_name(verb: str) -> dict[str, Declared]:
    """Return the settings of a verb that are options, by name."""
    settings = settings_of(verb)
    if settings is None:
        return {}
    listed = (*declared(settings), *declared(PluggingSettings))
    return {each.name: each for each in listed if not each.setting.is_argument}


@cache
def _by_option(verb: str) -> dict[str, Declared]:
    """Return the settings of a verb by each spelling of their options."""
    return {
        option: each
        for each in _by_name(verb).values()
        for option in (each.option, *each.setting.earlier, each.setting.short)
        if option is not None
    }


def options_named(verb: str, **settings: object) -> tuple[Option, ...]:
    """Return settings of a verb as options, in their order.

    Args:
        verb: The command: ``plan``, ``audit run``.
        **settings: Its settings by name, with values as `options_of_values` takes them.
    """
    known = _by_name(verb)
    return tuple(
        option
        for name, value in settings.items()
        for option in options_of_values(name, known[name].option, value)
    )


def option_of_verb(verb: str, name: str) -> str:
    """Return the option of a setting of a verb: ``--pass-at``.

    Raises:
        KeyError: The command has no such setting.
    """
    return _by_name(verb)[name].option


def proposed(verb: str, *arguments: object, **settings: object) -> Command:
    """Return a command to type, by the names of its settings.

    Raises:
        KeyError: The command has no such setting.
    """
    return Command(verb, tuple(map(str, arguments)), options_named(verb, **settings))


@lru_cache
def typed_command(text: str) -> Command | None:
    """Return the command that a text is, as typed in a shell, or None if it is none.

    Options that no command has any more are kept as flags.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    verb = " ".join(words[1:3])
    if settings_of(verb) is None:
        verb = " ".join(words[1:2])
    if words[:1] != ["fiducial"] or settings_of(verb) is None:
        return None
    arguments: list[str] = []
    options: list[Option] = []
    for read in _read(words[1 + len(verb.split()) :], _by_option(verb)):
        if read.option is None:
            arguments.append(read.value)
        else:
            options.append(read.option)
    return Command(verb, tuple(arguments), tuple(options), text)


class _Read(NamedTuple):
    """An argument, or an option with its values."""

    value: str = ""
    option: Option | None = None


def _read(words: Sequence[str], known: dict[str, Declared]) -> Iterator[_Read]:
    """Yield the arguments and options among words, as the command line reads them."""
    place, has_argument = 0, False
    while place < len(words):
        word = words[place]
        place += 1
        if word == "--":
            yield from map(_Read, words[place:])
            return
        if not word.startswith("-") or word == "-":
            has_argument = True
            yield _Read(word)
            continue
        name, equals, value = word.partition("=")
        setting = known.get(name)
        values = [value] if equals else []
        if setting is not None and setting.kind is not bool:
            if not equals and _has_value(words[place:], setting):
                values.append(words[place])
                place += 1
            # A second value belongs to the option only if the arguments were typed before.
            while setting.is_repeatable and has_argument and place < len(words) and _is_word(words[place]):
                values.append(words[place])
                place += 1
        named = name.lstrip("-").replace("-", "_") if setting is None else setting.name
        yield _Read(option=Option(named, name, tuple(values)))


def _has_value(words: Sequence[str], setting: Declared) -> bool:
    """Return whether the next word is the value of an option; ``--json`` may have none."""
    return bool(words) and (setting.setting.form != "json" or _is_word(words[0]))


def _is_word(word: str) -> bool:
    return word == "-" or not word.startswith("-")
