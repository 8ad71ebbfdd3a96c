"""``fiducial cache``: show or empty the reply cache."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .param_types import OUT_FILE
from .printing import echo_json
from .shared_options import option

_cache_option = option(
    "--cache", type=OUT_FILE, help="The reply cache's file.  [default: in the user's cache folder]"
)


@click.group(no_args_is_help=True, epilog="Example: fiducial cache info")
def command() -> None:
    """Show or clear the reply cache."""


@command.command(epilog="Example: fiducial cache info --json")
@_cache_option
@option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(*, cache: Path | None, as_json: bool) -> None:
    """Show the cache's folder, size, and replies by model."""
    from ..api.cached_replies import cached_replies

    replies = cached_replies(cache)
    if as_json:
        echo_json(json.dumps(replies.to_dict()))
    else:
        click.echo(str(replies))


@command.command(epilog="Example: fiducial cache clear --model gpt-4.1-mini")
@_cache_option
@option("--model", help="Only this model's replies.")
def clear(*, cache: Path | None, model: str | None) -> None:
    """Delete cached replies; asking again costs calls again."""
    from ..api.cached_replies import delete_replies
    from ..api.terminal_text import counted

    path, count = delete_replies(cache, model=model)
    result = "no cache yet" if count is None else f"deleted {counted(count, 'reply')}"
    click.echo(f"{path}: {result}")
