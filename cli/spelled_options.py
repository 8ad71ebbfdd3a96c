"""Options by the names of settings, for messages."""

from __future__ import annotations

import click


def option_of(name: str) -> str:
    """Return the option of a setting: of the running command, else of any."""
    context = click.get_current_context(silent=True)
    plain = f"--{name.replace('_', '-')}"
    params = [] if context is None else context.command.params
    if any(plain in param.opts for param in params):
        return plain
    for param in params:
        if param.name == name and isinstance(param, click.Option):
            return next(option for option in param.opts if option.startswith("--"))
    return _of_any(name, plain)


def _of_any(name: str, plain: str) -> str:
    """Return the option of a setting of any command; with dashes as the name, if there is none."""
    from importlib import import_module
    from pkgutil import iter_modules

    from ..settings import verbs
    from ..settings.setting import DeclaredSettings, declared

    for module in iter_modules(verbs.__path__):
        for verb in vars(import_module(f"{verbs.__name__}.{module.name}")).values():
            if isinstance(verb, type) and issubclass(verb, DeclaredSettings):
                options = {each.name: each.option for each in declared(verb)}
                if plain in options.values():
                    return plain
                if name in options:
                    return options[name]
    return plain
