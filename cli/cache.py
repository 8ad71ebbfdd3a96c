"""``fiducial cache``: show or empty the reply cache."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ..settings.verbs.cache import CacheClearSettings, CacheInfoSettings
from .declared_options import options_of
from .printing import echo_json


@click.group(no_args_is_help=True, epilog="Example: fiducial cache info")
def command() -> None:
    """Show or clear the reply cache."""


@command.command(epilog="Example: fiducial cache info --json")
@options_of(CacheInfoSettings)
def info(*, cache: Path | None, as_json: bool) -> None:
    """Show the cache's folder, size, and replies by model."""
    from ..api.cached_replies import cached_replies

    replies = cached_replies(cache)
    if as_json:
        echo_json(json.dumps(replies.to_dict()))
    else:
        click.echo(str(replies))


@command.command(epilog="Example: fiducial cache clear --model gpt-4.1-mini")
@options_of(CacheClearSettings)
def clear(*, cache: Path | None, model: str | None) -> None:
    """Delete cached replies; asking again costs calls again."""
    from ..api.cached_replies import delete_replies
    from ..api.terminal_text import counted

    path, count = delete_replies(cache, model=model)
    result = "no cache yet" if count is None else f"deleted {counted(count, 'reply')}"
    click.echo(f"{path}: {result}")
