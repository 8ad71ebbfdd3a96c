"""Options of a command, made of the settings that its verb declares."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from ..settings.plugging_settings import PluggingSettings
from ..settings.setting import SEVERAL, Declared, DeclaredSettings, declared
from .forms import READINGS, FormReading
from .param_types import Number, Whole
from .shared_options import SECTION

Command = TypeVar("Command", bound=Callable[..., Any])

_HARMLESS = "harmless"
"""Attribute of an option: whether a team file may set it without being trusted."""

_NO_FORM = FormReading()


def options_of(verb: type[DeclaredSettings]) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the settings of a verb, as options and arguments."""

    def add(command: Command) -> Command:
        params = [parameter_of(setting) for setting in declared(verb)]
        vars(command).setdefault("__click_params__", []).extend(
            reversed(params)
        )  # as a pile of decorators does
        return command

    return add


def parameter_of(each: Declared) -> click.Parameter:
    """Return a setting as an option or argument."""
    setting = each.setting
    reading = READINGS[setting.form] if setting.form is not None else _NO_FORM
    kind = reading.kind or _kind_of(each)
    several = each.is_repeatable
    has_default = each.default is not None and each.default != () and setting.form not in SEVERAL
    more: dict[str, Any] = {
        "required": setting.required,
        "callback": reading.callback,
        "expose_value": reading.given,
    }
    if has_default and each.default is not False:
        more["default"] = each.default
    if setting.is_argument:
        count: dict[str, Any] = {"nargs": -1} if several else {}
        return click.Argument([each.name], type=kind, metavar=setting.metavar, **count, **more)
    flag: dict[str, Any] = {"is_flag": True} if each.kind is bool else {"type": kind}
    option = click.Option(
        [*filter(None, [setting.short]), each.option, *setting.earlier, each.name],
        **flag,
        multiple=several,
        metavar=setting.metavar,
        help=setting.help,
        is_eager=setting.eager,
        show_default=setting.shows_default and "default" in more,
        **more,
        **reading.settings,
    )
    setattr(option, SECTION, setting.section or "Options")
    setattr(option, _HARMLESS, setting.harmless)
    return option


def _kind_of(each: Declared) -> click.ParamType[Any]:
    """Return the type in click of a setting whose form is plain."""
    setting = each.setting
    if each.choices:
        return click.Choice(each.choices)
    if each.kind not in {int, float}:
        return click.STRING
    limits: dict[str, Any] = {
        "min": setting.low,
        "max": setting.high,
        "min_open": setting.low_open,
        "max_open": setting.high_open,
    }
    if each.kind is float:
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
                        values[name] = tuple(type(each)(with_scale(str(each), scale)) for each in value)
            return command(*args, **values)

        return cast("Command", with_scales)

    return add


def add_plugin_option(command: click.Command) -> None:
    """Add the option ``--plugin`` to a command, or to every command of a group."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            add_plugin_option(each)
    elif all(param.name != "plugin" for param in command.params):
        command.params += map(parameter_of, declared(PluggingSettings))


def harmless_options(command: click.Command) -> frozenset[str]:
    """Return the options that can do no harm in a command, or in any of a group.

    They are spelled without dashes in front.
    """
    if not isinstance(command, click.Group):
        return _spelled(command, harmless=True)
    commands = command.commands.values()
    return frozenset[str]().union(*map(harmless_options, commands)) - _harmful_options(command)


def _harmful_options(command: click.Command) -> frozenset[str]:
    """Return the options that can do harm in a command, or in any of a group and of its groups."""
    if not isinstance(command, click.Group):
        return _spelled(command, harmless=False)
    return frozenset[str]().union(*map(_harmful_options, command.commands.values()))


def _spelled(command: click.Command, *, harmless: bool) -> frozenset[str]:
    params = (param for param in command.params if getattr(param, _HARMLESS, False) is harmless)
    return frozenset(name.lstrip("-") for param in params for name in param.opts)
