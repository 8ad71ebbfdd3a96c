"""Find the option of a setting by the setting's name, for messages."""

from __future__ import annotations

import click


def option_of(name: str) -> str:
    """Return the option of a setting: that of the running command, or else of any command."""
    context = click.get_current_context(silent=True)
    literal_option = f"--{name.replace('_', '-')}"
    params = [] if context is None else context.command.params
    if any(literal_option in param.opts for param in params):
        return literal_option
    for param in params:
        if param.name == name and isinstance(param, click.Option):
            return next(option for option in param.opts if option.startswith("--"))
    return _option_of_any_verb(name, literal_option)


def _option_of_any_verb(name: str, literal_option: str) -> str:
    """Return the option of a setting in any command, else its name as an option."""
    from importlib import import_module
    from pkgutil import iter_modules

    from ..settings import verbs
    from ..settings.setting import DeclaredSettings, verb_settings

    for module in iter_modules(verbs.__path__):
        for verb in vars(import_module(f"{verbs.__name__}.{module.name}")).values():
            if isinstance(verb, type) and issubclass(verb, DeclaredSettings):
                options = {setting.name: setting.option for setting in verb_settings(verb)}
                if literal_option in options.values():
                    return literal_option
                if name in options:
                    return options[name]
    return literal_option
