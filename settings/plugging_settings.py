"""Settings of every command."""

from typing import Annotated

from .setting import DeclaredSettings, Setting


class PluggingSettings(DeclaredSettings):
    """Custom checkers, judges and others."""

    plugin: Annotated[
        tuple[str, ...],
        Setting(
            "Load custom checkers, judges, ... (docs/extending.md).",
            metavar="FILE.py|MODULE",
            form="plugin",
            eager=True,
        ),
    ] = ()
