"""Make commands to propose, and parse typed commands, by the settings that verbs declare.

A run folder contains the text of the command that made it. Only this module parses such a text.
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
from .setting import DeclaredSettings, VerbSetting, verb_settings

_SUFFIX = "Settings"
"""End of the names of verbs' classes: `AuditRunSettings` is the class of ``audit run``."""


@lru_cache
def settings_of(verb: str) -> type[DeclaredSettings] | None:
    """Return the settings of a verb such as ``audit run``, or None if there is no such verb."""
    group = verb.partition(" ")[0]
    module = next(
        (
            module_info.name
            for module_info in iter_modules(verbs.__path__)
            if module_info.name.rstrip("_") == group
        ),
        None,
    )
    if (
        module is None or verb.split(" ") != verb.split()
    ):  # a name with other blanks than single ones is no verb
        return None
    class_name = verb.replace(" ", "").replace("-", "")
    for name, candidate in vars(import_module(f".{module}", verbs.__name__)).items():
        if name.removesuffix(_SUFFIX).lower() != class_name or not isinstance(candidate, type):
            continue
        if issubclass(candidate, DeclaredSettings):
            return candidate
    return None


@cache
def _options_by_name(verb: str) -> dict[str, VerbSetting]:
    settings = settings_of(verb)
    if settings is None:
        return {}
    all_settings = (*verb_settings(settings), *verb_settings(PluggingSettings))
    return {setting.name: setting for setting in all_settings if not setting.setting.is_argument}


@cache
def _options_by_spelling(verb: str) -> dict[str, VerbSetting]:
    return {
        option: setting
        for setting in _options_by_name(verb).values()
        for option in (setting.option, *setting.setting.aliases, setting.setting.short)
        if option is not None
    }


def options_named(verb: str, **settings: object) -> tuple[Option, ...]:
    """Return settings of a verb as options, in their order.

    Args:
        verb: The command: ``plan``, ``audit run``.
        **settings: Its settings by name, with values as `options_of_values` takes them.
    """
    options = _options_by_name(verb)
    return tuple(
        option
        for name, value in settings.items()
        for option in options_of_values(name, options[name].option, value)
    )


def option_of_verb(verb: str, name: str) -> str:
    """Return the option of a setting of a verb: ``--pass-at``.

    Raises:
        KeyError: The command has no such setting.
    """
    return _options_by_name(verb)[name].option


def proposed(verb: str, *arguments: object, **settings: object) -> Command:
    """Return a command to type, by the names of its settings.

    Raises:
        KeyError: The command has no such setting.
    """
    return Command(verb, tuple(map(str, arguments)), options_named(verb, **settings))


@lru_cache
def typed_command(text: str) -> Command | None:
    """Parse a command as typed in a shell, or return None if it is no command of ours.

    Options that the command no longer has are kept as flags.
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
    for parsed in _parse_words(words[1 + len(verb.split()) :], _options_by_spelling(verb)):
        if parsed.option is None:
            arguments.append(parsed.value)
        else:
            options.append(parsed.option)
    return Command(verb, tuple(arguments), tuple(options), text)


class _Word(NamedTuple):
    """Part of a command line: an argument, or an option with its values."""

    value: str = ""
    option: Option | None = None


def _parse_words(words: Sequence[str], known: dict[str, VerbSetting]) -> Iterator[_Word]:
    """Yield the arguments and options among words, as the command line reads them."""
    position, has_argument = 0, False
    while position < len(words):
        word = words[position]
        position += 1
        if word == "--":
            yield from map(_Word, words[position:])
            return
        if not word.startswith("-") or word == "-":
            has_argument = True
            yield _Word(word)
            continue
        name, equals, value = word.partition("=")
        setting = known.get(name)
        values = [value] if equals else []
        if setting is not None and setting.kind is not bool:
            if not equals and _has_value(words[position:], setting):
                values.append(words[position])
                position += 1
            # A second value belongs to the option only if the arguments were typed before.
            while (
                setting.is_repeatable and has_argument and position < len(words) and _is_word(words[position])
            ):
                values.append(words[position])
                position += 1
        setting_name = name.lstrip("-").replace("-", "_") if setting is None else setting.name
        yield _Word(option=Option(setting_name, name, tuple(values)))


def _has_value(words: Sequence[str], setting: VerbSetting) -> bool:
    """Return whether the next word is the value of an option; ``--json`` may have none."""
    return bool(words) and (setting.setting.form != "json" or _is_word(words[0]))


def _is_word(word: str) -> bool:
    return word == "-" or not word.startswith("-")
