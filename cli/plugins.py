"""``fiducial plugins``: list plugins of users and packages, with the reason if one fails."""

from __future__ import annotations

import json

import click

from ..api.decorators import Plugin, plugins
from ..settings.verbs.plugins import PluginsSettings
from .declared_options import options_of
from .printing import echo_json


@click.command(epilog="Example: fiducial plugins --plugin sql_checker.py")
@options_of(PluginsSettings)
def command(*, as_json: bool) -> None:
    """List plugins of installed packages and of files named with --plugin.

    Plugins are checkers, judges, formats, statistics, operators, worlds, functions and agents. Each is loaded to test it; nothing is
    run.
    """
    loaded_plugins = plugins()
    if as_json:
        echo_json(json.dumps([plugin._asdict() for plugin in loaded_plugins], ensure_ascii=False))
    elif loaded_plugins:
        click.echo("\n".join(_lines(loaded_plugins)))
    else:
        click.echo("no plugins; docs/extending.md shows how to write one")


def _lines(loaded_plugins: list[Plugin]) -> list[str]:
    group_width = max(len(plugin.group) for plugin in loaded_plugins)
    name_width = max(len(plugin.name) for plugin in loaded_plugins)
    return [
        f"{plugin.group:{group_width}}  {plugin.name:{name_width}}  {plugin.source}"
        + ("" if plugin.problem is None else f"  not loaded: {plugin.problem}")
        for plugin in loaded_plugins
    ]
