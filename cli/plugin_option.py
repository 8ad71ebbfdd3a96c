"""Option ``--plugin``, which every command has."""

from __future__ import annotations

import click


def take_plugins(command: click.Command) -> None:
    """Add the option ``--plugin`` to a command, or to every command of a group."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            take_plugins(each)
    elif all(param.name != "plugin" for param in command.params):
        command.params.append(
            click.Option(
                ["--plugin"],
                multiple=True,
                metavar="FILE.py|MODULE",
                is_eager=True,  # what it brings may be named by other options
                expose_value=False,
                callback=_load_plugins,
                help="Something of your own: a checker, a judge, ... (docs/extending.md).",
            )
        )


def _load_plugins(_ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> None:
    for spec in given:
        from ..api.decorators import load_plugin

        load_plugin(spec)
