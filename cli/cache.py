"""``fiducial cache``: the replies that were paid for once."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import click

from ..api.reaching import default_cache
from .options import INPUT_FILE

_cache_option = click.option(
    "--cache", type=INPUT_FILE, help="The reply cache's file.  [default: in the user's cache folder]"
)


@click.group(no_args_is_help=True, epilog="Example: fiducial cache info")
def command() -> None:
    """Look at the reply cache, or empty it."""


@command.command(epilog="Example: fiducial cache info --json")
@_cache_option
@click.option("--json", "as_json", is_flag=True, help="As JSON, for machines.")
def info(*, cache: Path | None, as_json: bool) -> None:
    """Say where the cache is, how large, and whose replies it holds."""
    from ..judges import ReplyCache  # noqa: PLC0415 - SQLite is not needed for --help

    path = cache or default_cache()
    if not path.exists():
        click.echo(json.dumps({"path": str(path), "replies": 0}) if as_json else f"{path}: no cache yet")
        return
    with closing(ReplyCache(path)) as store:
        found = store.info()
    if as_json:
        facts = {
            "path": str(path),
            "replies": found.replies,
            "size_bytes": found.size_bytes,
            "models": found.models,
        }
        click.echo(json.dumps(facts))
        return
    click.echo(f"{path}: {found.replies:,} replies, {found.size_bytes / 1e6:,.1f} MB")
    for model, count in found.models.items():
        click.echo(f"  {model}: {count:,}")


@command.command(epilog="Example: fiducial cache clear --model gpt-4.1-mini")
@_cache_option
@click.option("--model", help="Only this model's replies.")
def clear(*, cache: Path | None, model: str | None) -> None:
    """Forget cached replies; they will be asked for, and paid for, again."""
    from ..judges import ReplyCache  # noqa: PLC0415 - SQLite is not needed for --help

    path = cache or default_cache()
    if not path.exists():
        click.echo(f"{path}: no cache yet")
        return
    with closing(ReplyCache(path)) as store:
        count = store.clear(model)
    click.echo(f"{path}: forgot {count:,} replies")
