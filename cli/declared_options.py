"""Options of a command, made of the settings that its verb declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from ..settings.plugging_settings import PluggingSettings
from ..settings.setting import REPEATABLE_BY_FORM, DeclaredSettings, VerbSetting, verb_settings
from .forms import READINGS, FormReading
from .param_types import Number, Whole
from .shared_options import SECTION

Command = TypeVar("Command", bound=Callable[..., Any])

_HARMLESS_ATTRIBUTE = "harmless"
"""Attribute of a click option: whether a team file may set it without being trusted."""

_ALIASES_ATTRIBUTE = "aliases"
"""Attribute of a click option: spellings that are accepted and never proposed."""

_DEFAULT_READING = FormReading()


def options_of(verb: type[DeclaredSettings]) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the settings of a verb, as options and arguments."""

    def add(command: Command) -> Command:
        params = [parameter_of(verb_setting) for verb_setting in verb_settings(verb)]
        # click reads this list backwards, since decorators are applied from the bottom up.
        vars(command).setdefault("__click_params__", []).extend(reversed(params))
        return command

    return add


def parameter_of(verb_setting: VerbSetting) -> click.Parameter:
    """Return a setting as an option or argument."""
    setting = verb_setting.setting
    reading = READINGS[setting.form] if setting.form is not None else _DEFAULT_READING
    kind = reading.kind or _kind_of(verb_setting)
    is_repeatable = verb_setting.is_repeatable
    has_default = (
        verb_setting.default is not None
        and verb_setting.default != ()
        and setting.form not in REPEATABLE_BY_FORM
    )
    arguments: dict[str, Any] = {
        "required": setting.required,
        "callback": reading.callback,
        "expose_value": reading.is_passed,
    }
    if has_default and verb_setting.default is not False:
        arguments["default"] = verb_setting.default
    if setting.is_argument:
        count_arguments: dict[str, Any] = {"nargs": -1} if is_repeatable else {}
        return click.Argument(
            [verb_setting.name], type=kind, metavar=setting.metavar, **count_arguments, **arguments
        )
    type_arguments: dict[str, Any] = {"is_flag": True} if verb_setting.kind is bool else {"type": kind}
    option = click.Option(
        [*filter(None, [setting.short]), verb_setting.option, *setting.aliases, verb_setting.name],
        **type_arguments,
        multiple=is_repeatable,
        metavar=setting.metavar,
        help=setting.help,
        is_eager=setting.eager,
        show_default=setting.shows_default and "default" in arguments,
        **arguments,
        **reading.settings,
    )
    setattr(option, SECTION, setting.section or "Options")
    setattr(option, _ALIASES_ATTRIBUTE, setting.aliases)
    setattr(option, _HARMLESS_ATTRIBUTE, setting.harmless)
    return option


def _kind_of(verb_setting: VerbSetting) -> click.ParamType[Any]:
    """Return click's type of a setting without a form."""
    setting = verb_setting.setting
    if verb_setting.choices:
        return click.Choice(verb_setting.choices)
    if verb_setting.kind not in {int, float}:
        return click.STRING
    limits: dict[str, Any] = {
        "min": setting.low,
        "max": setting.high,
        "min_open": setting.low_open,
        "max_open": setting.high_open,
    }
    if verb_setting.kind is float:
        return Number(**limits)
    return click.INT if setting.low is None and setting.high is None else Whole(**limits)


def scale_for(*judges: str) -> Callable[[Command], Command]:
    """Return a decorator that gives ``--scale`` to the prompt files in these parameters."""

    def add(command: Command) -> Command:
        @wraps(command)
        def with_scales(*args: Any, scale: str | None, **values: Any) -> Any:
            if scale is not None:
                from ..api.declared_scales import with_scale

                for name in judges:
                    value = values[name]
                    if isinstance(value, str | Path):
                        values[name] = with_scale(str(value), scale)
                    else:
                        # A judge stays a path if it was given as one.
                        values[name] = tuple(type(judge)(with_scale(str(judge), scale)) for judge in value)
            return command(*args, **values)

        return cast("Command", with_scales)

    return add


def add_plugin_option(command: click.Command) -> None:
    """Add the option ``--plugin`` to a command, or to every command of a group."""
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            add_plugin_option(subcommand)
    elif all(param.name != "plugin" for param in command.params):
        command.params += map(parameter_of, verb_settings(PluggingSettings))


def options_meant(command: click.Command, unknown: str, similar: Iterable[str]) -> list[str]:
    """Return the current options that an unknown one may stand for.

    Args:
        command: The command.
        unknown: The option as typed. It may be the Python name of a setting, spelled as an option: ``--draw`` for ``--next``.
        similar: Options of similar spelling, aliases among them.
    """
    options = [param for param in command.params if isinstance(param, click.Option)]
    name = unknown.lstrip("-").replace("-", "_")
    if options_of_that_name := [_current_name(option) for option in options if option.name == name]:
        return options_of_that_name
    option_by_alias = {alias: _current_name(option) for option in options for alias in _aliases(option)}
    return list(dict.fromkeys(option_by_alias.get(option, option) for option in similar))


def _aliases(option: click.Option) -> tuple[str, ...]:
    return getattr(option, _ALIASES_ATTRIBUTE, ())


def _current_name(option: click.Option) -> str:
    return next(name for name in option.opts if name.startswith("--") and name not in _aliases(option))


def harmless_options(command: click.Command) -> frozenset[str]:
    """Return the options, without dashes, that can do no harm in a command or below a group."""
    if not isinstance(command, click.Group):
        return _option_names(command, harmless=True)
    commands = command.commands.values()
    return frozenset[str]().union(*map(harmless_options, commands)) - _harmful_options(command)


def _harmful_options(command: click.Command) -> frozenset[str]:
    if not isinstance(command, click.Group):
        return _option_names(command, harmless=False)
    return frozenset[str]().union(*map(_harmful_options, command.commands.values()))


def _option_names(command: click.Command, *, harmless: bool) -> frozenset[str]:
    params = (param for param in command.params if getattr(param, _HARMLESS_ATTRIBUTE, False) is harmless)
    return frozenset(name.lstrip("-") for param in params for name in param.opts)
