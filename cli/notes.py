"""Notes on stderr, beside a command's results."""

from __future__ import annotations

import click


def note(text: str) -> None:
    """Print a note."""
    click.echo(f"note: {text}", err=True)
